// SHA-256 by OpenSSL's EVP interface, over pieces, texts and files. (CRC-32C: crc32c.cpp.)
#include "storage/digest.hpp"

#include <fcntl.h>
#include <openssl/evp.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "storage/atomic_file.hpp"
#include "storage/descriptor.hpp"
#include "storage/error.hpp"

namespace storage {
namespace {

void check(int status) {
  if (status != 1) throw Error("SHA-256: OpenSSL's libcrypto refused it (is a FIPS or provider setting in the way?)");
}

}  // namespace

struct Sha256::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  ~State() { EVP_MD_CTX_free(context); }
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  check(state_->context != nullptr ? EVP_DigestInit_ex(state_->context, EVP_sha256(), nullptr) : 0);
}
Sha256::~Sha256() = default;

Sha256& Sha256::update(std::string_view bytes) {
  return update(bytes.data(), bytes.size());
}

Sha256& Sha256::update(const void* bytes, std::size_t count) {
  check(EVP_DigestUpdate(state_->context, bytes, count));
  return *this;
}

Sha256Digest Sha256::finish() {
  Sha256Digest digest{};
  unsigned int length = 0;
  check(EVP_DigestFinal_ex(state_->context, digest.data(), &length));
  return digest;
}

Sha256Digest sha256(std::string_view bytes) {
  return Sha256().update(bytes).finish();
}

Sha256Digest sha256_of_file(const std::filesystem::path& file) {
  const Descriptor fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.get() < 0) fail_with_errno(file, "cannot open", errno);
  Sha256 digest;
  std::vector<char> buffer(std::size_t{1} << 20);
  for (;;) {
    const ssize_t count = ::read(fd.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_with_errno(file, "cannot read", errno);
    if (count == 0) return digest.finish();
    digest.update(buffer.data(), static_cast<std::size_t>(count));
  }
}

std::string hex(const Sha256Digest& digest, std::size_t bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < std::min(bytes, digest.size()); ++i) {
    text += kDigits[digest[i] >> 4];
    text += kDigits[digest[i] & 0xF];
  }
  return text;
}

}  // namespace storage
