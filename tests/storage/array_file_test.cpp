// Files of named arrays as HDF5's own library and h5dump read them, and what a full disk leaves behind.
#include "storage/array_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/resource.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "storage/error.hpp"
#include "tests/storage/full_disk.hpp"
#include "tests/storage/plain_files.hpp"

namespace {

namespace fs = std::filesystem;
using storage::ArrayType;
using storage::ArrayValues;
using storage::NamedArray;
using storage_test::message_of;
using storage_test::TemporaryFolder;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

NamedArray numbers(const std::string& path, std::vector<double> values) {
  return {path,
          ArrayType::numbers,
          values.size(),
          0,
          {{"unit", "seconds"}, {"description", "what it is"}},
          [values](ArrayValues& all) {
            for (const double value : values) all.number(value);
          }};
}

NamedArray wholes(const std::string& path, std::vector<std::int64_t> values) {
  return {path, ArrayType::wholes, values.size(), 0, {}, [values](ArrayValues& all) {
            for (const std::int64_t value : values) all.whole(value);
          }};
}

NamedArray texts(const std::string& path, std::vector<std::string> values) {
  std::size_t longest = 0;
  for (const auto& value : values) longest = std::max(longest, value.size());
  return {path, ArrayType::texts, values.size(), longest, {}, [values](ArrayValues& all) {
            for (const std::string& value : values) all.text(value);
          }};
}

std::string h5dump(const fs::path& file, const std::string& flags = "") {
  std::string text;
  FILE* pipe = ::popen(("h5dump " + flags + " " + file.string() + " 2>&1").c_str(), "r");
  char buffer[4096];
  while (pipe != nullptr && std::fgets(buffer, sizeof(buffer), pipe) != nullptr) text += buffer;
  const int status = pipe != nullptr ? ::pclose(pipe) : -1;
  EXPECT_EQ(status, 0) << "h5dump failed (Debian package hdf5-tools?): " << text;
  return text;
}

std::vector<double> read_numbers(const fs::path& file, const char* path) {
  const hid_t id = H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t set = H5Dopen2(id, path, H5P_DEFAULT);
  const hid_t space = H5Dget_space(set);
  std::vector<double> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  EXPECT_GE(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  H5Sclose(space);
  H5Dclose(set);
  H5Fclose(id);
  return values;
}

TEST(ArrayFile, HoldsEveryValueToTheBit) {
  const TemporaryFolder folder;
  const double least = std::numeric_limits<double>::denorm_min();
  storage::write_arrays(folder / "new/a.h5", {{"format", std::string("f")}, {"version", std::int64_t{1}}},
                        {numbers("epochs/auc", {0.1 + 0.2, -0.0, least, std::nan("")}), wholes("epochs/job", {-1, 7}),
                         texts("names", {"cat", "", "d\xC3\xB6ner"}), numbers("one/two/three", {5})});

  const std::vector<double> auc = read_numbers(folder / "new/a.h5", "epochs/auc");
  ASSERT_EQ(auc.size(), 4U);
  EXPECT_EQ(auc[0], 0.1 + 0.2);
  EXPECT_TRUE(auc[1] == 0 && std::signbit(auc[1]));
  EXPECT_EQ(auc[2], least);
  EXPECT_TRUE(std::isnan(auc[3]));
  EXPECT_THAT(read_numbers(folder / "new/a.h5", "epochs/job"), ElementsAre(-1, 7));
  EXPECT_THAT(read_numbers(folder / "new/a.h5", "one/two/three"), ElementsAre(5));
}

TEST(ArrayFile, IsPlainToAnotherReader) {
  const TemporaryFolder folder;
  storage::write_arrays(folder / "a.h5", {{"version", std::int64_t{1}}},
                        {numbers("g/x", {1.5}), texts("g/names", {"cat", "donkey"}), wholes("g/n", {3})});

  EXPECT_THAT(h5dump(folder / "a.h5"),
              AllOf(HasSubstr("ATTRIBUTE \"version\""), HasSubstr("DATASET \"x\""), HasSubstr("H5T_IEEE_F64LE"),
                    HasSubstr("H5T_STD_I64LE"), HasSubstr("H5T_CSET_UTF8"), HasSubstr(R"("cat\000\000\000", "donkey")"),
                    HasSubstr("\"what it is\""), HasSubstr("\"seconds\""), HasSubstr("(0): 1.5")));
  EXPECT_THAT(h5dump(folder / "a.h5", "-p -H"), AllOf(HasSubstr("CONTIGUOUS"), Not(HasSubstr("CHUNKED"))));
}

TEST(ArrayFile, HoldsArraysWithoutValues) {
  const TemporaryFolder folder;
  storage::write_arrays(folder / "a.h5", {}, {numbers("x", {}), texts("names", {}), wholes("n", {})});
  EXPECT_THAT(read_numbers(folder / "a.h5", "x"), ElementsAre());
  EXPECT_THAT(h5dump(folder / "a.h5"), HasSubstr("DATASET \"names\""));
  storage::write_arrays(folder / "empty.h5", {}, {});
  EXPECT_THAT(h5dump(folder / "empty.h5"), HasSubstr("GROUP \"/\""));
}

TEST(ArrayFile, OfMoreThanAPieceIsWholeInItsOrder) {
  const TemporaryFolder folder;
  std::vector<double> many(300'000);  // 2.4 MB: three pieces
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<double>(i) / 7;
  const std::string long_text(2'000'000, 'x');
  storage::write_arrays(folder / "a.h5", {}, {numbers("many", many), texts("t", {long_text}), wholes("last", {1})});
  EXPECT_EQ(read_numbers(folder / "a.h5", "many"), many);
  EXPECT_THAT(read_numbers(folder / "a.h5", "last"), ElementsAre(1));
  EXPECT_NE(tests::read_text(folder / "a.h5").find(long_text), std::string::npos);
}

TEST(ArrayFile, OfTheSameArraysHasTheSameBytes) {
  const TemporaryFolder folder;
  const std::vector<NamedArray> arrays = {numbers("g/x", {1, 2}), texts("names", {"a"})};
  storage::write_arrays(folder / "a.h5", {{"version", std::int64_t{1}}}, arrays);
  storage::write_arrays(folder / "b.h5", {{"version", std::int64_t{1}}}, arrays);
  EXPECT_EQ(tests::read_text(folder / "a.h5"), tests::read_text(folder / "b.h5"));
}

TEST(ArrayFile, TakesThePlaceOfAnOlderOneWholeOrNotAtAll) {
  const TemporaryFolder folder;
  tests::write_text(folder / "a.h5", "the old one");
  const auto write = [&](const NamedArray& array) { storage::write_arrays(folder / "a.h5", {}, {array}); };

  NamedArray too_few = numbers("x", {1, 2});
  too_few.length = 3;
  EXPECT_THROW(write(too_few), std::logic_error);
  NamedArray too_many = numbers("x", {1, 2});
  too_many.length = 1;
  EXPECT_THROW(write(too_many), std::logic_error);
  NamedArray too_long = texts("x", {"abc"});
  too_long.text_bytes = 2;
  EXPECT_THROW(write(too_long), std::logic_error);
  NamedArray other = numbers("x", {1});
  other.type = ArrayType::wholes;
  EXPECT_THROW(write(other), std::logic_error);
  EXPECT_EQ(tests::read_text(folder / "a.h5"), "the old one");
  EXPECT_EQ(folder.entry_count(), 1) << "no temporary stays";

  write(numbers("x", {1}));
  EXPECT_THAT(read_numbers(folder / "a.h5", "x"), ElementsAre(1));
}

TEST(ArrayFile, ThatFindsNoRoomSaysSoAndLeavesNothing) {
  const TemporaryFolder folder;
  const auto said = storage_test::on_small_disk(folder.path(), 100'000, [&]() -> std::string {
    try {
      storage::write_arrays(folder / "a.h5", {}, {numbers("x", std::vector<double>(100'000))});
    } catch (const storage::DiskFull& error) {
      return error.what() + std::string(fs::is_empty(folder.path()) ? "; empty" : "; something stays");
    }
    return "it was written";
  });
  if (!said) GTEST_SKIP() << "no file system can be mounted here";
  EXPECT_THAT(*said, AllOf(HasSubstr("a.h5: cannot write"), HasSubstr("make room there"), HasSubstr("; empty")));
}

TEST(ArrayFile, BeyondALimitOfFileSizesIsRefusedInOneLine) {
  const TemporaryFolder folder;
  const std::vector<NamedArray> arrays = {numbers("x", std::vector<double>(100'000))};
  const auto write = [&] { storage::write_arrays(folder / "a.h5", {}, arrays); };
  {
    const storage_test::FileSizeLimit limit(50'000);
    EXPECT_THAT(message_of<storage::Error>(write), AllOf(HasSubstr("a.h5"), Not(HasSubstr("\n"))));
  }
  EXPECT_TRUE(fs::is_empty(folder.path()));
  write();
  EXPECT_EQ(read_numbers(folder / "a.h5", "x").size(), 100'000U) << "HDF5 goes on working";
}

TEST(ArrayFile, ThatCannotBeIsNamed) {
  const TemporaryFolder folder;
  tests::write_text(folder / "file", "no folder");
  EXPECT_THAT(message_of<storage::Error>([&] { storage::write_arrays(folder / "file/a.h5", {}, {}); }),
              HasSubstr("file"));
}

}  // namespace
