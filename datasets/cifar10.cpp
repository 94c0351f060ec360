// Reads CIFAR-10's binary files: records of one label byte and 3 planes (red, green, blue) of 32 x 32 bytes.
// Knows nothing of rows that a sweep leaves out.
#include "datasets/cifar10.hpp"

#include <array>
#include <mutex>
#include <string_view>

#include "datasets/stamp.hpp"
#include "storage/atomic_file.hpp"
#include "storage/error.hpp"

namespace datasets {
namespace {

namespace fs = std::filesystem;

constexpr int kSide = 32;
constexpr std::size_t kPlane = kSide * kSide;
constexpr std::size_t kRecord = 1 + 3 * kPlane;
constexpr std::int64_t kRecordsPerFile = 10'000;
constexpr std::size_t kFileBytes = kRecord * kRecordsPerFile;
const std::vector<std::string> kTrainFiles = {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin",
                                              "data_batch_4.bin", "data_batch_5.bin"};
const std::vector<std::string> kTestFiles = {"test_batch.bin"};
const std::vector<std::string> kClasses = {"airplane", "automobile", "bird",  "cat",  "deer",
                                           "dog",      "frog",       "horse", "ship", "truck"};

/// The whole file, if its size is right.
std::string read_batch(const fs::path& file) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(file, error);
  if (error) storage::fail_with_errno(file, "cannot open", error.value());
  const auto refuse = [&](std::uintmax_t found) {
    throw storage::UsageError(file.string() + ": has " + std::to_string(found) + " bytes, expected " +
                              std::to_string(kFileBytes) + ": download it again");
  };
  if (size != kFileBytes) refuse(size);
  std::string bytes = storage::read_regular_file(file, kFileBytes);
  if (bytes.size() != kFileBytes) refuse(bytes.size());
  return bytes;
}

class Cifar10 : public Images {
 public:
  explicit Cifar10(fs::path folder) : folder_(std::move(folder)) {
    for (const Split split : {Split::train, Split::test}) read_labels(split);
  }

  const std::vector<std::string>& classes() const override { return kClasses; }
  std::int64_t size(Split split) const override { return static_cast<std::int64_t>(of(split).labels.size()); }
  int label(Split split, std::int64_t i) const override { return of(split).labels.at(static_cast<std::size_t>(i)); }
  std::string row_id(Split split, std::int64_t i) const override {
    return files(split).at(static_cast<std::size_t>(i / kRecordsPerFile)) + "#" + std::to_string(i % kRecordsPerFile);
  }
  Image read(Split split, std::int64_t i) const override;
  std::string stamp() const override {
    std::vector<std::string> paths = kTrainFiles;
    paths.insert(paths.end(), kTestFiles.begin(), kTestFiles.end());
    return stamp_of("cifar10", folder_, paths);
  }
  bool may_differ_in_size() const override { return false; }

 private:
  struct Part {
    std::vector<std::uint8_t> labels;
    std::vector<std::string> files;  ///< each file's bytes, read at the first read()
    std::once_flag loading;
  };

  static const std::vector<std::string>& files(Split split) { return split == Split::train ? kTrainFiles : kTestFiles; }
  Part& of(Split split) const { return parts_[split == Split::train ? 0 : 1]; }
  void read_labels(Split split);
  void load(Split split) const;

  fs::path folder_;
  mutable std::array<Part, 2> parts_;
};

void Cifar10::read_labels(Split split) {
  for (const std::string& name : files(split)) {
    const std::string bytes = read_batch(folder_ / name);
    for (std::size_t record = 0; record < static_cast<std::size_t>(kRecordsPerFile); ++record) {
      const auto label = static_cast<std::uint8_t>(bytes[record * kRecord]);
      if (label >= kClasses.size()) {
        throw storage::UsageError((folder_ / name).string() + ": record " + std::to_string(record) + " has label " +
                                  std::to_string(label) + ", expected 0 to 9: download it again");
      }
      of(split).labels.push_back(label);
    }
  }
}

void Cifar10::load(Split split) const {
  std::vector<std::string> loaded;
  for (const std::string& name : files(split)) {
    const std::size_t first = loaded.size() * static_cast<std::size_t>(kRecordsPerFile);
    loaded.push_back(read_batch(folder_ / name));
    for (std::size_t record = 0; record < static_cast<std::size_t>(kRecordsPerFile); ++record) {
      const auto label = static_cast<std::uint8_t>(loaded.back()[record * kRecord]);
      if (label == of(split).labels[first + record]) continue;
      throw storage::Error((folder_ / name).string() + ": changed while it was in use: run again");
    }
  }
  of(split).files = std::move(loaded);
}

Image Cifar10::read(Split split, std::int64_t i) const {
  std::call_once(of(split).loading, [&] { load(split); });
  const std::string& file = of(split).files.at(static_cast<std::size_t>(i / kRecordsPerFile));
  const char* planes = file.data() + static_cast<std::size_t>(i % kRecordsPerFile) * kRecord + 1;
  Image image{kSide, kSide, std::vector<std::uint8_t>(3 * kPlane)};
  for (std::size_t pixel = 0; pixel < kPlane; ++pixel) {
    for (std::size_t channel = 0; channel < 3; ++channel) {
      image.rgb[3 * pixel + channel] = static_cast<std::uint8_t>(planes[channel * kPlane + pixel]);
    }
  }
  return image;
}

[[noreturn]] void refuse_folder(const std::string& id, const fs::path& root) {
  const std::string how = "give the unpacked cifar-10-binary.tar.gz with --data " + id + "=PATH";
  for (const fs::path& folder : {root, root / "cifar-10-batches-py"}) {
    if (!fs::exists(folder / "data_batch_1")) continue;
    throw storage::UsageError(folder.string() + ": holds the Python version of CIFAR-10 (data_batch_1), expected the " +
                              "binary version (data_batch_1.bin): " + how);
  }
  throw storage::UsageError(root.string() + ": expected CIFAR-10's binary version here (data_batch_1.bin to " +
                            "data_batch_5.bin, test_batch.bin) or in cifar-10-batches-bin: " + how);
}

}  // namespace

std::unique_ptr<Images> open_cifar10(const std::string& id, const fs::path& root) {
  const auto holds_any = [](const fs::path& folder) {
    for (const std::string& name : kTrainFiles) {
      if (fs::exists(folder / name)) return true;
    }
    return fs::exists(folder / kTestFiles[0]);
  };
  fs::path folder = root;
  if (!holds_any(folder)) folder = root / "cifar-10-batches-bin";
  if (!holds_any(folder)) refuse_folder(id, root);
  for (const std::vector<std::string>* names : {&kTrainFiles, &kTestFiles}) {
    for (const std::string& name : *names) {
      if (fs::exists(folder / name)) continue;
      throw storage::UsageError((folder / name).string() + ": missing from CIFAR-10's binary version: unpack " +
                                "cifar-10-binary.tar.gz again");
    }
  }
  return std::make_unique<Cifar10>(folder);
}

}  // namespace datasets
