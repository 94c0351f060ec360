#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "datasets/dataset.hpp"
#include "storage/error.hpp"
#include "tests/datasets/cifar_files.hpp"
#include "tests/storage/plain_files.hpp"

namespace {

namespace fs = std::filesystem;
using datasets::Split;
using datasets_test::CifarFile;
using datasets_test::kCifarRow;
using datasets_test::make_binary_batch;
using datasets_test::make_python_batch;
using storage_test::message_of;
using storage_test::write_plainly;
using testing::HasSubstr;

/// The Python layout; fine labels 0 to 99 in turn.
class Cifar100 : public testing::Test {
 protected:
  Cifar100() {
    for (std::size_t i = 0; i < 50'000; ++i) {
      fine_.push_back(static_cast<std::uint8_t>(i % 100));
      coarse_.push_back(datasets_test::kCoarseOfFine[i % 100]);
    }
    train_ = make("train", 50'000);
    test_ = make("test", 10'000);
  }
  CifarFile make(const char* name, std::size_t records) {
    const auto begin = [&](const auto& labels) {
      return std::vector<std::uint8_t>(labels.begin(), labels.begin() + static_cast<std::ptrdiff_t>(records));
    };
    return make_python_batch(python_ / name, records,
                             {{"fine_labels", begin(fine_)}, {"coarse_labels", begin(coarse_)}});
  }
  std::unique_ptr<datasets::Images> open(const fs::path& root) { return datasets::open_images(spec_, root); }
  std::string refusal(const fs::path& root) {
    return message_of<storage::UsageError>([&] { open(root); });
  }

  storage_test::TemporaryFolder folder_;
  fs::path binary_ = folder_ / "cifar-100-binary", python_ = folder_ / "cifar-100-python";
  std::vector<std::uint8_t> fine_, coarse_;
  CifarFile train_, test_;
  sweeps::DatasetSpec spec_{.id = "mine", .kind = "cifar100"};
};

/// The rows of a Python file in the binary layout.
void write_binary(const fs::path& file, const CifarFile& python, const std::vector<std::uint8_t>& coarse,
                  const std::vector<std::uint8_t>& fine, std::size_t records) {
  const std::string rows = storage_test::read_plainly(python.path);
  std::string bytes;
  bytes.reserve(records * (2 + kCifarRow));
  for (std::size_t i = 0; i < records; ++i) {
    bytes += static_cast<char>(coarse[i]);
    bytes += static_cast<char>(fine[i]);
    bytes.append(rows, python.first + i * kCifarRow, kCifarRow);
  }
  write_plainly(file, bytes);
}

TEST_F(Cifar100, GivesTheSameRowsInBothLayouts) {
  put(train_, 49'998, 0, 7);
  put(test_, 9'999, 3'071, 8);
  write_binary(binary_ / "train.bin", train_, coarse_, fine_, 50'000);
  write_binary(binary_ / "test.bin", test_, coarse_, fine_, 10'000);
  const auto binary = open(folder_.path()), python = open(python_);  // of both, the binary one
  EXPECT_EQ(binary->row_id(Split::train, 49'999), "train.bin#49999");
  EXPECT_EQ(python->row_id(Split::test, 17), "test#17");
  for (const auto* data : {binary.get(), python.get()}) {
    EXPECT_EQ(data->size(Split::train), 50'000);
    EXPECT_EQ(data->size(Split::test), 10'000);
    EXPECT_THAT(rows_of_classes(*data, Split::train), testing::Each(2'500));
    EXPECT_THAT(rows_of_classes(*data, Split::test), testing::Each(500));
    for (const std::int64_t fine : {0, 99, 54})
      EXPECT_EQ(data->label(Split::train, 300 + fine), datasets_test::kCoarseOfFine[fine]);
    EXPECT_EQ(data->read(Split::train, 49'998).rgb[0], 7);
    EXPECT_EQ(data->read(Split::test, 9'999).rgb[3'071], 8);
    EXPECT_EQ(data->read(Split::test, 9'998).rgb, std::vector<std::uint8_t>(kCifarRow, 0));
  }
  EXPECT_NE(binary->stamp(), python->stamp());
}

TEST_F(Cifar100, HasTheSuperclassesAsClasses) {
  EXPECT_THAT(open(python_)->classes(),
              testing::ElementsAre("aquatic_mammals", "fish", "flowers", "food_containers", "fruit_and_vegetables",
                                   "household_electrical_devices", "household_furniture", "insects", "large_carnivores",
                                   "large_man-made_outdoor_things", "large_natural_outdoor_scenes",
                                   "large_omnivores_and_herbivores", "medium_mammals", "non-insect_invertebrates",
                                   "people", "reptiles", "small_mammals", "trees", "vehicles_1", "vehicles_2"));
}

TEST_F(Cifar100, RefusesLabelsThatContradictOneAnother) {
  coarse_[77] = 5;
  make("train", 50'000);
  EXPECT_EQ(refusal(folder_.path()),
            (python_ / "train").string() +
                ": record 77 has fine label 77 (snail) with coarse label 5 (household_electrical_devices), expected 13 "
                "(non-insect_invertebrates): expected a file of CIFAR-100's Python version: download it again");
  make_binary_batch(binary_ / "train.bin", 50'000, 2);
  make_binary_batch(binary_ / "test.bin", 10'000, 2);
  EXPECT_EQ(refusal(binary_), (binary_ / "train.bin").string() +
                                  ": record 0 has fine label 0 (apple) with coarse label 0 (aquatic_mammals), expected "
                                  "4 (fruit_and_vegetables): download it again");
}

TEST_F(Cifar100, RefusesLabelsOutOfRange) {
  const CifarFile file = make_binary_batch(binary_ / "train.bin", 50'000, 2);
  make_binary_batch(binary_ / "test.bin", 10'000, 2);
  put(file, 0, -2, 20);
  EXPECT_THAT(refusal(binary_), HasSubstr("train.bin: record 0 has coarse label 20, expected 0 to 19"));
  put(file, 0, -2, 19);
  put(file, 0, -1, 100);
  EXPECT_THAT(refusal(binary_), HasSubstr("train.bin: record 0 has fine label 100, expected 0 to 99"));
}

TEST_F(Cifar100, NamesAFileOfAnotherSize) {
  make_binary_batch(binary_ / "train.bin", 49'999, 2);
  make_binary_batch(binary_ / "test.bin", 10'000, 2);
  EXPECT_EQ(refusal(binary_),
            (binary_ / "train.bin").string() + ": has 153696926 bytes, expected 153700000: download it again");
  fs::remove(binary_ / "test.bin");
  EXPECT_EQ(refusal(binary_), (binary_ / "test.bin").string() + ": missing: unpack cifar-100-binary.tar.gz again");
}

TEST_F(Cifar100, RefusesOtherNamesOfSuperclasses) {
  make_binary_batch(binary_ / "train.bin", 50'000, 2);
  make_binary_batch(binary_ / "test.bin", 10'000, 2);
  write_plainly(binary_ / "coarse_label_names.txt", "aquatic_mammals\nflowers\n");
  EXPECT_EQ(refusal(binary_), (binary_ / "coarse_label_names.txt").string() +
                                  ": class 1 is \"flowers\", expected \"fish\": unpack cifar-100-binary.tar.gz again");
}

TEST_F(Cifar100, SaysWhatWasExpectedInAFolderOfImages) {
  write_plainly(folder_ / "images/train/cat/1.jpg", "x");
  write_plainly(folder_ / "images/test/cat/1.jpg", "x");
  EXPECT_EQ(
      refusal(folder_ / "images"),
      (folder_ / "images").string() +
          ": expected CIFAR-100's binary version (train.bin, test.bin) here or in cifar-100-binary, or its Python "
          "version (train, test) here or in cifar-100-python: give the unpacked cifar-100-binary.tar.gz or "
          "cifar-100-python.tar.gz with --data mine=PATH");
}

}  // namespace
