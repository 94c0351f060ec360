// OpenSSL's encoder.
#include "storage/base64.hpp"

#include <openssl/evp.h>

#include <limits>
#include <stdexcept>

namespace storage {

std::string base64(std::string_view bytes) {
  if (bytes.size() > std::numeric_limits<int>::max() / 2) throw std::length_error("base64: more than 1 GB at once");
  std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');  // OpenSSL ends it with a NUL
  const int size =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                      reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(size));
  return text;
}

}  // namespace storage
