#include "storage/descriptor.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "storage/atomic_file.hpp"
#include "storage/error.hpp"

namespace storage {

Descriptor open_plain_file(const std::filesystem::path& file) {
  Descriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (descriptor.get() < 0) fail_with_errno(file, "cannot open", errno);
  struct stat about {};
  if (::fstat(descriptor.get(), &about) != 0) fail_with_errno(file, "cannot read", errno);
  if (S_ISDIR(about.st_mode)) fail_with_errno(file, "expected a file", EISDIR);
  if (!S_ISREG(about.st_mode)) throw Error(file.string() + ": expected a regular file, found a pipe or device");
  return descriptor;
}

}  // namespace storage
