// Sealed safetensors files, byte by byte.
#include "storage/safetensors_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "storage/digest.hpp"
#include "storage/error.hpp"
#include "tests/storage/plain_files.hpp"

namespace storage {
namespace {

using namespace std::string_literals;
using storage_test::message_of;
using storage_test::read_plainly;
using storage_test::TemporaryFolder;
using testing::HasSubstr;

/// 1 and -2 in float32.
const std::string kNumbers = "\0\0\x80\x3f\0\0\0\xc0"s;

TEST(SafetensorsFile, IsALengthAPaddedHeaderAndTheNumbers) {
  const TemporaryFolder folder;
  write_safetensors(folder / "a.safetensors", {{"z", "\"quoted\""}, {"a", "b"}},
                    {{"one", {2}, kNumbers}, {"two", {1, 1}, std::string_view(kNumbers).substr(4)}});
  const auto file = read_plainly(folder / "a.safetensors");
  const auto header = R"({"__metadata__":{"a":"b","sha256":")" + std::string(64, '0') + R"(","z":"\"quoted\""},)" +
                      R"("one":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)" +
                      R"("two":{"dtype":"F32","shape":[1,1],"data_offsets":[8,12]}})";
  const auto padded = header + std::string((8 - header.size() % 8) % 8, ' ');
  auto unsealed = file;
  unsealed.replace(8 + header.find("000"), 64, std::string(64, '0'));
  EXPECT_EQ(unsealed, std::string(1, static_cast<char>(padded.size())) + std::string(7, '\0') + padded + kNumbers +
                          kNumbers.substr(4));
  EXPECT_EQ(padded.size() % 8, 0U);
  EXPECT_EQ(file.substr(8 + header.find("000"), 64), hex(sha256(unsealed)));
}

TEST(SafetensorsFile, IsTheSameBytesForTheSameInput) {
  const TemporaryFolder folder;
  for (const char* name : {"a", "b"}) write_safetensors(folder / name, {{"k", "v"}}, {{"one", {2}, kNumbers}});
  EXPECT_EQ(read_plainly(folder / "a"), read_plainly(folder / "b"));
  EXPECT_EQ(folder.entry_count(), 2) << "no temporary is left";
}

TEST(SafetensorsFile, IsSealedUntilAnyBitOfItChanges) {
  const TemporaryFolder folder;
  write_safetensors(folder / "a", {{"k", "v"}}, {{"one", {2}, kNumbers}});
  const auto file = read_plainly(folder / "a");
  EXPECT_TRUE(is_sealed(file));
  for (std::size_t i = 0; i < file.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      auto damaged = file;
      damaged[i] = static_cast<char>(damaged[i] ^ 1 << bit);
      EXPECT_FALSE(is_sealed(damaged)) << "byte " << i << " bit " << bit;
    }
    EXPECT_FALSE(is_sealed(file.substr(0, i))) << "cut to " << i;
  }
  EXPECT_FALSE(is_sealed(file + " "));
}

TEST(SafetensorsFile, RefusesNumbersThatDoNotFitTheirShapeAndASecondSeal) {
  const TemporaryFolder folder;
  const auto write = [&](std::vector<std::pair<std::string, std::string>> metadata, std::vector<std::int64_t> shape) {
    return message_of<std::logic_error>([&] {
      write_safetensors(folder / "a", std::move(metadata), {{"one", std::move(shape), kNumbers}});
    });
  };
  EXPECT_THAT(write({}, {3}), HasSubstr("one: its bytes do not fit"));
  EXPECT_THAT(write({{"sha256", ""}}, {2}), HasSubstr("seal"));
  EXPECT_EQ(folder.entry_count(), 0);
}

TEST(SafetensorsFile, ThatCannotBeWrittenLeavesTheOldOne) {
  const TemporaryFolder folder;
  storage_test::write_plainly(folder / "file", "old");
  EXPECT_THAT(message_of<Error>([&] { write_safetensors(folder / "file/a", {}, {}); }), HasSubstr("file"));
  EXPECT_EQ(read_plainly(folder / "file"), "old");
}

}  // namespace
}  // namespace storage
