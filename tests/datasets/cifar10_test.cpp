#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <memory>
#include <thread>

#include "datasets/dataset.hpp"
#include "storage/error.hpp"
#include "tests/storage/plain_files.hpp"

namespace {

namespace fs = std::filesystem;
using datasets::Image;
using datasets::open_images;
using datasets::Split;
using storage_test::message_of;
using storage_test::TemporaryFolder;
using storage_test::write_plainly;
using testing::HasSubstr;

constexpr std::size_t kRecord = 3073;
constexpr std::uintmax_t kFileBytes = 30'730'000;

/// A file of the right size that is one hole: all labels 0, all pixels black.
void make_batch(const fs::path& file) {
  write_plainly(file, "");
  fs::resize_file(file, kFileBytes);
}

void put(const fs::path& file, std::size_t record, std::size_t offset, std::uint8_t byte) {
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekp(static_cast<std::streamoff>(record * kRecord + offset));
  stream.put(static_cast<char>(byte));
  ASSERT_TRUE(stream.flush());
}

class Cifar10 : public testing::Test {
 protected:
  Cifar10() {
    make_batch(batches_ / "test_batch.bin");
    for (int k = 1; k <= 5; ++k) make_batch(batches_ / ("data_batch_" + std::to_string(k) + ".bin"));
  }
  std::string refusal(const fs::path& root) {
    return message_of<storage::UsageError>([&] { open_images(spec_, root); });
  }
  std::unique_ptr<datasets::Images> open(const fs::path& root) { return open_images(spec_, root); }

  TemporaryFolder folder_;
  fs::path batches_ = folder_ / "cifar-10-batches-bin";
  sweeps::DatasetSpec spec_{.id = "cifar10", .kind = "cifar10"};
};

TEST_F(Cifar10, GivesRowsInTheOrderOfItsFiles) {
  put(batches_ / "data_batch_1.bin", 9999, 0, 3);
  put(batches_ / "data_batch_2.bin", 0, 0, 9);
  put(batches_ / "test_batch.bin", 17, 0, 5);
  const auto data = open(folder_.path());
  EXPECT_EQ(data->size(Split::train), 50'000);
  EXPECT_EQ(data->size(Split::test), 10'000);
  EXPECT_EQ(data->label(Split::train, 9999), 3);
  EXPECT_EQ(data->label(Split::train, 10'000), 9);
  EXPECT_EQ(data->label(Split::test, 17), 5);
  EXPECT_EQ(data->row_id(Split::train, 10'000), "data_batch_2.bin#0");
  EXPECT_EQ(data->row_id(Split::test, 17), "test_batch.bin#17");
  EXPECT_THAT(data->classes(), testing::ElementsAre("airplane", "automobile", "bird", "cat", "deer", "dog", "frog",
                                                    "horse", "ship", "truck"));
  EXPECT_FALSE(data->may_differ_in_size());
}

TEST_F(Cifar10, TurnsPlanesIntoPixels) {
  // Row 2 of batch 5: pixel (x 1, y 2) has red 10, green 20, blue 30.
  const std::size_t pixel = 2 * 32 + 1;
  put(batches_ / "data_batch_5.bin", 2, 1 + pixel, 10);
  put(batches_ / "data_batch_5.bin", 2, 1 + 1024 + pixel, 20);
  put(batches_ / "data_batch_5.bin", 2, 1 + 2048 + pixel, 30);
  const auto data = open(batches_);  // the folder itself will do as well
  const Image image = data->read(Split::train, 40'002);
  EXPECT_EQ(image.width, 32);
  EXPECT_EQ(image.height, 32);
  std::vector<std::uint8_t> expected(3072, 0);
  expected[3 * pixel] = 10;
  expected[3 * pixel + 1] = 20;
  expected[3 * pixel + 2] = 30;
  EXPECT_EQ(image.rgb, expected);
}

TEST_F(Cifar10, IsReadByManyThreadsAtOnce) {
  for (std::size_t record = 0; record < 64; ++record)
    put(batches_ / "test_batch.bin", record, 1, static_cast<std::uint8_t>(record));
  const auto data = open(batches_);
  std::vector<int> wrong(4, 0);
  {
    std::vector<std::jthread> threads;
    for (std::size_t k = 0; k < 4; ++k) {
      threads.emplace_back([&, k] {
        for (std::int64_t i = 0; i < 64; ++i) wrong[k] += data->read(Split::test, i).rgb[0] == i ? 0 : 1;
      });
    }
  }
  EXPECT_THAT(wrong, testing::Each(0));
}

TEST_F(Cifar10, SaysHowManyBytesAreMissing) {
  fs::resize_file(batches_ / "data_batch_3.bin", kFileBytes - 1);
  EXPECT_EQ(refusal(batches_),
            (batches_ / "data_batch_3.bin").string() + ": has 30729999 bytes, expected 30730000: download it again");
}

TEST_F(Cifar10, NamesTheRecordOfAWrongLabel) {
  put(batches_ / "data_batch_4.bin", 77, 0, 10);
  EXPECT_EQ(refusal(batches_),
            (batches_ / "data_batch_4.bin").string() + ": record 77 has label 10, expected 0 to 9: download it again");
}

TEST_F(Cifar10, NamesAMissingFile) {
  fs::remove(batches_ / "test_batch.bin");
  EXPECT_THAT(refusal(batches_), HasSubstr((batches_ / "test_batch.bin").string() + ": missing"));
}

TEST_F(Cifar10, NoticesAFileThatChangedUnderIt) {
  const auto data = open(batches_);
  put(batches_ / "test_batch.bin", 5, 0, 1);
  EXPECT_THAT(message_of<storage::Error>([&] { data->read(Split::test, 0); }), HasSubstr("test_batch.bin: changed"));
  fs::resize_file(batches_ / "data_batch_1.bin", 5);
  EXPECT_THAT(message_of<storage::Error>([&] { data->read(Split::train, 0); }),
              HasSubstr("data_batch_1.bin: has 5 bytes"));
}

TEST_F(Cifar10, HasAStampThatFollowsItsFiles) {
  const auto touch = [&](long nanoseconds) {
    const timespec times[2] = {{0, UTIME_OMIT}, {1'000'000'000, nanoseconds}};
    ASSERT_EQ(::utimensat(AT_FDCWD, (batches_ / "data_batch_2.bin").c_str(), times, 0), 0);
  };
  touch(1);
  const auto data = open(batches_);
  const std::string stamp = data->stamp();
  EXPECT_EQ(stamp.size(), 64u);
  EXPECT_EQ(open(folder_.path())->stamp(), stamp);  // the same files
  touch(2);
  EXPECT_NE(data->stamp(), stamp);
}

TEST(Cifar10Folder, SaysThatThePythonVersionIsTheWrongOne) {
  const TemporaryFolder folder;
  write_plainly(folder / "cifar-10-batches-py/data_batch_1", "pickle");
  const sweeps::DatasetSpec spec{.id = "cifar10", .kind = "cifar10"};
  for (const fs::path& root : {folder.path(), folder / "cifar-10-batches-py"}) {
    const std::string message = message_of<storage::UsageError>([&] { open_images(spec, root); });
    EXPECT_THAT(message, HasSubstr("holds the Python version of CIFAR-10"));
    EXPECT_THAT(message, HasSubstr("cifar-10-binary.tar.gz with --data cifar10=PATH"));
  }
}

TEST(Cifar10Folder, SaysWhatWasExpectedInAnotherFolder) {
  const TemporaryFolder folder;
  const sweeps::DatasetSpec spec{.id = "mine", .kind = "cifar10"};
  const auto message = [&](const fs::path& root) {
    return message_of<storage::UsageError>([&] { open_images(spec, root); });
  };
  write_plainly(folder / "cifar-10-binary.tar.gz", "x");
  EXPECT_THAT(message(folder.path()), HasSubstr("data_batch_1.bin to data_batch_5.bin, test_batch.bin"));
  EXPECT_THAT(message(folder / "missing"),
              HasSubstr("no such folder for data set mine: give its folder with --data mine=PATH"));
  EXPECT_THAT(message(folder / "cifar-10-binary.tar.gz"),
              HasSubstr("is a file, expected a folder (unpack an archive first)"));
  EXPECT_THAT(message(""),
              HasSubstr("data set mine (cifar10): no folder known: give its folder with --data mine=PATH"));
}

}  // namespace
