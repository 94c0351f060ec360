// The safetensors format: u64 header length, a JSON object of names, types, shapes and byte ranges, then the bytes
// without holes.
#include "plume/weights_safetensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "plume/weights_formats.hpp"
#include "storage/json.hpp"

namespace plume {

namespace {

constexpr std::uint64_t kMostHeader = 32 << 20;  // the format allows 100 MB; 100,000 tensors need 6
constexpr std::size_t kMostValues = 1'000'000;   // of the header; a tensor has about ten
constexpr char kMetadata[] = "__metadata__";

struct NamedDtype {
  std::string_view name;
  Dtype dtype;
};
constexpr std::array<NamedDtype, 10> kNames = {{{"F32", Dtype::float32},
                                                {"F64", Dtype::float64},
                                                {"F16", Dtype::float16},
                                                {"BF16", Dtype::bfloat16},
                                                {"I64", Dtype::int64},
                                                {"I32", Dtype::int32},
                                                {"I16", Dtype::int16},
                                                {"I8", Dtype::int8},
                                                {"U8", Dtype::uint8},
                                                {"BOOL", Dtype::boolean}}};

struct Entry {
  WeightTensor tensor;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

Dtype dtype_of(const storage::JsonValue& value) {
  const std::string name = value.string();
  for (const NamedDtype& known : kNames) {
    if (known.name == name) return known.dtype;
  }
  value.fail(
      fmt::format("type {} is not read; expected F32, F64, F16, BF16, I64, I32, I16, I8, U8 or BOOL", shown(name)));
}

Entry read_entry(const std::string& name, const storage::JsonValue& value, std::int64_t data_size) {
  value.allow_only({"dtype", "shape", "data_offsets"});
  Entry entry;
  entry.tensor.name = name;
  entry.tensor.dtype = dtype_of(value.at("dtype"));
  for (const auto& size : value.at("shape").items(kMostDimensions)) entry.tensor.shape.push_back(size.integer(0));
  const auto offsets = value.at("data_offsets").items(2);
  if (offsets.size() != 2) value.fail("expected two data_offsets");
  entry.begin = offsets[0].integer(0, data_size);
  entry.end = offsets[1].integer(entry.begin, data_size);
  const auto count = element_count(entry.tensor.shape);
  const auto bytes =
      count ? checked_product(*count, static_cast<std::int64_t>(size_of(entry.tensor.dtype))) : std::nullopt;
  if (!bytes || *bytes != entry.end - entry.begin)
    value.fail("its shape and type do not give the bytes between its data_offsets");
  return entry;
}

/// The header, parsed, and the bytes after it.
struct Parts {
  storage::JsonValue header;
  std::string_view data;
};

Parts parts_of(std::string_view bytes, const std::string& origin) {
  ByteReader reader(bytes, origin);
  const std::uint64_t header_size = reader.u64("the header's length");
  if (header_size > kMostHeader || header_size > reader.remaining())
    reader.fail(fmt::format("damaged or truncated safetensors file: its header claims {} bytes", header_size));
  auto header = storage::parse_json(reader.take(header_size, "the header"), origin, storage::Blame::run, kMostValues);
  return {std::move(header), reader.take(reader.remaining(), "the data")};
}

std::vector<WeightTensor> tensors_of(const Parts& parts, const std::string& origin) {
  const auto& [header, data] = parts;
  std::vector<Entry> entries;
  for (const auto& [name, value] : header.members()) {
    if (name != kMetadata) entries.push_back(read_entry(name, value, static_cast<std::int64_t>(data.size())));
  }
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  std::int64_t position = 0;  // no holes, no overlaps: each begins where the one before ends
  std::vector<WeightTensor> tensors;
  for (Entry& entry : entries) {
    if (entry.begin != position)
      refuse(origin,
             fmt::format("damaged: tensor {} overlaps another or leaves a hole before it", shown(entry.tensor.name)));
    position = entry.end;
    entry.tensor.bytes = std::string(
        data.substr(static_cast<std::size_t>(entry.begin), static_cast<std::size_t>(entry.end - entry.begin)));
    tensors.push_back(std::move(entry.tensor));
  }
  if (static_cast<std::size_t>(position) != data.size())
    refuse(origin,
           fmt::format("damaged: {} bytes follow the last tensor", data.size() - static_cast<std::size_t>(position)));
  return tensors;
}

}  // namespace

std::vector<WeightTensor> read_safetensors(std::string_view bytes, const std::string& origin) {
  return tensors_of(parts_of(bytes, origin), origin);
}

SafetensorsFile read_safetensors_file(std::string_view bytes, const std::string& origin) {
  const Parts parts = parts_of(bytes, origin);
  SafetensorsFile file;
  if (const auto metadata = parts.header.find(kMetadata)) {
    for (const auto& [name, value] : metadata->members()) file.metadata.emplace_back(name, value.string());
  }
  file.tensors = tensors_of(parts, origin);
  return file;
}

}  // namespace plume
