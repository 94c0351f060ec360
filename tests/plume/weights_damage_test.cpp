// Damaged and hostile weight files that no fixture holds: cut anywhere, any byte changed, repeated without end; and the
// rarer valid ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "plume/weights.hpp"
#include "plume/weights_layout.hpp"
#include "plume/weights_zip_archive.hpp"
#include "storage/atomic_file.hpp"
#include "storage/error.hpp"
#include "tests/weight_file_bytes.hpp"

namespace plume {
namespace {

using testing::HasSubstr;
using namespace std::string_literals;

std::string fixture(const std::string& name) {
  const char* golden = std::getenv("PLUME_GOLDEN_DIR");
  return storage::read_file(std::filesystem::path(golden ? golden : PLUME_SOURCE_DIR "/tests/golden") / "backbones" /
                            "reader" / name);
}

/// What the reader says to `bytes`: "" when it reads them. Any other exception than storage::Error fails the test.
std::string refusal(std::string_view bytes) {
  try {
    read_weights_from_bytes(bytes, "file");
  } catch (const storage::Error& error) {
    return error.what();
  }
  return "";
}

class GoldenDamage : public testing::TestWithParam<const char*> {};

TEST_P(GoldenDamage, CutAnywhereIsRefused) {
  const std::string whole = fixture(GetParam());
  ASSERT_EQ(refusal(whole), "");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    // A copy of its own, so that a sanitizer sees every byte read behind the cut.
    const std::vector<char> cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    ASSERT_THAT(refusal({cut.data(), cut.size()}), HasSubstr("file: ")) << size << " bytes";
  }
}

TEST_P(GoldenDamage, AnyByteChangedIsReadOrRefused) {
  const std::string whole = fixture(GetParam());
  std::size_t refused = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char mask : {'\x01', '\xff'}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ mask);
      refused += !refusal(damaged).empty();
    }
  }
  EXPECT_GT(refused, whole.size());  // most of each file is structure
}

INSTANTIATE_TEST_SUITE_P(Format, GoldenDamage,
                         testing::Values("legacy_state_dict.pth", "zip_state_dict.pt", "st_state_dict.safetensors"),
                         [](const auto& given) {
                           return std::string(given.param).substr(0, std::string(given.param).find('_'));
                         });

TEST(GoldenZip, ReadsTheLargeEndRecord) {
  std::string bytes = fixture("zip_state_dict.pt");
  ASSERT_EQ(bytes.substr(bytes.size() - 22, 4), "PK\x05\x06");
  bytes.replace(bytes.size() - 14, 10, std::string(10, '\xff'));  // records, size, offset: "see the ZIP64 record"
  EXPECT_EQ(read_weights_from_bytes(bytes, "file").size(), 8u);
}

TEST(GoldenZip, NamesADamagedRecord) {
  std::string bytes = fixture("zip_state_dict.pt");
  bytes[1238 + 150] = static_cast<char>(bytes[1238 + 150] ^ 1);  // archive/data/0 begins at 1238 and has 216 bytes
  EXPECT_THAT(refusal(bytes), HasSubstr("\"archive/data/0\""));
}

/// A legacy file around the pickle of an object over one storage "0" of two floats, 1 and 2.
std::string legacy_file(const std::string& object) {
  return tests::legacy_head() + "\x80\x02"s + object + ".\x80\x02]" + tests::pickled("0") + "a." + tests::little(2, 8) +
         "\0\0\x80\x3f\0\0\0\x40"s;
}

TEST(Legacy, ReadsAnOrderedDictOfPython2) {
  const std::string tensor = tests::pickled_tensor(tests::pickled_storage("0", 2), "K\x02\x85", "K\x01\x85");
  const std::string pair = "](U\x01w" + tensor + "e";

  const auto tensors = read_weights_from_bytes(legacy_file("ccollections\nOrderedDict\n](" + pair + "e\x85R"), "file");

  ASSERT_EQ(tensors.size(), 1u);
  EXPECT_EQ(tensors[0].name, "w");
  EXPECT_EQ(tensors[0].bytes, "\0\0\x80\x3f\0\0\0\x40"s);
}

TEST(Weights, SaysNearWhichByteAPickleIsDamaged) {
  const std::string file = tests::zip_file({{"a/data.pkl", "\x80\x02}X\x01\0\0\0wNs.."s}, {"a/data/0", ""}});
  EXPECT_THAT(refusal(file), HasSubstr("\"w\" is not a tensor"));
  std::string damaged = file;
  damaged[42] = 'a';  // the pickle begins at 40; an APPEND where the dictionary was made
  EXPECT_THAT(refusal(damaged), HasSubstr("a value is missing (near byte 43)"));
}

TEST(Weights, NamesAMissingFile) {
  try {
    read_weights("/nowhere/lite0.pth");
    FAIL() << "was read";
  } catch (const storage::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("/nowhere/lite0.pth"));
  }
}

TEST(Weights, MakesATransposedViewContiguous) {
  // [[1, 2, 3], [4, 5, 6]] seen as its transpose.
  const TensorView transposed{0, 0, {3, 2}, {1, 3}};
  EXPECT_EQ(fault_of(transposed, 6), "");
  EXPECT_EQ(contiguous_bytes(transposed, Dtype::uint8, "\1\2\3\4\5\6"), "\1\4\2\5\3\6");
}

TEST(Weights, FindsTheElementBehindTheEnd) {
  EXPECT_EQ(fault_of({0, 1, {2, 3}, {3, 1}}, 7), "");
  EXPECT_NE(fault_of({0, 1, {2, 3}, {3, 1}}, 6), "");
}

TEST(Weights, IgnoresTheStrideOfASingleElement) {
  const TensorView view{0, 1, {1, 2}, {INT64_MAX, 2}};
  EXPECT_EQ(fault_of(view, 4), "");
  EXPECT_EQ(contiguous_bytes(view, Dtype::uint8, "abcd"), "bd");
}

TEST(Weights, JoinsTheDimensionsThatAreWalkedAsOne) {
  const TensorView plain = joined({0, 5, {1, 2, 3, 1}, {9, 3, 1, 7}});
  EXPECT_EQ(plain.offset, 5);
  EXPECT_THAT(plain.sizes, testing::ElementsAre(6));
  EXPECT_THAT(plain.strides, testing::ElementsAre(1));

  const TensorView permuted = joined({0, 0, {2, 3, 4, 5}, {60, 1, 15, 3}});  // the second dimension lay last
  EXPECT_THAT(permuted.sizes, testing::ElementsAre(2, 3, 20));
  EXPECT_THAT(permuted.strides, testing::ElementsAre(60, 1, 3));

  EXPECT_TRUE(joined({0, 0, {1, 1}, {INT64_MAX, INT64_MAX}}).sizes.empty());
  const TensorView repeated = joined({0, 0, {2, 3, 4}, {0, 0, 0}});
  EXPECT_THAT(repeated.sizes, testing::ElementsAre(24));
}

TEST(Weights, KnowsZlibsChecksum) {
  EXPECT_EQ(crc32_ieee("123456789"), 0xCBF43926u);
}

}  // namespace
}  // namespace plume
