// A journal that grows, is torn, repaired or replaced while somebody reads it.
#include "results/journal_tail.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "storage/error.hpp"
#include "tests/results/samples.hpp"

namespace results {
namespace {

/// A reader, and the texts of the notes that it knows.
class Reader {
 public:
  explicit Reader(const std::filesystem::path& file) : tail_(file) {}
  const std::vector<std::string>& look(std::uintmax_t up_to = UINTMAX_MAX) {
    was_new = tail_.read([this](Entry entry) { notes_.push_back(std::get<Note>(entry).text); },
                         [this] { notes_.clear(); }, up_to);
    return notes_;
  }
  const std::vector<std::string>& notes() const { return notes_; }
  bool was_new = false;

 private:
  JournalTail tail_;
  std::vector<std::string> notes_;
};

std::string line(const std::string& note) {
  return encode(Note{note}) + "\n";
}

void append(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::app | std::ios::binary) << bytes;
}

class JournalThatGrows : public testing::Test {
 protected:
  samples::TemporaryFolder folder_;
  std::filesystem::path file_ = folder_ / "journal.jsonl";
  Reader reader_{file_};
};

using testing::ElementsAre;

TEST_F(JournalThatGrows, IsReadOnceAndThenOnlyWhatWasAppended) {
  EXPECT_THAT(reader_.look(), ElementsAre());
  append(file_, line("a"));
  EXPECT_THAT(reader_.look(), ElementsAre("a"));
  EXPECT_THAT(reader_.look(), ElementsAre("a"));
  EXPECT_FALSE(reader_.was_new);
  append(file_, line("b") + line("c"));
  EXPECT_THAT(reader_.look(), ElementsAre("a", "b", "c"));
  EXPECT_TRUE(reader_.was_new);
}

TEST_F(JournalThatGrows, IsReadUpToAByteAndFromThereOn) {
  append(file_, line("a") + line("b") + line("c"));
  EXPECT_THAT(reader_.look(2 * line("a").size()), ElementsAre("a", "b"));
  EXPECT_THAT(reader_.look(2 * line("a").size() + 1), ElementsAre("a", "b")) << "a line in part is none";
  EXPECT_FALSE(reader_.was_new);
  EXPECT_THAT(reader_.look(line("a").size()), ElementsAre("a", "b")) << "what was read stays";
  EXPECT_THAT(reader_.look(), ElementsAre("a", "b", "c"));
}

TEST_F(JournalThatGrows, KeepsALineThatIsHalfWrittenForLater) {
  const auto whole = line("b");
  append(file_, line("a") + whole.substr(0, 20));
  EXPECT_THAT(reader_.look(), ElementsAre("a"));
  append(file_, whole.substr(20));
  EXPECT_THAT(reader_.look(), ElementsAre("a", "b"));
}

TEST_F(JournalThatGrows, TakesALineThatLacksOnlyItsNewlineOnce) {
  append(file_, encode(Note{"a"}));
  EXPECT_THAT(reader_.look(), ElementsAre("a"));
  append(file_, "\n" + line("b"));
  EXPECT_THAT(reader_.look(), ElementsAre("a", "b"));
}

TEST_F(JournalThatGrows, IsReadAnewWhereItWasReplacedOrGotShorter) {
  append(file_, line("a") + line("b"));
  reader_.look();
  std::filesystem::resize_file(file_, line("a").size());
  EXPECT_THAT(reader_.look(), ElementsAre("a"));
  const auto other = folder_ / "other";
  append(other, line("x") + line("y") + line("z"));
  std::filesystem::rename(other, file_);
  EXPECT_THAT(reader_.look(), ElementsAre("x", "y", "z"));
  std::filesystem::remove(file_);
  EXPECT_THAT(reader_.look(), ElementsAre());
}

TEST_F(JournalThatGrows, NamesADamagedLineThatIsNotTheLastAndKeepsThoseBefore) {
  auto bad = line("b");
  bad[20] = '?';
  append(file_, line("a") + bad + line("c"));
  try {
    reader_.look();
    FAIL() << "the damage was passed over";
  } catch (const storage::Error& error) {
    EXPECT_THAT(error.what(),
                testing::AllOf(testing::HasSubstr("journal.jsonl: line 2"), testing::HasSubstr("repair")));
  }
  EXPECT_THAT(reader_.notes(), ElementsAre("a"));
}

}  // namespace
}  // namespace results
