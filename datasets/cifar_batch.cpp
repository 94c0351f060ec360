// The binary layout, and what a record's labels may be in either.
#include "datasets/cifar_batch.hpp"

#include <fmt/format.h>

#include "storage/atomic_file.hpp"
#include "storage/error.hpp"

namespace datasets {

namespace fs = std::filesystem;

std::uint8_t checked_class(const std::vector<std::int64_t>& labels, const CifarFormat& format, std::size_t record,
                           const std::string& origin) {
  for (std::size_t k = 0; k < labels.size(); ++k) {
    const CifarLabel& label = format.labels[k];
    const auto most = static_cast<std::int64_t>(label.names.size()) - 1;
    if (labels[k] >= 0 && labels[k] <= most) continue;
    throw storage::Error(
        fmt::format("{}: record {} has {} {}, expected 0 to {}", origin, record, label.name, labels[k], most));
  }
  const auto found = static_cast<std::uint8_t>(labels[0]);
  if (format.class_of.empty()) return found;
  const auto second = static_cast<std::size_t>(labels[1]);
  const std::uint8_t expected = format.class_of[second];
  if (found == expected) return found;
  const CifarLabel& first_label = format.labels[0];
  const CifarLabel& second_label = format.labels[1];
  throw storage::Error(fmt::format("{}: record {} has {} {} ({}) with {} {} ({}), expected {} ({})", origin, record,
                                   second_label.name, second, second_label.names[second], first_label.name, found,
                                   first_label.names[found], expected, first_label.names[expected]));
}

CifarBatch read_binary_batch(const fs::path& file, const CifarFormat& format, std::size_t records) {
  const std::size_t label_count = format.labels.size();
  CifarBatch batch;
  batch.first = label_count;
  batch.stride = label_count + format.row_bytes;
  const std::size_t expected = batch.stride * records;
  const auto check_size = [&](std::uintmax_t found) {
    if (found == expected) return;
    throw storage::UsageError(
        fmt::format("{}: has {} bytes, expected {}: download it again", file.string(), found, expected));
  };
  std::error_code error;
  const std::uintmax_t size = fs::file_size(file, error);
  if (error) storage::fail_with_errno(file, "cannot open", error.value());
  check_size(size);
  batch.bytes = storage::read_regular_file(file, expected);
  check_size(batch.bytes.size());
  std::vector<std::int64_t> labels(label_count);
  for (std::size_t record = 0; record < records; ++record) {
    for (std::size_t k = 0; k < label_count; ++k)
      labels[k] = static_cast<std::uint8_t>(batch.bytes[record * batch.stride + k]);
    try {
      batch.classes.push_back(checked_class(labels, format, record, file.string()));
    } catch (const storage::Error& fault) {
      throw storage::UsageError(fmt::format("{}: download it again", fault.what()));
    }
  }
  return batch;
}

}  // namespace datasets
