// Small weight files that ask for much memory or time: refused, or read in time that fits their size.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "plume/weights.hpp"
#include "storage/error.hpp"
#include "tests/weight_file_bytes.hpp"

namespace plume {
namespace {

using testing::HasSubstr;
using tests::little;
using tests::pickled;
using namespace std::string_literals;

std::string refusal(std::string_view bytes) {
  try {
    read_weights_from_bytes(bytes, "file");
  } catch (const storage::Error& error) {
    return error.what();
  }
  return "";
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

/// A pickle alone, without storages.
std::string zip_of(const std::string& pickle) {
  return tests::zip_file({{"a/data.pkl", "\x80\x02" + pickle + "."}});
}

std::string tensor_over_one_float(const std::string& sizes, const std::string& strides) {
  return tests::pickled_tensor(tests::pickled_storage("0", 1), sizes, strides);
}
std::string zip_over_one_float(const std::string& pickle) {
  return tests::zip_file({{"a/data.pkl", "\x80\x02" + pickle + "."}, {"a/data/0", "\0\0\x80\x3f"s}});
}

/// A dictionary of `count` names of two bytes and the same tensor.
std::string same_tensor_many_times(const std::string& tensor, int count) {
  std::string object = "}(";
  for (int i = 0; i < count; ++i)
    object += "U\x02" + little(0x3030 + i % 64 + i / 64 * 256, 2) + (i == 0 ? tensor + "q\0"s : "h\0"s);
  return object + "u";
}

TEST(Proportion, RefusesOneStorageRepeatedWithoutEnd) {
  const std::string tensor = tensor_over_one_float("J\xa0\x86\x01\0\x85"s, "K\0\x85"s);  // 100,000 times the same float
  EXPECT_THAT(refusal(zip_over_one_float(same_tensor_many_times(tensor, 256))), HasSubstr("out of all proportion"));
}

TEST(Proportion, RefusesATensorOfManyDimensionsRepeatedWithoutEnd) {
  const std::string sizes = "(" + repeated("K\1", 64) + "t";
  std::string object = "}(";
  for (int i = 0; i < 40'000; ++i)
    object += "U\x04" + little(0x20202020u + i % 64 + i / 64 % 64 * 256 + i / 4096 * 65536, 4) +
              (i == 0 ? tensor_over_one_float(sizes, sizes) + "q\0"s : "h\0"s);
  EXPECT_THAT(refusal(zip_over_one_float(object + "u")), HasSubstr("out of all proportion"));
}

TEST(Proportion, RefusesADictionaryMadeFromOneListAgainAndAgain) {
  const std::string list = "](" + repeated("]q\2(NNe", 1) + repeated("h\2", 2'000) + "e\x85q\1";
  const std::string pickle = "(ccollections\nOrderedDict\nq\0"s + list + repeated("h\0h\1R"s, 2'000) + "t";
  EXPECT_THAT(refusal(zip_of(pickle)), HasSubstr("out of all proportion"));
}

TEST(Proportion, RefusesALongKeyOfAStorage) {
  EXPECT_THAT(refusal(zip_of("}" + pickled("w") + tests::pickled_storage(std::string(257, '0'), 1) + "s")),
              HasSubstr("a storage's key has 257 bytes"));
}

TEST(Proportion, FindsMemoEntriesInTimeWhateverTheirNumbers) {
  std::string pickle = "(N";
  for (std::uint32_t i = 0; i < 40'000; ++i) pickle += "r" + little(i * 42'043ull, 4);  // all alike modulo a prime
  pickle += repeated("j" + little(1 * 42'043, 4), 400'000) + "t";

  const auto start = std::chrono::steady_clock::now();
  EXPECT_THAT(refusal(zip_of(pickle)), HasSubstr("not a state dict"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST(Proportion, RefusesZipRecordsInOneAnother) {
  // "a/b" holds all of "a/data.pkl", header included.
  const std::string pickle = "\x80\x02}.", inner = tests::zip_local_header("a/data.pkl", pickle.size()) + pickle;
  const std::string file = tests::zip_local_header("a/b", inner.size()) + inner;
  const std::string directory = tests::zip_directory_entry("a/b", inner.size(), 0) +
                                tests::zip_directory_entry("a/data.pkl", pickle.size(), file.size() - inner.size());
  EXPECT_THAT(refusal(file + directory + tests::zip_end_record(2, directory.size(), file.size())),
              HasSubstr("\"a/b\" overlaps \"a/data.pkl\""));
}

TEST(Proportion, RefusesALongShapeBeforeItIsTakenApart) {
  const std::string shape = "[0" + repeated(",0", 100'000) + "]";
  EXPECT_THAT(
      refusal(tests::safetensors_file(R"({"w":{"dtype":"F32","shape":)" + shape + R"(,"data_offsets":[0,0]}})", "")),
      HasSubstr("w.shape: expected a list of at most 64, found one of 100001"));
}

TEST(Proportion, RefusesAHeaderOfMoreValuesThanTensorsCanNeed) {
  const std::string file = tests::safetensors_file("{\"__metadata__\":[0" + repeated(",0", 1'000'000) + "]}", "");
  EXPECT_THAT(refusal(file), HasSubstr("more values"));
}

}  // namespace
}  // namespace plume
