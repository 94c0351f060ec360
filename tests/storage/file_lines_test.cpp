// Lines of a file, whatever the pieces in which it is read.
#include "storage/file_lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <vector>

#include "storage/error.hpp"
#include "tests/temporary_folder.hpp"

namespace storage {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Read {
  std::string text;
  std::uintmax_t end = 0;
  bool has_newline = false;
  bool is_last = false;
  bool operator==(const Read&) const = default;
};

std::vector<Read> lines_of(const std::string& bytes) {
  const tests::TemporaryFolder folder;
  tests::write_text(folder / "file", bytes);
  FileLines lines(folder / "file");
  std::vector<Read> all;
  while (const auto line = lines.next()) {
    all.push_back({std::string(line->text), line->end, line->has_newline, line->is_last});
  }
  return all;
}

TEST(FileLines, KnowsWhereEachEndsAndWhichIsTheLast) {
  EXPECT_THAT(lines_of("one\n\nthree\n"),
              ElementsAre(Read{"one", 4, true, false}, Read{"", 5, true, false}, Read{"three", 11, true, true}));
}

TEST(FileLines, TakesWhatFollowsTheLastNewlineAsALine) {
  EXPECT_THAT(lines_of("one\ntwo"), ElementsAre(Read{"one", 4, true, false}, Read{"two", 7, false, true}));
}

TEST(FileLines, AreNoneInAnEmptyFile) {
  EXPECT_TRUE(lines_of("").empty());
}

TEST(FileLines, LeavesTheCarriageReturnOfATransferOut) {
  EXPECT_THAT(lines_of("one\r\ntwo\r\n"), ElementsAre(Read{"one", 5, true, false}, Read{"two", 10, true, true}));
}

TEST(FileLines, RefusesALineOfNobodys) {
  const tests::TemporaryFolder folder;
  tests::write_text(folder / "file", "one\n");
  std::filesystem::resize_file(folder / "file", std::uintmax_t{10} << 30);  // a hole: zeros, and no newline
  FileLines lines(folder / "file");
  try {
    while (lines.next()) {
    }
    FAIL() << "took 10 GiB for a line";
  } catch (const Error& error) {
    EXPECT_THAT(
        error.what(),
        HasSubstr("file: expected a line of text, found more than 268435456 bytes without a newline from byte 4 on"));
  }
}

TEST(FileLines, OfTheGreatestLengthAreTaken) {
  const tests::TemporaryFolder folder;
  const auto file = folder / "file";
  tests::write_text(file, std::string(2'000'000, 'x') + "\nend\n");
  EXPECT_EQ(FileLines(file, 0, 2'000'000).next()->text.size(), 2'000'000u);
}

TEST(FileLines, AreWholeWhereverAPieceEnds) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;  // as it is read
  for (const std::size_t length : {kPiece - 2, kPiece - 1, kPiece, kPiece + 1, 3 * kPiece}) {
    const std::string first(length, 'x');
    EXPECT_THAT(lines_of(first + "\nend\n"),
                ElementsAre(Read{first, length + 1, true, false}, Read{"end", length + 5, true, true}))
        << length;
    EXPECT_THAT(lines_of(first + "\n"), ElementsAre(Read{first, length + 1, true, true})) << length;
    EXPECT_THAT(lines_of(first), ElementsAre(Read{first, length, false, true})) << length;
  }
}

TEST(FileLines, DoNotWaitForAPipe) {
  const tests::TemporaryFolder folder;
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_THROW(FileLines lines(folder / "pipe"), Error);
  EXPECT_THROW(FileLines lines("/dev/full"), Error);
}

TEST(FileLines, NamesAMissingFileAndAFolder) {
  const tests::TemporaryFolder folder;
  for (const auto& [path, why] : {std::pair(folder / "missing", "cannot open"), {folder.path(), "expected a file"}}) {
    try {
      FileLines lines(path);
      ADD_FAILURE() << path << " was opened";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(path.string() + ": " + why));
    }
  }
}

}  // namespace
}  // namespace storage
