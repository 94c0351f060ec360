// Feature files whose rows are images: what is written reads back, and nothing else is taken for images.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include "storage/error.hpp"
#include "storage/feature_file.hpp"
#include "tests/storage/plain_files.hpp"

namespace {

namespace fs = std::filesystem;
using storage::FeatureTable;
using storage::read_feature_file;
using storage::RowKind;
using storage::write_feature_file;
using storage_test::message_of;
using storage_test::read_plainly;
using storage_test::TemporaryFolder;
using storage_test::write_plainly;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

/// Byte i of all rows is i * 7 modulo 256.
FeatureTable two_images() {
  FeatureTable table;
  table.identity = "{}";
  table.row_count = 2;
  table.row_length = storage::kImageLength;
  std::vector<std::uint8_t> bytes(2 * storage::kImageLength);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * 7);
  table.rows = bytes;
  table.labels = {0, 1};
  table.ids = {"a", "b"};
  table.classes = {"cat", "dog"};
  return table;
}

std::vector<std::uint8_t>& bytes_of(FeatureTable& table) {
  return std::get<std::vector<std::uint8_t>>(table.rows);
}

TEST(ImageFile, GivesBackWhatWasWritten) {
  const TemporaryFolder folder;
  const FeatureTable table = two_images();
  const std::string checksum = write_feature_file(folder / "1.h5", table);
  EXPECT_EQ(checksum, storage::payload_checksum(table));
  const FeatureTable read = read_feature_file(folder / "1.h5", RowKind::images, "{}");
  EXPECT_EQ(read.images(), table.images());
  EXPECT_EQ(read.kind(), RowKind::images);
  EXPECT_EQ(read.row_length, 3072);
  EXPECT_EQ(read.labels, table.labels);
  EXPECT_EQ(read.ids, table.ids);
  EXPECT_EQ(read.classes, table.classes);
  const storage::FeatureHeader header = storage::read_feature_header(folder / "1.h5");
  EXPECT_EQ(header.kind, RowKind::images);
  EXPECT_EQ(header.row_count, 2);
  EXPECT_EQ(header.row_length, 3072);
  EXPECT_EQ(header.checksum, checksum);
}

TEST(ImageFile, MayHaveNoRows) {
  const TemporaryFolder folder;
  FeatureTable table = two_images();
  table.row_count = 0;
  bytes_of(table).clear();
  table.labels.clear();
  table.ids.clear();
  write_feature_file(folder / "1.h5", table);
  EXPECT_EQ(read_feature_file(folder / "1.h5", RowKind::images, "{}").row_count, 0);
}

TEST(ImageFile, HoldsTheRowsAsPlainBytes) {
  const TemporaryFolder folder;
  const FeatureTable table = two_images();
  write_feature_file(folder / "1.h5", table);
  const std::string bytes(table.images().begin(), table.images().end());
  EXPECT_THAT(read_plainly(folder / "1.h5"), HasSubstr(bytes));
}

TEST(ImageFile, HasAChecksumOfEveryByteAndIsNoFeatureFileOfTheSameBytes) {
  const std::string checksum = storage::payload_checksum(two_images());
  FeatureTable changed = two_images();
  bytes_of(changed).back() ^= 1;
  EXPECT_NE(checksum, storage::payload_checksum(changed));
  FeatureTable as_features = two_images();
  as_features.rows = std::vector<float>(2 * storage::kImageLength / sizeof(float), 0);
  FeatureTable black = two_images();
  bytes_of(black).assign(2 * storage::kImageLength, 0);
  EXPECT_NE(storage::payload_checksum(black), storage::payload_checksum(as_features));
}

TEST(ImageFile, IsRefusedWhereFeaturesAreExpectedAndTheReverse) {
  const TemporaryFolder folder;
  write_feature_file(folder / "images.h5", two_images());
  EXPECT_EQ(message_of<storage::Error>([&] { read_feature_file(folder / "images.h5", RowKind::features, "{}"); }),
            (folder / "images.h5").string() +
                ": of another feature set: expected features ([N, L] float32), found images ([N, 3, 32, 32] uint8)");
  FeatureTable features = two_images();
  features.row_length = 2;
  features.rows = std::vector<float>(4);
  write_feature_file(folder / "features.h5", features);
  EXPECT_EQ(message_of<storage::Error>([&] { read_feature_file(folder / "features.h5", RowKind::images, "{}"); }),
            (folder / "features.h5").string() +
                ": of another feature set: expected images ([N, 3, 32, 32] uint8), found features ([N, L] float32)");
}

TEST(ImageFile, DoesNotStandInForFeaturesOfTheSameIdentity) {
  const TemporaryFolder folder;
  write_feature_file(folder / "1.h5", two_images());
  FeatureTable features = two_images();
  features.rows = std::vector<float>(2 * storage::kImageLength);
  EXPECT_THAT(message_of<storage::Error>([&] { write_feature_file(folder / "1.h5", features); }),
              HasSubstr("another feature set"));
}

TEST(ImageFile, IsNotWrittenWhereItsPartsDoNotFit) {
  const TemporaryFolder folder;
  const auto refused = [&](auto change) {
    FeatureTable table = two_images();
    change(table);
    EXPECT_THROW(write_feature_file(folder / "1.h5", table), storage::Error);
  };
  refused([](FeatureTable& t) { bytes_of(t).pop_back(); });
  refused([](FeatureTable& t) { t.row_length = 1536, t.row_count = 4; });
  refused([](FeatureTable& t) { t.labels.pop_back(); });
  refused([](FeatureTable& t) { t.labels[1] = 2; });
  EXPECT_EQ(folder.entry_count(), 0);
}

/// One good file, opened for HDF5 to spoil it; then read.
class ForeignImageFile : public testing::Test {
 protected:
  ForeignImageFile() {
    write_feature_file(file_, two_images());
    id_ = H5Fopen(file_.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  }
  /// Other rows, whose place in the file is taken at once unless `late`.
  void replace_rows(hid_t type, const std::vector<hsize_t>& sizes, bool late = false) {
    H5Ldelete(id_, "rows", H5P_DEFAULT);
    const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    if (!late) H5Pset_alloc_time(how, H5D_ALLOC_TIME_EARLY);
    const hid_t space = H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr);
    const hid_t dataset = H5Dcreate2(id_, "rows", type, space, H5P_DEFAULT, how, H5P_DEFAULT);
    ASSERT_GE(dataset, 0);
    H5Dclose(dataset);
    H5Sclose(space);
    H5Pclose(how);
  }
  std::string refusal() {
    H5Fclose(id_);
    const std::string message = message_of<storage::Error>([&] { read_feature_file(file_, RowKind::images, "{}"); });
    EXPECT_THAT(message, AllOf(StartsWith(file_.string() + ": "), Not(HasSubstr("\n"))));
    EXPECT_THROW(storage::read_feature_header(file_), storage::Error);
    return message;
  }

  TemporaryFolder folder_;
  fs::path file_ = folder_ / "1.h5";
  hid_t id_ = H5I_INVALID_HID;
};

TEST_F(ForeignImageFile, IsRefusedWithImagesOfAnotherShape) {
  replace_rows(H5T_STD_U8LE, {2, 32, 32, 3});
  EXPECT_THAT(refusal(), HasSubstr("rows are images of another size than [3, 32, 32]"));
}

TEST_F(ForeignImageFile, IsRefusedWithBytesInATable) {
  replace_rows(H5T_STD_U8LE, {2, 3072});
  EXPECT_THAT(refusal(), HasSubstr("rows has another number of dimensions"));
}

TEST_F(ForeignImageFile, IsRefusedWithFeaturesInFourDimensions) {
  replace_rows(H5T_IEEE_F32LE, {2, 3, 32, 32});
  EXPECT_THAT(refusal(), HasSubstr("rows has another number of dimensions"));
}

TEST_F(ForeignImageFile, IsRefusedWithSignedBytes) {
  replace_rows(H5T_STD_I8LE, {2, 3, 32, 32});
  EXPECT_THAT(refusal(), HasSubstr("rows has another number type"));
}

TEST_F(ForeignImageFile, IsRefusedBeforeMemoryIsTakenForImpossibleSizes) {
  replace_rows(H5T_STD_U8LE, {hsize_t{1} << 40, 3, 32, 32}, true);
  EXPECT_THAT(refusal(), HasSubstr("rows is said to be larger than the file"));
}

TEST_F(ForeignImageFile, IsRefusedWhereBytesWereNeverWritten) {
  replace_rows(H5T_STD_U8LE, {2, 3, 32, 32}, true);
  EXPECT_THAT(refusal(), HasSubstr("rows is not wholly in the file"));
}

TEST_F(ForeignImageFile, IsRefusedInVersion1WhichHadNoImages) {
  const std::int32_t version = 1;
  const hid_t attribute = H5Aopen(id_, "version", H5P_DEFAULT);
  ASSERT_GE(H5Awrite(attribute, H5T_NATIVE_INT32, &version), 0);
  H5Aclose(attribute);
  EXPECT_THAT(refusal(), HasSubstr("rows are images, which version 1 did not have"));
}

/// Its header is sound: only reading the bytes shows it.
TEST(ImageFile, IsRefusedWithAChangedByte) {
  const TemporaryFolder folder;
  const FeatureTable table = two_images();
  write_feature_file(folder / "1.h5", table);
  std::string bytes = read_plainly(folder / "1.h5");
  const std::string rows(table.images().begin(), table.images().end());
  bytes[bytes.find(rows) + 5000] ^= 4;
  write_plainly(folder / "1.h5", bytes);
  EXPECT_THAT(message_of<storage::Error>([&] { read_feature_file(folder / "1.h5", RowKind::images, "{}"); }),
              HasSubstr("checksum is "));
}

}  // namespace
