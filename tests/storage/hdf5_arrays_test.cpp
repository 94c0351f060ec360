// HDF5 files of other programs: those that h5py wrote are read; links, foreign storage and foreign filters are refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include "storage/error.hpp"
#include "storage/foreign_arrays.hpp"
#include "tests/storage/plain_files.hpp"

namespace {

namespace fs = std::filesystem;
using storage::Hdf5Arrays;
using storage_test::message_of;
using storage_test::TemporaryFolder;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

fs::path written(const std::string& name) {
  return fs::path(PLUME_SOURCE_DIR) / "tests/storage/arrays" / name;
}

TEST(Hdf5ArraysOfH5py, GiveRowsOfEveryFloatingTypeAsFloat32) {
  const Hdf5Arrays plain(written("texts.h5")), latest(written("numbers.h5"));
  for (const auto* file : {&plain, &latest}) {  // float32, and float64 compressed; float16, and big-endian float64
    const auto train = file->matrix("train/features"), test = file->matrix("test/features");
    EXPECT_EQ(train->row_count(), 6);
    EXPECT_EQ(train->row_length(), 3);
    EXPECT_THAT(train->read(2, 2), ElementsAre(2, 2.5, -2, 3, 3.5, -3));
    EXPECT_THAT(test->read(3, 1), ElementsAre(13, 13.5, -13));
  }
}

TEST(Hdf5ArraysOfH5py, GiveLabelsAsNumbersOrTexts) {
  const Hdf5Arrays texts(written("texts.h5")), numbers(written("numbers.h5"));
  EXPECT_THAT(texts.labels("test/labels").texts, ElementsAre("M\xC3\xB6we", "M\xC3\xB6we", "owl", "wren"));
  EXPECT_THAT(numbers.labels("train/labels").numbers, ElementsAre(0, 1, 2, 0, 1, 2)) << "int64";
  EXPECT_THAT(numbers.labels("test/labels").numbers, ElementsAre(2, 2, 0, 1)) << "uint8";
  EXPECT_THAT(numbers.labels("classes").texts, ElementsAre("owl", "wren", "M\xC3\xB6we")) << "of fixed length";
  EXPECT_TRUE(numbers.has("classes"));
  EXPECT_FALSE(texts.has("classes"));
  EXPECT_FALSE(texts.has("train/features/more"));
}

/// A file with one float32 array "a" of [2, 3] and what a test adds.
class Hdf5ArraysOfOthers : public testing::Test {
 protected:
  Hdf5ArraysOfOthers() : id_(H5Fcreate(file_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)) {
    const float values[] = {1, 2, 3, 4, 5, 6};
    put("a", H5T_IEEE_F32LE, {2, 3}, H5P_DEFAULT, values);
  }

  void put(const char* name, hid_t type, const std::vector<hsize_t>& sizes, hid_t how, const void* values) {
    const hid_t space = H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr);
    const hid_t dataset = H5Dcreate2(id_, name, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
    ASSERT_GE(dataset, 0);
    const herr_t written_well = values == nullptr ? 0 : H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    ASSERT_GE(written_well, 0);
    H5Dclose(dataset);
    H5Sclose(space);
  }
  hid_t chunks(hsize_t rows, hsize_t columns) {
    const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    const hsize_t sizes[] = {rows, columns};
    H5Pset_chunk(how, 2, sizes);
    return how;
  }
  std::string refusal(const std::string& path, bool labels = false) {
    if (id_ >= 0) H5Fclose(id_);
    id_ = H5I_INVALID_HID;
    const std::string message = message_of<storage::UsageError>([&] {
      const Hdf5Arrays arrays(file_);
      labels ? static_cast<void>(arrays.labels(path)) : static_cast<void>(arrays.matrix(path));
    });
    EXPECT_THAT(message, AllOf(StartsWith(file_.string() + ": "), Not(HasSubstr("\n"))));
    return message;
  }

  TemporaryFolder folder_;
  fs::path file_ = folder_ / "x.h5";
  hid_t id_;
};

TEST_F(Hdf5ArraysOfOthers, AreNeverFollowedIntoOtherFiles) {
  H5Lcreate_external("other.h5", "/a", id_, "external", H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_soft("/a", id_, "soft", H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_external("other.h5", "/", id_, "group", H5P_DEFAULT, H5P_DEFAULT);
  const hid_t elsewhere = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_external(elsewhere, "/etc/passwd", 0, 24);
  put("outside", H5T_IEEE_F32LE, {2, 3}, elsewhere, nullptr);
  const hid_t virtual_layout = H5Pcreate(H5P_DATASET_CREATE);
  const hsize_t sizes[] = {2, 3};
  const hid_t space = H5Screate_simple(2, sizes, nullptr);
  H5Pset_virtual(virtual_layout, space, "other.h5", "a", space);
  put("virtual", H5T_IEEE_F32LE, {2, 3}, virtual_layout, nullptr);
  EXPECT_THAT(refusal("external"), HasSubstr("external: is a soft or external link, and links are not followed"));
  EXPECT_THAT(refusal("soft"), HasSubstr("soft: is a soft or external link, and links are not followed"));
  EXPECT_THAT(refusal("group/a"), HasSubstr("group/a: is a soft or external link, and links are not followed"));
  EXPECT_THAT(refusal("outside"), HasSubstr("outside: has its numbers in another file"));
  EXPECT_THAT(refusal("virtual"), HasSubstr("virtual: is virtual"));
}

TEST_F(Hdf5ArraysOfOthers, AreReadWithFiltersOfHdf5ItselfOnly) {
  const float values[] = {1, 2, 3, 4, 5, 6};
  const hid_t deflated = chunks(1, 3), scaled = chunks(1, 3);
  H5Pset_deflate(deflated, 9);
  H5Pset_scaleoffset(scaled, H5Z_SO_FLOAT_DSCALE, 2);
  put("deflated", H5T_IEEE_F32LE, {2, 3}, deflated, values);
  put("scaled", H5T_IEEE_F32LE, {2, 3}, scaled, values);
  EXPECT_THAT(refusal("scaled"), HasSubstr("scaled: is compressed with HDF5 filter 6, which is not read"));
  EXPECT_THAT(Hdf5Arrays(file_).matrix("deflated")->read(1, 1), ElementsAre(4, 5, 6));
}

TEST_F(Hdf5ArraysOfOthers, AreRefusedWhereTheirSizesCannotBeInTheFile) {
  put("never", H5T_IEEE_F32LE, {2, 3}, H5P_DEFAULT, nullptr);
  const hid_t sparse = chunks(1000, 1000);
  put("vast", H5T_IEEE_F32LE, {100'000'000, 1'000'000}, sparse, nullptr);
  put("long", H5T_IEEE_F32LE, {2, 2'000'000}, H5P_DEFAULT, nullptr);
  put("empty", H5T_IEEE_F32LE, {2, 0}, H5P_DEFAULT, nullptr);
  EXPECT_THAT(refusal("never"), HasSubstr("never: was never written"));
  EXPECT_THAT(refusal("vast"), HasSubstr("vast: was never written"));
  EXPECT_THAT(refusal("long"), HasSubstr("long: was never written"));
  EXPECT_THAT(refusal("empty"),
              HasSubstr("empty: is [2, 0]; expected at most 100000000 rows of 1 to 1048576 features"));
}

TEST_F(Hdf5ArraysOfOthers, AreRefusedWhereSomeChunksWereNeverWritten) {
  put("whole", H5T_IEEE_F32LE, {4, 3}, chunks(2, 3), std::vector<float>(12, 1).data());
  put("half", H5T_IEEE_F32LE, {4, 3}, chunks(2, 3), nullptr);
  const hid_t dataset = H5Dopen2(id_, "half", H5P_DEFAULT), from = H5Dget_space(dataset);
  const hsize_t first[] = {0, 0}, rows[] = {2, 3};
  H5Sselect_hyperslab(from, H5S_SELECT_SET, first, nullptr, rows, nullptr);
  const hid_t to = H5Screate_simple(2, rows, nullptr);
  ASSERT_GE(H5Dwrite(dataset, H5T_IEEE_F32LE, to, from, H5P_DEFAULT, std::vector<float>(6, 1).data()), 0);
  H5Sclose(to);
  H5Sclose(from);
  H5Dclose(dataset);
  EXPECT_THAT(refusal("half"), HasSubstr("half: is only in part written: 1 of its 2 chunks are there"));
  EXPECT_EQ(Hdf5Arrays(file_).matrix("whole")->row_count(), 4);
}

TEST_F(Hdf5ArraysOfOthers, KeepLargeLabelsApartOrRefuseThem) {
  const std::uint64_t large[] = {1, std::uint64_t{1} << 63}, fit[] = {1, (std::uint64_t{1} << 63) - 1};
  const std::int8_t negative[] = {-1, 5};
  put("large", H5T_STD_U64LE, {2}, H5P_DEFAULT, large);
  put("fit", H5T_STD_U64LE, {2}, H5P_DEFAULT, fit);
  put("negative", H5T_STD_I8LE, {2}, H5P_DEFAULT, negative);
  EXPECT_THAT(refusal("large", true), HasSubstr("large: the label of row 1 needs more than 63 bits"));
  EXPECT_THAT(Hdf5Arrays(file_).labels("fit").numbers, ElementsAre(1, INT64_MAX));
  EXPECT_THAT(Hdf5Arrays(file_).labels("negative").numbers, ElementsAre(-1, 5));
}

TEST_F(Hdf5ArraysOfOthers, MayBeginWithABlockOfTheUsersOwn) {
  H5Fclose(id_);
  id_ = H5I_INVALID_HID;
  const std::string whole = storage_test::read_plainly(file_);
  storage_test::write_plainly(file_, std::string(512, '#') + whole);
  EXPECT_TRUE(storage::is_hdf5(file_));
  storage_test::write_plainly(file_, std::string(511, '#') + whole);
  EXPECT_FALSE(storage::is_hdf5(file_));
}

TEST_F(Hdf5ArraysOfOthers, AreRefusedWithOtherTypesAndShapes) {
  const std::int32_t numbers[] = {1, 2, 3, 4, 5, 6};
  put("whole", H5T_STD_I32LE, {2, 3}, H5P_DEFAULT, numbers);
  put("flat", H5T_IEEE_F32LE, {6}, H5P_DEFAULT, numbers);
  H5Gclose(H5Gcreate2(id_, "folder", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  EXPECT_THAT(refusal("missing"), HasSubstr("missing: is not there"));
  EXPECT_THAT(refusal("folder"), HasSubstr("folder: is a group; expected an array"));
  EXPECT_THAT(refusal("whole"), HasSubstr("whole: does not hold floats of 16, 32 or 64 bits"));
  EXPECT_THAT(refusal("flat"), HasSubstr("flat: has 1 dimensions; expected 2"));
  EXPECT_THAT(refusal("whole", true), HasSubstr("whole: has 2 dimensions; expected 1, one label a row"));
  EXPECT_THAT(refusal("flat", true), HasSubstr("flat: holds neither whole numbers nor texts"));
}

TEST_F(Hdf5ArraysOfOthers, AreRefusedWhereverTheFileIsCut) {
  H5Fclose(id_);
  id_ = H5I_INVALID_HID;
  const std::string whole = storage_test::read_plainly(file_);
  for (std::size_t length = 0; length < whole.size(); length += 7) {
    storage_test::write_plainly(file_, whole.substr(0, length));
    EXPECT_NE(refusal("a"), "") << length;
  }
}

TEST(Hdf5ArraysOfNobody, SayThatAFileIsNoHdf5) {
  const TemporaryFolder folder;
  storage_test::write_plainly(folder / "x.h5", "\x93NUMPY");
  EXPECT_EQ(message_of<storage::UsageError>([&] { Hdf5Arrays{folder / "x.h5"}; }),
            (folder / "x.h5").string() + ": is no HDF5 file; expected one of h5py.File(FILE, \"w\")");
}

}  // namespace
