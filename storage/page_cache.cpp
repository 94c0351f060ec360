#include "storage/page_cache.hpp"

#include <unistd.h>

#include <cerrno>
#include <vector>

#include "storage/atomic_file.hpp"
#include "storage/descriptor.hpp"

namespace storage {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 18;  // little enough for a core's second cache

}  // namespace

void read_into_page_cache(const std::filesystem::path& file, const std::atomic<bool>& enough) {
  const Descriptor descriptor = open_plain_file(file);
  std::vector<char> piece(kPiece);
  while (!enough) {
    const ssize_t count = ::read(descriptor.get(), piece.data(), piece.size());
    if (count == 0) return;
    if (count < 0 && errno != EINTR) fail_with_errno(file, "cannot read", errno);
  }
}

}  // namespace storage
