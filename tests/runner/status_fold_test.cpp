// Sentences and commands in lines of a width.
#include "runner/status_fold.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>

#include "runner/shell_text.hpp"
#include "storage/columns.hpp"

namespace runner {
namespace {

using testing::ElementsAre;

TEST(FoldedLines, LeaveACommandWholeOnALineOfItsOwnWhereItDoesNotFit) {
  EXPECT_THAT(folded_lines("it goes on: plume-bench run a.json", 40),
              ElementsAre("it goes on: plume-bench run a.json"));
  EXPECT_THAT(folded_lines("it goes on: plume-bench run a.json", 30),
              ElementsAre("it goes on:", "  plume-bench run a.json"));
  EXPECT_THAT(folded_lines("look here, `plume-bench explain a KEY` says why", 40),
              ElementsAre("look here, `plume-bench explain a KEY`", "  says why"));
  EXPECT_THAT(folded_lines("look, `plume-bench explain a KEY` says why it is so", 30),
              ElementsAre("look,", "  `plume-bench explain a KEY`", "  says why it is so"));
}

TEST(FoldedLines, TearWordsThatAreLongerThanALine) {
  EXPECT_THAT(folded_lines("a 0123456789012345678901234", 20), ElementsAre("a", "  012345678901234567", "8901234"));
}

/// What a shell makes of it: its words, a line each.
std::string words_in_a_shell(const std::string& command) {
  const std::string script = "set -f; for word in " + command + "\ndo printf '%s\\n' \"$word\"; done";
  const std::string line = "bash -c " + shell_word(script);
  std::string words;
  FILE* shell = popen(line.c_str(), "r");
  std::array<char, 256> bytes;
  for (std::size_t n = 1; n > 0;) {
    n = std::fread(bytes.data(), 1, bytes.size(), shell);
    words.append(bytes.data(), n);
  }
  pclose(shell);
  return words;
}

TEST(CommandLines, AreTheSameCommandWhenPastedAtAnyWidth) {
  const std::vector<std::string> words = {
      "plume-bench",    "run", "my long sweep's file.json", "--out", "/scratch/" + std::string(70, 'x'), "--only",
      "class=a b  c\\d"};
  std::string expected;
  for (const auto& word : words) expected += word + "\n";
  for (std::size_t columns = 20; columns < 160; ++columns) {
    std::string pasted;
    for (const auto& line : command_lines(shell_words(words), columns)) {
      EXPECT_LE(storage::columns_of(line), columns) << line;
      pasted += (pasted.empty() ? "" : "\n") + line;
    }
    ASSERT_EQ(words_in_a_shell(pasted), expected) << pasted;
  }
}

TEST(LinesWithoutTheirMiddle, BeginAndEndAsTheyDid) {
  EXPECT_THAT(without_middle({"a", "b", "c", "d", "e"}, 3, 20), ElementsAre("a", "b …", "e"));
  EXPECT_THAT(without_middle({"a", "b"}, 3, 20), ElementsAre("a", "b"));
  EXPECT_THAT(without_middle({"0123456789", "  abcdefghij"}, 1, 10), ElementsAre("01234…ghij"));
}

}  // namespace
}  // namespace runner
