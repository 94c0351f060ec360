// .npy files: those that numpy wrote are read, and whatever is no such file is refused by name before a size is
// believed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "storage/error.hpp"
#include "storage/foreign_arrays.hpp"
#include "tests/storage/plain_files.hpp"

namespace {

namespace fs = std::filesystem;
using storage_test::message_of;
using storage_test::TemporaryFolder;
using storage_test::write_plainly;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// A file that numpy or h5py wrote, see make.py there.
fs::path written(const std::string& name) {
  return fs::path(PLUME_SOURCE_DIR) / "tests/storage/arrays" / name;
}

/// A .npy file of version 1 around `header`, numpy's dictionary.
std::string npy(const std::string& header, const std::string& data) {
  std::string bytes = "\x93NUMPY";
  bytes += std::string("\x01\x00", 2);
  bytes += static_cast<char>(header.size() & 255);
  bytes += static_cast<char>(header.size() >> 8);
  return bytes + header + data;
}
std::string header(const std::string& type, const std::string& shape) {
  return "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }\n";
}

class Npy : public testing::Test {
 protected:
  std::string refusal_of_matrix(const std::string& bytes) {
    write_plainly(file_, bytes);
    return one_line([&] { storage::open_npy_matrix(file_); });
  }
  std::string refusal_of_labels(const std::string& bytes) {
    write_plainly(file_, bytes);
    return one_line([&] { storage::read_npy_labels(file_); });
  }
  template <typename Action>
  std::string one_line(const Action& action) {
    const std::string message = message_of<storage::UsageError>(action);
    EXPECT_THAT(message, AllOf(StartsWith(file_.string() + ": "), Not(HasSubstr("\n"))));
    return message;
  }

  TemporaryFolder folder_;
  fs::path file_ = folder_ / "x.npy";
};

TEST_F(Npy, GivesRowsOfEveryFloatingTypeAsFloat32) {
  for (const std::string name : {"train.npy", "float64.npy", "version_2.npy"}) {
    const auto matrix = storage::open_npy_matrix(written(name));
    EXPECT_EQ(matrix->row_count(), 6) << name;
    EXPECT_EQ(matrix->row_length(), 3) << name;
    EXPECT_THAT(matrix->read(2, 2), ElementsAre(2, 2.5, -2, 3, 3.5, -3)) << name;
  }
  EXPECT_THAT(storage::open_npy_matrix(written("test.npy"))->read(3, 1), ElementsAre(13, 13.5, -13)) << "float16";
}

TEST_F(Npy, GivesTheSpecialValuesOfFloat16) {
  // 1, -2, the smallest subnormal, the largest subnormal, the largest number, infinity, not a number.
  const std::string halves("\x00\x3c\x00\xc0\x01\x00\xff\x03\xff\x7b\x00\x7c\x01\x7e", 14);
  write_plainly(file_, npy(header("<f2", "(1, 7)"), halves));
  const auto row = storage::open_npy_matrix(file_)->read(0, 1);
  EXPECT_THAT(std::vector<float>(row.begin(), row.begin() + 5),
              ElementsAre(1, -2, std::ldexp(1.0F, -24), std::ldexp(1023.0F, -24), 65504));
  EXPECT_TRUE(std::isinf(row[5]));
  EXPECT_TRUE(std::isnan(row[6]));
}

TEST_F(Npy, GivesLabelsAsNumbersOrTexts) {
  EXPECT_THAT(storage::read_npy_labels(written("train_labels.npy")).texts,
              ElementsAre("owl", "wren", "M\xC3\xB6we", "owl", "wren", "M\xC3\xB6we"));
  EXPECT_THAT(storage::read_npy_labels(written("ascii.npy")).texts,
              ElementsAre("owl", "wren", "ibis", "owl", "wren", "ibis"));
  for (const std::string name : {"numbers.npy", "bytes.npy"}) {
    EXPECT_THAT(storage::read_npy_labels(written(name)).numbers, ElementsAre(0, 1, 2, 0, 1, 2)) << name;
  }
  write_plainly(file_, npy(header("<i2", "(2,)"), std::string("\xff\xff\x2c\x01", 4)));
  EXPECT_THAT(storage::read_npy_labels(file_).numbers, ElementsAre(-1, 300));
}

TEST_F(Npy, SaysWhatToWriteInsteadOfAnotherLayout) {
  const auto refusal = [](const std::string& name) {
    return message_of<storage::UsageError>([&] { storage::open_npy_matrix(written(name)); });
  };
  EXPECT_THAT(refusal("fortran.npy"), HasSubstr("stored column by column; write numpy.save(FILE, numpy.ascontiguous"));
  EXPECT_THAT(refusal("big_endian.npy"),
              HasSubstr("big-endian numbers (>f4); write numpy.save(FILE, array.astype(\"<f4"));
  EXPECT_THAT(refusal("numbers.npy"), HasSubstr("numbers of type <i8; expected floats of 16, 32 or 64 bits"));
  EXPECT_THAT(refusal("records.npy"), HasSubstr("holds records with fields; expected a plain array"));
  EXPECT_THAT(message_of<storage::UsageError>([] { storage::read_npy_labels(written("objects.npy")); }),
              HasSubstr("holds Python objects, a pickle that is never run; give the array a dtype"));
  EXPECT_THAT(message_of<storage::UsageError>([] { storage::read_npy_labels(written("train.npy")); }),
              HasSubstr("labels of type <f4; expected whole numbers or texts"));
}

TEST_F(Npy, IsRefusedWhereTheHeaderPromisesOtherSizesThanTheFileHas) {
  const std::string four(16, '\0');
  EXPECT_THAT(refusal_of_matrix(npy(header("<f4", "(3, 2)"), four)), HasSubstr("promises 24 bytes, the file has 16"));
  EXPECT_THAT(refusal_of_matrix(npy(header("<f4", "(1, 2)"), four)), HasSubstr("promises 8 bytes, the file has 16"));
  EXPECT_THAT(refusal_of_matrix(npy(header("<f4", "(99999999, 1048576)"), four)), HasSubstr("damaged or truncated"));
  EXPECT_THAT(refusal_of_matrix(npy(header("<f4", "(4611686018427387904, 2)"), four)),
              HasSubstr("at most 100000000 rows"));
  EXPECT_THAT(refusal_of_matrix(npy(header("<f4", "(4, 0)"), "")), HasSubstr("rows of 1 to 1048576 features"));
  EXPECT_THAT(refusal_of_matrix(npy(header("<f4", "(4,)"), four)), HasSubstr("has 1 dimensions; expected 2"));
  EXPECT_THAT(refusal_of_labels(npy(header("<i4", "(2, 2)"), four)), HasSubstr("has 2 dimensions; expected 1"));
  EXPECT_THAT(refusal_of_labels(npy(header("<U999999999999999999999", "(1,)"), four)), HasSubstr("more than 1024"));
  EXPECT_THAT(refusal_of_labels(npy(header("<U0", "(1,)"), "")), HasSubstr("labels of type <U0"));
  EXPECT_THAT(refusal_of_labels(npy(header("<u8", "(1,)"), std::string(8, '\xff'))),
              HasSubstr("the label of row 0 needs more than 63 bits"));
}

TEST_F(Npy, IsRefusedWhereItsHeaderIsNoneOfNumpys) {
  for (const std::string text :
       {"", "{", "{}", "{'descr': '<f4'}", "{'descr': '<f4', 'fortran_order': False}",
        "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1, 1)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': 1}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1, 1)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999, 1)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1)} + exit()",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1, 1)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1), 'more': 1}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1",
        "{'descr': __import__('os'), 'fortran_order': False, 'shape': (1, 1)}", "{'descr': '<f4\\x00'}"}) {
    EXPECT_THAT(refusal_of_matrix(npy(text, std::string(4, '\0'))), HasSubstr("damaged .npy file")) << text;
  }
  EXPECT_THAT(refusal_of_matrix(npy("{'descr': '" + std::string(1000, 'f'), "")), HasSubstr("does not end"));
  EXPECT_THAT(refusal_of_matrix("PK\x03\x04"), HasSubstr("is no .npy file; expected one of numpy.save"));
  EXPECT_THAT(refusal_of_matrix(std::string("\x93NUMPY\x04\x00\x00\x00", 10)), HasSubstr("version 4 is not read"));
}

TEST_F(Npy, IsRefusedWhereverItIsCut) {
  const std::string whole = storage_test::read_plainly(written("train.npy"));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_NE(refusal_of_matrix(whole.substr(0, length)), "") << length;
  }
}

TEST_F(Npy, NamesAFileThatIsMissing) {
  EXPECT_THAT(message_of<storage::Error>([&] { storage::open_npy_matrix(file_); }),
              HasSubstr(file_.string() + ": cannot open: No such file"));
  fs::create_directory(file_);
  EXPECT_THAT(one_line([&] { storage::open_npy_matrix(file_); }), HasSubstr("is no file"));
}

}  // namespace
