// Files that HDF5 opens but our writer never made: each is refused by name before its sizes or links are believed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include "storage/error.hpp"
#include "storage/feature_file.hpp"
#include "tests/storage/plain_files.hpp"

namespace {

namespace fs = std::filesystem;
using storage_test::message_of;
using storage_test::TemporaryFolder;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

/// One good file, opened for HDF5 to spoil it; then read.
class ForeignFeatureFile : public testing::Test {
 protected:
  ForeignFeatureFile() {
    storage::FeatureTable table;
    table.identity = "{}";
    table.row_count = 2;
    table.row_length = 3;
    table.rows = std::vector<float>{1, 2, 3, 4, 5, 6};
    table.labels = {0, 1};
    table.ids = {"a", "b"};
    table.classes = {"cat", "dog"};
    storage::write_feature_file(file_, table);
    id_ = H5Fopen(file_.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  }

  /// Puts another data set in the place of `name`. No values are written: with late allocation none are stored either.
  void replace(const char* name, hid_t type, const std::vector<hsize_t>& sizes, hid_t how = H5P_DEFAULT) {
    H5Ldelete(id_, name, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr);
    const hid_t dataset = H5Dcreate2(id_, name, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
    ASSERT_GE(dataset, 0);
    H5Dclose(dataset);
    H5Sclose(space);
  }
  void set_number(const char* name, std::int32_t value) {
    const hid_t attribute = H5Aopen(id_, name, H5P_DEFAULT);
    ASSERT_GE(H5Awrite(attribute, H5T_NATIVE_INT32, &value), 0);
    H5Aclose(attribute);
  }
  std::string refusal() {
    H5Fclose(id_);
    const std::string message =
        message_of<storage::Error>([&] { storage::read_feature_file(file_, storage::RowKind::features, "{}"); });
    EXPECT_THAT(message, AllOf(StartsWith(file_.string() + ": "), Not(HasSubstr("\n"))));
    return message;
  }

  TemporaryFolder folder_;
  fs::path file_ = folder_ / "1.h5";
  hid_t id_ = H5I_INVALID_HID;
};

TEST_F(ForeignFeatureFile, IsReadAsLongAsNothingIsSpoilt) {
  H5Fclose(id_);
  EXPECT_EQ(storage::read_feature_file(file_, storage::RowKind::features, "{}").features()[5], 6);
}

TEST_F(ForeignFeatureFile, HoldsNoTimesThatWouldMakeEqualTablesDiffer) {
  for (const char* name : {"/", "rows", "labels", "ids", "classes"}) {
    H5O_info_t about{};
    ASSERT_GE(H5Oget_info_by_name(id_, name, &about, H5P_DEFAULT), 0);
    EXPECT_EQ(about.mtime, 0) << name;
    EXPECT_EQ(about.ctime, 0) << name;
  }
  H5Fclose(id_);
}

TEST_F(ForeignFeatureFile, IsRefusedInAnotherVersion) {
  set_number("version", 3);
  EXPECT_THAT(refusal(), HasSubstr("expected version 1 to 2 of the feature format, found 3"));
}

TEST_F(ForeignFeatureFile, IsReadInVersion1BecauseItsFeaturesLieTheSameWay) {
  set_number("version", 1);
  H5Fclose(id_);
  EXPECT_EQ(storage::read_feature_file(file_, storage::RowKind::features, "{}").features()[5], 6);
}

TEST_F(ForeignFeatureFile, IsRefusedWithoutItsMark) {
  H5Adelete(id_, "format");
  EXPECT_THAT(refusal(), HasSubstr("no attribute format"));
}

TEST_F(ForeignFeatureFile, IsRefusedWithoutItsRows) {
  H5Ldelete(id_, "rows", H5P_DEFAULT);
  EXPECT_THAT(refusal(), HasSubstr("no data set rows"));
}

TEST_F(ForeignFeatureFile, IsRefusedBeforeMemoryIsTakenForImpossibleSizes) {
  replace("rows", H5T_IEEE_F32LE, {hsize_t{1} << 40, hsize_t{1} << 20});
  EXPECT_THAT(refusal(), HasSubstr("rows is said to be larger than the file"));
}

TEST_F(ForeignFeatureFile, IsRefusedWhereValuesWereNeverWritten) {
  replace("rows", H5T_IEEE_F32LE, {2, 3});  // HDF5 itself would give zeros
  EXPECT_THAT(refusal(), HasSubstr("rows is not wholly in the file"));
}

TEST_F(ForeignFeatureFile, IsRefusedWithNumbersOfAnotherType) {
  const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_alloc_time(how, H5D_ALLOC_TIME_EARLY);
  replace("rows", H5T_IEEE_F64LE, {2, 3}, how);
  EXPECT_THAT(refusal(), HasSubstr("rows has another number type"));
}

TEST_F(ForeignFeatureFile, IsRefusedWithTooFewLabels) {
  const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_alloc_time(how, H5D_ALLOC_TIME_EARLY);
  replace("labels", H5T_STD_I32LE, {1}, how);
  EXPECT_THAT(refusal(), HasSubstr("labels has another size than the other data sets"));
}

TEST_F(ForeignFeatureFile, IsRefusedWithALabelThatHasNoClass) {
  const std::int32_t labels[] = {0, 2};
  const hid_t dataset = H5Dopen2(id_, "labels", H5P_DEFAULT);
  H5Dwrite(dataset, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, labels);
  H5Dclose(dataset);
  EXPECT_THAT(refusal(), HasSubstr("label 2 has no class"));
}

TEST_F(ForeignFeatureFile, IsRefusedWithAChangedNumber) {
  const float rows[] = {1, 2, 3, 4, 5, 7};
  const hid_t dataset = H5Dopen2(id_, "rows", H5P_DEFAULT);
  H5Dwrite(dataset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows);
  H5Dclose(dataset);
  EXPECT_THAT(refusal(), HasSubstr("checksum is "));
}

TEST_F(ForeignFeatureFile, IsRefusedInChunksOrCompressed) {
  const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
  const hsize_t chunk[] = {1, 3};
  H5Pset_chunk(how, 2, chunk);
  H5Pset_deflate(how, 1);
  replace("rows", H5T_IEEE_F32LE, {2, 3}, how);
  EXPECT_THAT(refusal(), HasSubstr("rows is not contiguous"));
}

TEST_F(ForeignFeatureFile, IsRefusedWhereItPointsIntoOtherFiles) {
  const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_external(how, "/etc/passwd", 0, 24);
  replace("rows", H5T_IEEE_F32LE, {2, 3}, how);
  EXPECT_THAT(refusal(), HasSubstr("rows lies in another file"));
}

TEST_F(ForeignFeatureFile, IsRefusedWhereItIsMadeOfLinks) {
  H5Ldelete(id_, "rows", H5P_DEFAULT);
  H5Lcreate_external("/elsewhere.h5", "/rows", id_, "rows", H5P_DEFAULT, H5P_DEFAULT);
  EXPECT_THAT(refusal(), HasSubstr("rows is a link to elsewhere"));
}

TEST_F(ForeignFeatureFile, IsRefusedWithStringsOfAnyLength) {
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, H5T_VARIABLE);
  replace("ids", type, {2});
  const char* values[] = {"a", "b"};
  const hid_t dataset = H5Dopen2(id_, "ids", H5P_DEFAULT);
  ASSERT_GE(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0);
  H5Dclose(dataset);
  EXPECT_THAT(refusal(), HasSubstr("ids is no array of fixed-length strings"));
}

TEST_F(ForeignFeatureFile, IsRefusedWhereItsWriterDiedBeforeClosingIt) {
  H5Fflush(id_, H5F_SCOPE_GLOBAL);  // all bytes are on disk, but the file is marked as open
  const fs::path copy = folder_ / "copy.h5";
  fs::copy_file(file_, copy);
  EXPECT_THROW(storage::read_feature_file(copy, storage::RowKind::features, "{}"), storage::Error);
  H5Fclose(id_);
}

}  // namespace
