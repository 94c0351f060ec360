#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <memory>
#include <thread>

#include "datasets/dataset.hpp"
#include "storage/error.hpp"
#include "tests/datasets/cifar_files.hpp"
#include "tests/storage/plain_files.hpp"

namespace {

namespace fs = std::filesystem;
using datasets::Image;
using datasets::open_images;
using datasets::Split;
using datasets_test::kCifarRow;
using datasets_test::make_binary_batch;
using datasets_test::make_python_batch;
using storage_test::message_of;
using storage_test::TemporaryFolder;
using storage_test::write_plainly;
using testing::HasSubstr;

constexpr std::uintmax_t kFileBytes = 30'730'000;

class Cifar10 : public testing::Test {
 protected:
  Cifar10() {
    make_binary_batch(batches_ / "test_batch.bin", 10'000, 1);
    for (int k = 1; k <= 5; ++k) make_binary_batch(batches_ / ("data_batch_" + std::to_string(k) + ".bin"), 10'000, 1);
  }
  std::string refusal(const fs::path& root) {
    return message_of<storage::UsageError>([&] { open_images(spec_, root); });
  }
  std::unique_ptr<datasets::Images> open(const fs::path& root) { return open_images(spec_, root); }
  /// Byte 0 is the label.
  void put(const fs::path& file, std::size_t record, std::ptrdiff_t offset, std::uint8_t byte) {
    datasets_test::put({file, 1, 3073}, record, offset - 1, byte);
  }

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
  EXPECT_EQ(refusal(batches_),
            (batches_ / "test_batch.bin").string() + ": missing: unpack cifar-10-binary.tar.gz again");
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

TEST_F(Cifar10, RefusesOtherClassNames) {
  const fs::path names = batches_ / "batches.meta.txt";
  const std::string head = "airplane\nautomobile\nbird\ncat\ndeer\ndog\nfrog\nhorse\n";
  const std::string where = names.string() + ": class ";
  const std::string again = ": unpack cifar-10-binary.tar.gz again";
  write_plainly(names, head + "truck\nship\n");
  EXPECT_EQ(refusal(batches_), where + "8 is \"truck\", expected \"ship\"" + again);
  write_plainly(names, head + "ship\n");
  EXPECT_EQ(refusal(batches_), where + "9 is missing, expected \"truck\"" + again);
  write_plainly(names, head + "ship\ntruck\nx\x1b[2J\n");
  EXPECT_EQ(refusal(batches_), where + "10 is \"x?[2J\", expected no more" + again);
  write_plainly(names, head + "ship\r\ntruck\n\n");  // as in the archive, but for one line's end
  EXPECT_EQ(open(batches_)->size(Split::test), 10'000);
}

/// The Python layout, of 10,000 labels 0 to 9 in turn a file.
class Cifar10Python : public Cifar10 {
 protected:
  Cifar10Python() {
    for (std::size_t i = 0; i < 10'000; ++i) labels_.push_back(static_cast<std::uint8_t>(i % 10));
    for (const char* name : {"data_batch_1", "data_batch_2", "data_batch_3", "data_batch_4", "data_batch_5"})
      make_python_batch(python_ / name, 10'000, {{"labels", labels_}});
    make_python_batch(python_ / "test_batch", 10'000, {{"labels", labels_}});
  }

  fs::path python_ = folder_ / "cifar-10-batches-py";
  std::vector<std::uint8_t> labels_;
};

TEST_F(Cifar10Python, GivesTheRowsOfTheBinaryVersion) {
  labels_[17] = 9;
  datasets_test::put(make_python_batch(python_ / "data_batch_2", 10'000, {{"labels", labels_}}), 17, 1024, 255);
  put(batches_ / "data_batch_2.bin", 17, 0, 9);
  put(batches_ / "data_batch_2.bin", 17, 1 + 1024, 255);
  const auto python = open(python_), binary = open(batches_);
  EXPECT_EQ(python->size(Split::train), 50'000);
  EXPECT_EQ(python->size(Split::test), 10'000);
  EXPECT_EQ(python->label(Split::train, 10'017), 9);
  EXPECT_EQ(python->label(Split::train, 10'018), 8);
  EXPECT_EQ(python->label(Split::test, 9'999), 9);
  EXPECT_EQ(python->row_id(Split::train, 10'017), "data_batch_2#17");
  EXPECT_EQ(python->row_id(Split::test, 17), "test_batch#17");
  EXPECT_EQ(python->read(Split::train, 10'017).rgb[1], 255);  // green of the first pixel
  for (const std::int64_t row : {10'016, 10'017, 10'018})
    EXPECT_EQ(python->read(Split::train, row).rgb, binary->read(Split::train, row).rgb) << row;
  EXPECT_EQ(python->read(Split::test, 9'999).rgb, std::vector<std::uint8_t>(kCifarRow, 0));
}

TEST_F(Cifar10Python, IsTakenWhereThereIsNoBinaryVersion) {
  EXPECT_EQ(open(folder_.path())->row_id(Split::train, 0), "data_batch_1.bin#0");
  fs::remove_all(batches_);
  EXPECT_EQ(open(folder_.path())->row_id(Split::train, 0), "data_batch_1#0");
  fs::remove(python_ / "data_batch_3");
  EXPECT_EQ(refusal(folder_.path()),
            (python_ / "data_batch_3").string() + ": missing: unpack cifar-10-python.tar.gz again");
}

TEST_F(Cifar10Python, NamesADamagedFile) {
  const fs::path file = python_ / "data_batch_4";
  const std::string expected = ": expected a file of CIFAR-10's Python version: download it again";
  fs::resize_file(file, fs::file_size(file) - 1);
  EXPECT_EQ(refusal(python_), file.string() + ": truncated: the file ends in the middle of a pickle (near byte " +
                                  std::to_string(fs::file_size(file)) + ")" + expected);
  labels_[77] = 10;
  make_python_batch(file, 10'000, {{"labels", labels_}});
  EXPECT_EQ(refusal(python_), file.string() + ": record 77 has label 10, expected 0 to 9" + expected);
  make_python_batch(file, 10'000, {{"coarse_labels", labels_}});
  EXPECT_EQ(refusal(python_), file.string() + ": has no key \"labels\"" + expected);
  make_python_batch(file, 10'001, {{"labels", labels_}});
  EXPECT_EQ(refusal(python_), file.string() + ": \"data\" has shape [10001, 3072], expected [10000, 3072]" + expected);
  write_plainly(file, "\x80\x02}.");
  EXPECT_THAT(refusal(python_), HasSubstr("data_batch_4: has 4 bytes, expected 30720000 to "));
}

TEST_F(Cifar10Python, RunsNothingThatAFileNames) {
  const fs::path file = python_ / "test_batch", mark = folder_ / "was_here";
  write_plainly(file,
                "\x80\x02"
                "cposix\nsystem\nU" +
                    std::string(1, static_cast<char>(mark.string().size() + 6)) + "touch " + mark.string() + "\x85R.");
  fs::resize_file(file, 30'800'000);
  EXPECT_THAT(refusal(python_), HasSubstr("test_batch: forbidden: it names \"posix.system\""));
  EXPECT_FALSE(fs::exists(mark));
}

TEST_F(Cifar10Python, NoticesAFileThatChangedUnderIt) {
  const auto data = open(python_);
  labels_[5] = 4;
  make_python_batch(python_ / "test_batch", 10'000, {{"labels", labels_}});
  EXPECT_THAT(message_of<storage::Error>([&] { data->read(Split::test, 0); }), HasSubstr("test_batch: changed"));
}

TEST(Cifar10Folder, SaysWhatWasExpectedInAnotherFolder) {
  const TemporaryFolder folder;
  const sweeps::DatasetSpec spec{.id = "mine", .kind = "cifar10"};
  const auto message = [&](const fs::path& root) {
    return message_of<storage::UsageError>([&] { open_images(spec, root); });
  };
  write_plainly(folder / "cifar-10-binary.tar.gz", "x");
  EXPECT_EQ(
      message(folder.path()),
      folder.path().string() +
          ": expected CIFAR-10's binary version (data_batch_1.bin to data_batch_5.bin, test_batch.bin) here or in "
          "cifar-10-batches-bin, or its Python version (data_batch_1 to data_batch_5, test_batch) here or in "
          "cifar-10-batches-py: give the unpacked cifar-10-binary.tar.gz or cifar-10-python.tar.gz with --data "
          "mine=PATH");
  EXPECT_THAT(message(folder / "missing"),
              HasSubstr("no such folder for data set mine: give its folder with --data mine=PATH"));
  EXPECT_THAT(message(folder / "cifar-10-binary.tar.gz"),
              HasSubstr("is a file, expected a folder (unpack an archive first)"));
  EXPECT_THAT(message(""),
              HasSubstr("data set mine (cifar10): no folder known: give its folder with --data mine=PATH"));
}

}  // namespace
