// Sealed files: whole or refused, whatever befell their bytes.
#include "storage/sealed_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "storage/error.hpp"
#include "tests/temporary_folder.hpp"

namespace storage {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

const OnPiece kNobody = [] {};

void write(const fs::path& file, const std::string& header, const std::vector<std::string>& body) {
  std::size_t bytes = 0;
  for (const auto& part : body) bytes += part.size();
  SealedFileWriter writer(file, header, bytes, kNobody);
  for (const auto& part : body) writer.append(part);
  const std::uint64_t size = writer.publish();
  EXPECT_EQ(size, fs::file_size(file));
}

/// Header and body of `file`, the body read in parts of `part` bytes.
std::pair<std::string, std::string> read(const fs::path& file, std::size_t part = 1 << 20) {
  SealedFileReader reader(file);
  std::string body(reader.body_bytes(), '?');
  for (std::size_t at = 0; at < body.size(); at += part) {
    reader.read(body.data() + at, std::min(part, body.size() - at), kNobody);
  }
  reader.check();
  return {reader.header(), body};
}

std::string refusal(const fs::path& file) {
  try {
    read(file);
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::StartsWith(file.string() + ": "));
    return error.what();
  }
  return "not refused";
}

TEST(SealedFile, GivesBackWhatWasWritten) {
  const tests::TemporaryFolder folder;
  const fs::path file = folder / "deep/er/file";
  std::string large(10'000'001, 'x');  // three pieces
  for (std::size_t i = 0; i < large.size(); ++i) large[i] = static_cast<char>(i * 2654435761U >> 13);
  int pieces = 0;
  SealedFileWriter writer(file, "{\"a\":1}", large.size() + 3, [&] { ++pieces; });
  writer.append(large);
  writer.append("abc");
  writer.publish();
  EXPECT_GE(pieces, 4);
  EXPECT_EQ(read(file), std::pair(std::string("{\"a\":1}"), large + "abc"));
  EXPECT_EQ(read(file, 7777).second, large + "abc");
  write(file, "", {});
  EXPECT_EQ(read(file), std::pair(std::string(), std::string()));
  EXPECT_EQ(std::distance(fs::directory_iterator(file.parent_path()), fs::directory_iterator()), 1);
}

TEST(SealedFile, ThatIsNotFinishedLeavesTheOldOneAndNothingBeside) {
  const tests::TemporaryFolder folder;
  write(folder / "file", "old", {"body"});
  {
    SealedFileWriter writer(folder / "file", "new", 10, kNobody);
    writer.append("half");
    EXPECT_EQ(folder.entry_count(), 2);
    EXPECT_THROW(writer.publish(), std::logic_error);
    EXPECT_THROW(writer.append("much too long"), std::logic_error);
  }
  EXPECT_EQ(folder.entry_count(), 1);
  EXPECT_EQ(read(folder / "file").first, "old");
}

TEST(SealedFile, IsNotBegunWhereThereIsNoRoom) {
  const tests::TemporaryFolder folder;
  try {
    SealedFileWriter(folder / "file", "h", std::uint64_t{1} << 60, kNobody);
    FAIL() << "nobody has an exabyte";
  } catch (const DiskFull& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("cannot write 11529215046068"), HasSubstr("make room there")));
  }
  EXPECT_EQ(folder.entry_count(), 0);
}

TEST(SealedFile, CutAnywhereIsRefused) {
  const tests::TemporaryFolder folder;
  write(folder / "file", "{\"header\":true}", {"the body", " in two parts"});
  const std::string whole = tests::read_text(folder / "file");
  for (std::size_t length = 0; length < whole.size(); ++length) {
    tests::write_text(folder / "cut", whole.substr(0, length));
    EXPECT_THAT(refusal(folder / "cut"), HasSubstr("cut off")) << length;
  }
  tests::write_text(folder / "cut", whole + "x");
  EXPECT_THAT(refusal(folder / "cut"), HasSubstr("damaged"));
}

TEST(SealedFile, WithAnyFlippedBitIsRefused) {
  const tests::TemporaryFolder folder;
  write(folder / "file", "{\"header\":true}", {"the body"});
  const std::string whole = tests::read_text(folder / "file");
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    tests::write_text(folder / "damaged", damaged);
    EXPECT_NE(refusal(folder / "damaged"), "not refused") << bit;
  }
}

/// `text` with `bytes` in place of what is there at `at`.
std::string patched(std::string text, std::size_t at, const std::string& bytes) {
  return text.replace(at, bytes.size(), bytes);
}

TEST(SealedFile, ThatAnnouncesMoreThanItHasIsRefusedBeforeMemoryIsAskedFor) {
  const tests::TemporaryFolder folder;
  write(folder / "file", "{}", {"body"});
  const std::string whole = tests::read_text(folder / "file");
  const std::size_t lengths = whole.find('\n') + 1;
  for (const std::string& huge :
       {std::string("\xff\xff\xff\xff\xff\xff\xff\xff"), std::string("\x00\x00\x00\x03\x00\x00\x00\x00", 8),
        std::string("\xff\xff\xff\xff\xff\xff\xff\x7f")}) {
    for (const std::size_t at : {lengths, lengths + 8}) {
      tests::write_text(folder / "lies", patched(whole, at, huge));
      EXPECT_THAT(refusal(folder / "lies"), HasSubstr("its lengths are not those")) << at;
    }
  }
  // Lengths whose sum wraps around to the right one.
  std::string wrapped = patched(whole, lengths, std::string("\x03\x00\x00\x00\x00\x00\x00\x00", 8));
  tests::write_text(folder / "lies", patched(wrapped, lengths + 8, std::string("\x04\x00\x00\x00\x00\x00\x00\x00", 8)));
  EXPECT_THAT(refusal(folder / "lies"), HasSubstr("its lengths are not those"));
}

TEST(SealedFile, OfAnotherKindOrVersionIsToldApart) {
  const tests::TemporaryFolder folder;
  write(folder / "file", "{}", {"body"});
  const std::string whole = tests::read_text(folder / "file");
  tests::write_text(folder / "other", patched(whole, whole.find('\n') - 1, "2"));
  EXPECT_THAT(refusal(folder / "other"), HasSubstr("another version of its format"));
  tests::write_text(folder / "other", std::string(100, 'x'));
  EXPECT_THAT(refusal(folder / "other"), HasSubstr("not a file of this kind"));
}

TEST(SealedFile, ThatIsNoFileIsRefusedWithoutWaiting) {
  const tests::TemporaryFolder folder;
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  fs::create_directory(folder / "folder");
  EXPECT_THAT(refusal(folder / "pipe"), HasSubstr("expected a file"));
  EXPECT_THAT(refusal(folder / "folder"), HasSubstr("expected a file"));
  EXPECT_THAT(refusal(folder / "missing"), HasSubstr("No such file"));
}

TEST(SealedFile, IsReadToItsEndAndNoFurther) {
  const tests::TemporaryFolder folder;
  write(folder / "file", "{}", {"body"});
  std::string into(8, '?');
  SealedFileReader too_short(folder / "file");
  too_short.read(into.data(), 3, kNobody);
  EXPECT_THROW(too_short.check(), Error);
  SealedFileReader too_long(folder / "file");
  EXPECT_THROW(too_long.read(into.data(), 5, kNobody), Error);
}

}  // namespace
}  // namespace storage
