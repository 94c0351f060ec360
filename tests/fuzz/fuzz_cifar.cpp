// Fuzzes the reader of numpy pickles, and on it that of CIFAR's Python layout in small: 3 records of 8 bytes. The same
// bytes are read as a file of CIFAR-10 and as one of CIFAR-100; what comes out goes through the invariants of tensors.
// $PLANTED_FAULT=rows: the rows of a file that is read are said to lie behind its end.
#include <cstdlib>

#include "datasets/cifar_batch.hpp"
#include "storage/numpy_pickle.hpp"
#include "tests/fuzz/invariants.hpp"
#include "tests/fuzz/mutation.hpp"

namespace {

constexpr std::size_t kRecords = 3, kRowBytes = 8;

datasets::CifarFormat ten() {
  datasets::CifarFormat format;
  format.name = "CIFAR-10";
  format.labels = {{"labels", "label", std::vector<std::string>(10, "name")}};
  format.row_bytes = kRowBytes;
  return format;
}

/// Fine labels 0, 81 and 99 are in coarse classes 4, 19 and 13, as the fixtures have them; all others in 0.
datasets::CifarFormat hundred() {
  datasets::CifarFormat format;
  format.name = "CIFAR-100";
  format.labels = {{"coarse_labels", "coarse label", std::vector<std::string>(20, "coarse")},
                   {"fine_labels", "fine label", std::vector<std::string>(100, "fine")}};
  format.class_of.resize(100);
  format.class_of[0] = 4;
  format.class_of[81] = 19;
  format.class_of[99] = 13;
  format.row_bytes = kRowBytes;
  return format;
}

/// Every array of a pickle, whatever its shape.
std::vector<plume::WeightTensor> read_arrays(std::string_view bytes, const std::string& origin) {
  const storage::NumpyPickle pickle = storage::read_numpy_pickle(bytes, origin);
  std::vector<plume::WeightTensor> arrays;
  for (const storage::NumpyBytes& array : pickle.arrays)
    arrays.push_back({std::to_string(arrays.size()), plume::Dtype::uint8, array.shape, std::string(array.bytes)});
  return arrays;
}

/// The rows and classes of a batch, each row copied from where the batch says that it lies.
std::vector<plume::WeightTensor> read_as(const datasets::CifarFormat& format, std::string_view bytes,
                                         const std::string& origin) {
  auto batch = datasets::parse_python_batch(std::string(bytes), origin, format, kRecords);
  for (const std::uint8_t found : batch.classes)
    if (found >= format.labels[0].names.size()) fuzz::finding("a class beyond the last");
  static const bool kPlanted = std::getenv("PLANTED_FAULT") != nullptr;
  if (kPlanted) batch.first = batch.bytes.size();
  std::string rows;
  for (std::size_t i = 0; i < kRecords; ++i) {
    if (batch.first + i * batch.stride + kRowBytes > batch.bytes.size()) fuzz::finding("a row beyond the bytes");
    rows.append(batch.row(i), kRowBytes);
  }
  const std::string classes(batch.classes.begin(), batch.classes.end());
  return {{"rows", plume::Dtype::uint8, {kRecords, kRowBytes}, rows},
          {"classes", plume::Dtype::uint8, {kRecords}, classes}};
}

void check(const fuzz::Read& read, std::string_view bytes) {
  fuzz::check_reader(read, bytes, (std::size_t{256} << 10) + 256 * bytes.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const datasets::CifarFormat kTen = ten(), kHundred = hundred();
  const std::string_view bytes = fuzz::as_bytes(data, size);
  check(read_arrays, bytes);
  for (const auto* format : {&kTen, &kHundred}) {
    check([&](std::string_view some, const std::string& origin) { return read_as(*format, some, origin); }, bytes);
  }
  return 0;
}
