// What array_file writes is read back to the bit; what it never wrote is refused by name.
#include "storage/array_file_read.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "storage/array_file.hpp"
#include "storage/error.hpp"
#include "tests/storage/plain_files.hpp"

namespace {

namespace fs = std::filesystem;
using storage::ArrayType;
using storage::ArrayValues;
using storage::CheckedArrays;
using storage::FixedText;
using storage::NamedArray;
using storage_test::message_of;
using storage_test::TemporaryFolder;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

NamedArray matrix(const std::string& path, std::vector<float> values, std::uint64_t rows, std::uint64_t row_length) {
  NamedArray array{path, ArrayType::reals, values.size(), 0, {}, [values](ArrayValues& all) { all.reals(values); }};
  array.rows = rows;
  array.row_length = row_length;
  return array;
}

NamedArray texts(const std::string& path, std::vector<std::string> values) {
  return {path, ArrayType::texts, values.size(), 8, {}, [values](ArrayValues& all) {
            for (const std::string& value : values) all.text(value);
          }};
}

/// One good file; spoilt by HDF5 where a test opens it.
class ArrayFileRead : public testing::Test {
 protected:
  ArrayFileRead() {
    storage::write_arrays(
        file_, {{"format", FixedText{"f \xC3\xB6"}}, {"version", std::int64_t{3}}, {"auroc", 0.1 + 0.2}},
        {matrix("best/normal/features", {1, -0.0F, std::numeric_limits<float>::denorm_min(), 4, 5, 6}, 2, 3),
         matrix("best/normal/none", {}, 2, 0),
         texts("names", {"cat", "", "d\xC3\xB6ner"}),
         {"n", ArrayType::wholes, 1, 0, {}, [](ArrayValues& all) { all.whole(-7); }},
         {"x", ArrayType::numbers, 1, 0, {}, [](ArrayValues& all) { all.number(1.5); }}});
  }

  void open() { id_ = H5Fopen(file_.c_str(), H5F_ACC_RDWR, H5P_DEFAULT); }
  /// Puts another data set in the place of `name`. No values are written: with late allocation none are stored either.
  void replace(const char* name, hid_t type, const std::vector<hsize_t>& sizes) {
    open();
    H5Ldelete(id_, name, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr);
    H5Dclose(H5Dcreate2(id_, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Sclose(space);
  }
  template <typename Read>
  std::string refusal(const Read& read) {
    if (id_ >= 0) H5Fclose(id_);
    const std::string message = message_of<storage::Error>([&] { read(CheckedArrays(file_, "dump")); });
    EXPECT_THAT(message, AllOf(StartsWith(file_.string() + ": "), Not(HasSubstr("\n"))));
    return message;
  }
  static void read_features(const CheckedArrays& arrays) { arrays.reals("best/normal/features", {2, 3}); }

  TemporaryFolder folder_;
  fs::path file_ = folder_ / "1.h5";
  hid_t id_ = H5I_INVALID_HID;
};

TEST_F(ArrayFileRead, GivesEveryValueToTheBit) {
  const CheckedArrays arrays(file_, "dump");
  EXPECT_EQ(arrays.text_attribute("format"), "f \xC3\xB6");
  EXPECT_EQ(arrays.whole_attribute("version"), 3);
  EXPECT_EQ(arrays.number_attribute("auroc"), 0.1 + 0.2);
  EXPECT_TRUE(arrays.has_attribute("auroc"));
  EXPECT_FALSE(arrays.has_attribute("none"));
  const auto features = arrays.reals("best/normal/features", {2, 3});
  EXPECT_THAT(features, ElementsAre(1, 0, std::numeric_limits<float>::denorm_min(), 4, 5, 6));
  EXPECT_TRUE(std::signbit(features[1]));
  EXPECT_THAT(arrays.sizes("best/normal/features"), ElementsAre(2, 3));
  EXPECT_THAT(arrays.sizes("best/normal/none"), ElementsAre(2, 0));
  EXPECT_THAT(arrays.texts("names"), ElementsAre("cat", "", "d\xC3\xB6ner"));
  EXPECT_THAT(arrays.wholes("n", {1}), ElementsAre(-7));
  EXPECT_THAT(arrays.numbers("x", {1}), ElementsAre(1.5));
}

TEST_F(ArrayFileRead, RefusesWhatIsNotThereOrNoFileOfArrays) {
  EXPECT_THAT(refusal([](const CheckedArrays& arrays) { arrays.texts("best/names"); }),
              HasSubstr("no data set best/names"));
  EXPECT_THAT(refusal([](const CheckedArrays& arrays) { arrays.texts("n/names"); }), HasSubstr("no data set n/names"));
  EXPECT_THAT(refusal([](const CheckedArrays& arrays) { arrays.whole_attribute("epoch"); }),
              HasSubstr("damaged or no dump: no attribute epoch"));
  storage_test::write_plainly(file_, "no HDF5");
  EXPECT_THAT(refusal(read_features), HasSubstr("damaged or no dump"));
  fs::remove(file_);
  fs::create_directory(file_);
  EXPECT_THAT(refusal(read_features), HasSubstr("expected a dump, found a folder or device"));
}

TEST_F(ArrayFileRead, RefusesOtherTypesAndSizes) {
  EXPECT_THAT(refusal([](const CheckedArrays& arrays) {
                arrays.numbers("best/normal/features", {2, 3});
              }),
              HasSubstr("best/normal/features has another number type"));
  EXPECT_THAT(refusal([](const CheckedArrays& arrays) {
                arrays.reals("best/normal/features", {3, 2});
              }),
              HasSubstr("has another size"));
  EXPECT_THAT(refusal([](const CheckedArrays& arrays) { arrays.reals("best/normal/features", {6}); }),
              HasSubstr("has another number of dimensions"));
  EXPECT_THAT(refusal([](const CheckedArrays& arrays) { arrays.whole_attribute("auroc"); }),
              HasSubstr("attribute auroc is no 64-bit integer"));
  EXPECT_THAT(refusal([](const CheckedArrays& arrays) { arrays.text_attribute("version"); }),
              HasSubstr("version is no fixed-length string"));
}

TEST_F(ArrayFileRead, RefusesImpossibleSizesBeforeItTakesMemory) {
  replace("best/normal/features", H5T_IEEE_F32LE, {hsize_t{1} << 40, hsize_t{1} << 20});
  EXPECT_THAT(refusal(read_features), HasSubstr("best/normal/features is said to be larger than the file"));
}

TEST_F(ArrayFileRead, RefusesValuesThatWereNeverWritten) {
  replace("best/normal/features", H5T_IEEE_F32LE, {2, 3});  // HDF5 itself would give zeros
  EXPECT_THAT(refusal(read_features), HasSubstr("is not wholly in the file"));
}

TEST_F(ArrayFileRead, RefusesLinksAlsoOfAGroup) {
  open();
  H5Lmove(id_, "best/normal", id_, "elsewhere", H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_soft("/elsewhere", id_, "best/normal", H5P_DEFAULT, H5P_DEFAULT);
  EXPECT_THAT(refusal(read_features), HasSubstr("best/normal is a link to elsewhere"));
}

TEST_F(ArrayFileRead, RefusesLinksIntoOtherFiles) {
  open();
  H5Ldelete(id_, "best/normal/features", H5P_DEFAULT);
  H5Lcreate_external("/elsewhere.h5", "/rows", id_, "best/normal/features", H5P_DEFAULT, H5P_DEFAULT);
  EXPECT_THAT(refusal(read_features), HasSubstr("best/normal/features is a link to elsewhere"));
}

TEST(ArrayFile, RefusesAMatrixOfOtherSizesThanItsValues) {
  const TemporaryFolder folder;
  EXPECT_THROW(storage::write_arrays(folder / "a.h5", {}, {matrix("m", {1, 2, 3}, 2, 2)}), std::logic_error);
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

}  // namespace
