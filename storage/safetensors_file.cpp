// One pass to hash, one to write: nothing is copied but the header.
#include "storage/safetensors_file.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "storage/atomic_file.hpp"
#include "storage/digest.hpp"
#include "storage/json.hpp"

namespace storage {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are written as little-endian machines keep them");

constexpr std::size_t kAlignment = 8;
constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kDigits = 64;

std::string before_seal() {
  return in_quotes(kSeal) + ":\"";  // quotes within a text are escaped: it is nowhere else
}

void expect_bytes(const Float32Tensor& tensor) {
  std::uint64_t bytes = sizeof(float);
  for (const std::int64_t size : tensor.shape) bytes *= static_cast<std::uint64_t>(size);
  if (bytes != tensor.bytes.size()) throw std::logic_error(tensor.name + ": its bytes do not fit its shape");
}

/// Length and header, with zeros for a seal.
std::string head_of(std::vector<std::pair<std::string, std::string>> metadata,
                    const std::vector<Float32Tensor>& tensors) {
  metadata.emplace_back(kSeal, std::string(kDigits, '0'));
  std::sort(metadata.begin(), metadata.end());
  JsonWriter json;
  json.begin_object().key("__metadata__").begin_object();
  for (const auto& [name, text] : metadata) json.member(name, text);
  json.end_object();
  std::uint64_t position = 0;
  for (const auto& tensor : tensors) {
    expect_bytes(tensor);
    json.key(tensor.name).begin_object().member("dtype", "F32").key("shape").begin_array();
    for (const std::int64_t size : tensor.shape) json.value(size);
    json.end_array().key("data_offsets").begin_array().value(position).value(position + tensor.bytes.size());
    json.end_array().end_object();
    position += tensor.bytes.size();
  }
  std::string header = json.end_object().text();
  header.resize((header.size() + kAlignment - 1) / kAlignment * kAlignment, ' ');
  std::string head;
  for (std::size_t i = 0; i < kLengthBytes; ++i) head += static_cast<char>(header.size() >> (8 * i) & 0xff);
  return head + header;
}

}  // namespace

void write_safetensors(const std::filesystem::path& target, std::vector<std::pair<std::string, std::string>> metadata,
                       const std::vector<Float32Tensor>& tensors) {
  for (const auto& [name, text] : metadata) {
    if (name == kSeal) throw std::logic_error("metadata with a seal of its own");
  }
  std::string head = head_of(std::move(metadata), tensors);
  Sha256 digest;
  digest.update(head);
  for (const auto& tensor : tensors) digest.update(tensor.bytes);
  head.replace(head.find(before_seal()) + before_seal().size(), kDigits, hex(digest.finish()));

  ReplacingFile file(target);
  file.append(head);
  for (const auto& tensor : tensors) file.append(tensor.bytes);
  file.publish();
}

bool is_sealed(std::string_view file) {
  const std::size_t found = file.find(before_seal());
  if (found == std::string_view::npos) return false;
  const std::size_t begin = found + before_seal().size();
  if (file.size() - begin < kDigits) return false;
  Sha256 digest;
  digest.update(file.substr(0, begin)).update(std::string(kDigits, '0')).update(file.substr(begin + kDigits));
  return hex(digest.finish()) == file.substr(begin, kDigits);
}

}  // namespace storage
