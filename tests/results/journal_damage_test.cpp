// Damage: a journal cut at every byte, flipped bytes, lines of other versions, and repair.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/journal.hpp"
#include "storage/digest.hpp"
#include "storage/error.hpp"
#include "tests/results/samples.hpp"

namespace {

using results::Journal;
using results::Note;
using results::Replay;
using results::replay_journal;
using samples::bytes_of;
using samples::write_bytes;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string sealed(const std::string& body) {
  return body + R"(,"crc":")" + storage::crc32c_hex(body) + R"("})";
}

std::string line_of(const results::Entry& entry) {
  return results::encode(entry) + "\n";
}

std::vector<std::string> three_lines() {
  return {line_of(samples::done(samples::training("airplane", 0), samples::finished({0.5}))),
          line_of(results::Failed{samples::training("bird", 0), 2, "oom", "too large"}), line_of(Note{"the end"})};
}

std::string joined(const std::vector<std::string>& lines) {
  std::string bytes;
  for (const std::string& line : lines) bytes += line;
  return bytes;
}

template <typename Do>
std::string error_of(const Do& act) {
  try {
    act();
  } catch (const storage::Error& error) {
    return error.what();
  }
  return "no error";
}

class DamagedJournal : public testing::Test {
 protected:
  std::string error_on_replay() const {
    return error_of([&] { replay_journal(file); });
  }
  /// What the file holds after it was opened for writing and one note appended.
  std::string after_append() const {
    Journal journal(file, replay_journal(file));
    journal.append(Note{"next"});
    return bytes_of(file);
  }

  samples::TemporaryFolder folder;
  std::filesystem::path file = folder / "journal.jsonl";
  std::vector<std::string> lines = three_lines();
};

/// The lines that a cut to `length` bytes leaves whole; a line is whole without its newline.
std::vector<std::string> whole_lines(const std::vector<std::string>& lines, std::size_t length) {
  std::vector<std::string> whole;
  std::size_t end = 0;
  for (const std::string& line : lines) {
    end += line.size();
    if (end - 1 <= length) whole.push_back(line);
  }
  return whole;
}

TEST_F(DamagedJournal, CutAtAnyByteKeepsEveryWholeLine) {
  const std::string bytes = joined(lines);
  for (std::size_t length = 0; length <= bytes.size(); ++length) {
    write_bytes(file, bytes.substr(0, length));
    const auto whole = whole_lines(lines, length);

    const Replay replay = replay_journal(file);

    ASSERT_EQ(replay.lines, whole.size()) << "cut at byte " << length;
    ASSERT_EQ(replay.ledger.done.size(), whole.empty() ? 0 : 1) << "cut at byte " << length;
    ASSERT_EQ(replay.cut_tail, length > joined(whole).size()) << "cut at byte " << length;
  }
}

TEST_F(DamagedJournal, CutAtAnyByteGoesOnAfterItsLastWholeLine) {
  lines = {line_of(Note{"a"}), line_of(Note{"b"})};  // short: every length costs syncs of a real disk
  const std::string bytes = joined(lines);
  for (std::size_t length = 0; length <= bytes.size(); ++length) {
    write_bytes(file, bytes.substr(0, length));

    ASSERT_EQ(after_append(), joined(whole_lines(lines, length)) + line_of(Note{"next"})) << "cut at byte " << length;
  }
}

TEST_F(DamagedJournal, WithAnyByteOfALineInItsMiddleFlippedIsRefusedByLine) {
  const std::string whole = joined(lines);
  for (std::size_t at = lines[0].size(); at < lines[0].size() + lines[1].size() - 1; ++at) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x04);
    write_bytes(file, bytes);

    ASSERT_THAT(error_on_replay(), AllOf(HasSubstr(file.string() + ": line 2: "),
                                         HasSubstr("`plume-bench repair " + folder.path().string() + "`")))
        << "byte " << at << " flipped";
  }
}

TEST_F(DamagedJournal, WithALineMissingItsNewlineInTheMiddleIsRefused) {
  lines[0].pop_back();
  write_bytes(file, joined(lines));

  EXPECT_THAT(error_on_replay(), HasSubstr("line 1: "));
}

TEST_F(DamagedJournal, WithADamagedLastLineLosesThatLineOnly) {
  lines[2][20] ^= 1;
  write_bytes(file, joined(lines));

  EXPECT_EQ(after_append(), lines[0] + lines[1] + line_of(Note{"next"}));
}

TEST_F(DamagedJournal, WithATailOfZerosAsAfterAPowerCutLosesTheTailOnly) {
  const std::string zeros(5000, '\0');
  const std::string kept = lines[0] + lines[1];
  const std::string next = line_of(Note{"next"});

  write_bytes(file, kept + zeros);
  EXPECT_EQ(after_append(), kept + next);
  write_bytes(file, kept + lines[2].substr(0, 30) + zeros);
  EXPECT_EQ(after_append(), kept + next);
  write_bytes(file, zeros);
  EXPECT_EQ(after_append(), next);
}

TEST_F(DamagedJournal, WithBytesThatAreNoJsonUnderARightChecksumIsRefused) {
  write_bytes(file, lines[0] + sealed(R"({"v":1,"type":)") + "\n");

  EXPECT_THAT(error_on_replay(), AllOf(HasSubstr("line 2"), HasSubstr("plume-bench repair")));
}

TEST_F(DamagedJournal, OfANewerVersionIsNeitherCutNorRepaired) {
  const std::string newer = sealed(R"({"v":2,"type":"done","anything":[])") + "\n";
  for (const std::string& bytes : {lines[0] + newer, newer + lines[0]}) {
    write_bytes(file, bytes);

    EXPECT_THAT(error_on_replay(),
                AllOf(HasSubstr(file.string() + ": line "), HasSubstr("written by a newer plume-bench"),
                      HasSubstr("journal version 2"), Not(HasSubstr("repair"))));
    EXPECT_THAT(error_of([&] { results::repair_journal(file); }), HasSubstr("newer plume-bench"));
    EXPECT_EQ(bytes_of(file), bytes);
  }
}

/// A result as engine version 1 wrote it, with the keys of its records.
std::string line_of_engine_1() {
  return sealed(
             R"({"v":1,"type":"done","key":"a3bbaf4153825252af817de48f8e3e20","job":{"backbone":"efficientnet-lite0",)"
             R"("class":"cat","dataset":"cifar10","engine_version":1,"k":2,"method":"knn","normalisation":"imagenet",)"
             R"("scaling":"l2"},"attempt":1,"result":{"outcome":"finished","epochs":[{"epoch":0,"auc":0.5}],)"
             R"("train":{"id":"aaaa","checksum":"1111"},"test":{"id":"bbbb","checksum":"2222"},"train_rows":1000,)"
             R"("test_rows":10000,"dropped_single_row":false,"device":"cpu","threads":1},)"
             R"("timing":{"wall_seconds":12.5,"host":"node7","started":"2026-11-27T20:15:03Z"})") +
         "\n";
}

TEST_F(DamagedJournal, OfAnotherEngineVersionIsRefusedWithTheWayOut) {
  const std::string ours = std::to_string(sweeps::kEngineVersion), next = std::to_string(sweeps::kEngineVersion + 1);
  std::string newer = lines[1].substr(0, lines[1].find(R"(,"crc":)"));
  newer.replace(newer.find(R"("engine_version":)" + ours), 18, R"("engine_version":)" + next);
  const std::vector<std::pair<std::string, std::string>> versions = {{line_of_engine_1(), "1"},
                                                                     {sealed(newer) + "\n", next}};
  for (const auto& [line, version] : versions) {
    const std::string bytes = lines[2] + line + lines[2];
    write_bytes(file, bytes);

    const std::string refusal = file.string() + ": line 2: written by a plume-bench of engine version " + version +
                                "; this one is of engine version " + ours +
                                ", and their results do not mix: use another --out, or the plume-bench that wrote it";
    EXPECT_EQ(error_on_replay(), refusal);
    EXPECT_EQ(error_of([&] { results::repair_journal(file); }), refusal) << "not damaged: nothing to repair";
    EXPECT_EQ(bytes_of(file), bytes);
  }
}

TEST_F(DamagedJournal, WithAResultThatHidesItsWeightsIsRefused) {
  results::Done on_features = samples::done(samples::training("bird", 0), samples::finished({0.5}));
  on_features.result.weights = "";
  results::Done on_images = samples::done(samples::plad("bird", 0), samples::finished({0.5}));
  on_images.result.weights = samples::kOtherFile;

  write_bytes(file, lines[0] + line_of(on_features) + lines[2]);
  EXPECT_THAT(error_on_replay(),
              HasSubstr("line 2: result.weights: expected what the rows of its backbone were made with, found \"\""));
  write_bytes(file, line_of(on_images) + lines[2]);
  EXPECT_THAT(error_on_replay(), HasSubstr("line 1: result.weights: expected \"\": its rows are not a backbone's"));
}

TEST_F(DamagedJournal, WithAKeyThatIsNotItsJobsIsRefused) {
  const std::string key = sweeps::key_of(samples::training("bird", 0)).hex;
  const std::string other = sweeps::key_of(samples::training("cat", 0)).hex;
  std::string body = lines[1].substr(0, lines[1].find(R"(,"crc":)"));
  body.replace(body.find(key), key.size(), other);
  write_bytes(file, lines[0] + sealed(body) + "\n");

  EXPECT_THAT(error_on_replay(), AllOf(HasSubstr("line 2"), HasSubstr(key), HasSubstr(other)));
}

TEST_F(DamagedJournal, OfAnUnknownTypeOrKeyIsRefused) {
  write_bytes(file, sealed(R"({"v":1,"type":"doen","text":"x")") + "\n");
  EXPECT_THAT(error_on_replay(), AllOf(HasSubstr("line 1: type"), HasSubstr(R"(found "doen")")));
  write_bytes(file, sealed(R"({"v":1,"type":"note","texts":"x")") + "\n");
  EXPECT_THAT(error_on_replay(), AllOf(HasSubstr("line 1"), HasSubstr("texts")));
}

TEST_F(DamagedJournal, WithWindowsLineEndsIsReadAndGoesOn) {
  std::string bytes;
  for (const std::string& line : lines) bytes += line.substr(0, line.size() - 1) + "\r\n";
  write_bytes(file, bytes);

  EXPECT_EQ(replay_journal(file).lines, 3u);
  EXPECT_EQ(after_append(), bytes + line_of(Note{"next"}));
}

TEST_F(DamagedJournal, IsRepairedByMovingItsBadLinesAside) {
  std::string flipped = lines[1];
  flipped[40] ^= 1;
  write_bytes(file, lines[0] + flipped + "\n" + lines[2] + lines[1].substr(0, 50));

  EXPECT_EQ(results::repair_journal(file), 3u);

  EXPECT_EQ(bytes_of(file), lines[0] + lines[2]);
  EXPECT_EQ(bytes_of(folder / "journal.jsonl.bad-1"), flipped + "\n" + lines[1].substr(0, 50) + "\n");
  EXPECT_EQ(replay_journal(file).lines, 2u);
}

TEST_F(DamagedJournal, KeepsWhatEarlierRepairsMovedAside) {
  write_bytes(folder / "journal.jsonl.bad-1", "earlier\n");
  write_bytes(file, "garbage\n" + lines[0]);

  EXPECT_EQ(results::repair_journal(file), 1u);

  EXPECT_EQ(bytes_of(folder / "journal.jsonl.bad-1"), "earlier\n");
  EXPECT_EQ(bytes_of(folder / "journal.jsonl.bad-2"), "garbage\n");
}

TEST_F(DamagedJournal, ThatIsWholeIsNotTouchedByRepair) {
  write_bytes(file, joined(lines));

  EXPECT_EQ(results::repair_journal(file), 0u);

  EXPECT_EQ(bytes_of(file), joined(lines));
  EXPECT_FALSE(std::filesystem::exists(folder / "journal.jsonl.bad-1"));
  EXPECT_THAT(error_of([&] { results::repair_journal(folder / "other.jsonl"); }), HasSubstr("other.jsonl"));
}

}  // namespace
