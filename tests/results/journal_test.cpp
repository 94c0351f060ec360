// The journal that nothing has damaged: what is written, what counts, what a full disk leaves.
#include "results/journal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <cmath>

#include "storage/digest.hpp"
#include "storage/error.hpp"
#include "tests/results/samples.hpp"

namespace {

using results::AttemptEnded;
using results::Failed;
using results::Journal;
using results::Note;
using results::Replay;
using results::replay_journal;
using samples::done;
using samples::finished;
using samples::training;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

/// No file may grow beyond `bytes` while it lives: what a full disk looks like to write(2), as EFBIG.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(std::uintmax_t bytes) {
    old_handler_ = ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &old_limit_);
    rlimit limit = old_limit_;
    limit.rlim_cur = bytes;
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) throw std::runtime_error("setrlimit failed");
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &old_limit_);
    ::signal(SIGXFSZ, old_handler_);
  }

 private:
  rlimit old_limit_{};
  sighandler_t old_handler_ = nullptr;
};

template <typename Do>
std::string error_of(const Do& act) {
  try {
    act();
  } catch (const storage::Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(JournalLine, IsSealedWithTheChecksumOfWhatStandsBeforeIt) {
  const std::string line = results::encode(Note{"retry-failed"});

  const std::string body = R"({"v":1,"type":"note","text":"retry-failed")";
  EXPECT_EQ(line, body + R"(,"crc":")" + storage::crc32c_hex(body) + R"("})");
}

TEST(JournalLine, HasTheKeysInTheDocumentedOrder) {
  const sweeps::Job job = training("airplane", 0);

  const std::string line = results::encode(done(job, finished({0.5})));

  EXPECT_THAT(line, StartsWith(R"({"v":1,"type":"done","key":")" + sweeps::key_of(job).hex + R"(","job":)" +
                               sweeps::canonical_text(job) + R"(,"attempt":1,"result":{)"));
  EXPECT_THAT(line,
              HasSubstr(R"(},"timing":{"wall_seconds":12.5,"host":"node7","started":"2026-11-27T20:15:03Z"},"crc":")"));
}

TEST(JournalLine, ReadsEveryTypeBack) {
  const sweeps::Job job = training("airplane", 3);
  const std::string text = "two\nlines, \"quotes\" and \xC3\xA9";

  const auto read_done =
      std::get<results::Done>(results::decode_entry(results::encode(done(job, finished({0.5}))), "x"));
  const auto read_failed = std::get<Failed>(results::decode_entry(results::encode(Failed{job, 2, "oom", text}), "x"));
  const auto read_attempt = std::get<AttemptEnded>(
      results::decode_entry(results::encode(AttemptEnded{sweeps::key_of(job), 1, "hung", text}), "x"));
  const auto read_start = std::get<results::AttemptStarted>(results::decode_entry(
      results::encode(results::AttemptStarted{sweeps::key_of(job), 4, "worker 3 (node7)", "2026-11-27T20:15:03Z"}),
      "x"));
  const auto read_note = std::get<Note>(results::decode_entry(results::encode(Note{text}), "x"));

  EXPECT_EQ(read_done.job, job);
  EXPECT_EQ(read_done.result, finished({0.5}));
  EXPECT_EQ(read_done.timing.host, "node7");
  EXPECT_EQ(read_failed.job, job);
  EXPECT_EQ(read_failed.attempt, 2);
  EXPECT_EQ(read_failed.cause, "oom");
  EXPECT_EQ(read_failed.message, text);
  EXPECT_EQ(read_attempt.key, sweeps::key_of(job));
  EXPECT_EQ(read_attempt.cause, "hung");
  EXPECT_EQ(read_start.key, sweeps::key_of(job));
  EXPECT_EQ(read_start.attempt, 4);
  EXPECT_EQ(read_start.worker, "worker 3 (node7)");
  EXPECT_EQ(read_start.at, "2026-11-27T20:15:03Z");
  EXPECT_EQ(read_note.text, text);
}

TEST(Journal, ReplaysWhatItWrote) {
  const samples::TemporaryFolder folder;
  const auto file = folder / "journal.jsonl";
  {
    Journal journal(file, replay_journal(file));
    journal.append(done(training("airplane", 0), finished({0.5, 0.75})));
    journal.append(Failed{training("bird", 0), 2, "exception", "no luck"});
    journal.append(Note{"retry-failed"});
    journal.sync();
  }

  const Replay replay = replay_journal(file);

  EXPECT_EQ(replay.lines, 3u);
  EXPECT_EQ(replay.good_bytes, std::filesystem::file_size(file));
  EXPECT_FALSE(replay.cut_tail);
  ASSERT_EQ(replay.ledger.done.size(), 1u);
  EXPECT_EQ(replay.ledger.done.at(sweeps::key_of(training("airplane", 0))).result, finished({0.5, 0.75}));
  ASSERT_EQ(replay.ledger.failed.size(), 1u);
  EXPECT_EQ(replay.ledger.failed.at(sweeps::key_of(training("bird", 0))).message, "no luck");
}

TEST(Journal, ThatIsRemovedDuringARunIsPutBackAndTheRunStops) {
  const samples::TemporaryFolder folder;
  const auto file = folder / "journal.jsonl";
  Journal journal(file, replay_journal(file));
  journal.append(done(training("airplane", 0), finished({0.5})));
  journal.sync();
  std::filesystem::remove(file);
  journal.append(done(training("bird", 0), finished({0.75})));

  EXPECT_THAT(error_of([&] { journal.sync(); }), AllOf(HasSubstr("somebody removed it"), HasSubstr("put back")));

  EXPECT_EQ(replay_journal(file).ledger.done.size(), 2u);
  EXPECT_THAT(error_of([&] { journal.append(Note{"x"}); }), HasSubstr("nothing more is written"));
}

TEST(Journal, ThatIsReplacedDuringARunIsKeptBesideTheOther) {
  const samples::TemporaryFolder folder;
  const auto file = folder / "journal.jsonl";
  Journal journal(file, replay_journal(file));
  journal.append(done(training("airplane", 0), finished({0.5})));
  journal.sync();
  std::filesystem::copy_file(file, folder / "copy");
  std::filesystem::rename(folder / "copy", file);
  journal.append(done(training("bird", 0), finished({0.75})));

  EXPECT_THAT(error_of([&] { journal.sync(); }), AllOf(HasSubstr("somebody replaced it"), HasSubstr(".of-this-run")));

  EXPECT_EQ(replay_journal(file).ledger.done.size(), 1u);
  EXPECT_EQ(replay_journal(folder / "journal.jsonl.of-this-run").ledger.done.size(), 2u);
}

TEST(Ledger, NotesTwoResultsOfAJobThatDiffer) {
  results::Ledger ledger;
  ledger.apply(done(training("airplane", 0), finished({0.5})));
  ledger.apply(done(training("airplane", 0), finished({0.5})));
  EXPECT_TRUE(ledger.notes.empty());
  ledger.apply(done(training("airplane", 0), finished({0.9})));
  ASSERT_EQ(ledger.notes.size(), 1u);
  EXPECT_THAT(ledger.notes[0], AllOf(HasSubstr("airplane"), HasSubstr("two results that differ")));
}

TEST(JournalLine, RefusesAnAttemptThatNobodyCanHaveReached) {
  const auto line = results::encode(AttemptEnded{sweeps::key_of(training("airplane", 0)), 2147483647, "hung", ""});
  EXPECT_THAT(error_of([&] { results::decode_entry(line, "x"); }), HasSubstr("attempt"));
}

TEST(Journal, TakesAMissingOrEmptyFileForAnEmptyJournal) {
  const samples::TemporaryFolder folder;
  samples::write_bytes(folder / "empty.jsonl", "");

  EXPECT_EQ(replay_journal(folder / "missing.jsonl").lines, 0u);
  EXPECT_EQ(replay_journal(folder / "empty.jsonl").lines, 0u);
  EXPECT_FALSE(replay_journal(folder / "empty.jsonl").cut_tail);
}

TEST(Ledger, KnowsTheAttemptsOfAJobAndWhichWasUnderWayAtTheEnd) {
  const sweeps::Job job = training("airplane", 0), other = training("bird", 0);
  const auto key = sweeps::key_of(job);
  results::Ledger ledger;
  const auto start = [](int attempt) {
    return results::AttemptStarted{sweeps::key_of(training("airplane", 0)), attempt, "worker 1", ""};
  };

  ledger.apply(start(1));
  EXPECT_EQ(ledger.under_way.at(key).attempt, 1);
  ledger.apply(AttemptEnded{key, 1, "hung", ""});
  EXPECT_TRUE(ledger.under_way.empty());
  ledger.apply(start(2));
  ledger.apply(AttemptEnded{key, 1, "hung", ""});
  EXPECT_EQ(ledger.under_way.count(key), 1U) << "the end of an older attempt ends no newer one";
  ledger.apply(Failed{job, 2, "hung", ""});
  ledger.apply(Failed{other, 7, "hung", ""});

  EXPECT_TRUE(ledger.under_way.empty());
  EXPECT_EQ(ledger.attempts.at(key), 2);
  EXPECT_EQ(ledger.attempts.at(sweeps::key_of(other)), 7) << "journals of old have no starts";
}

TEST(Ledger, CountsTheFirstResultOfAJobAndItsLatestFailure) {
  const sweeps::Job job = training("airplane", 0), other = training("bird", 0);
  results::Ledger ledger;

  ledger.apply(Failed{job, 1, "oom", ""});
  ledger.apply(done(job, finished({0.5})));
  ledger.apply(done(job, finished({0.9})));
  ledger.apply(Failed{job, 2, "hung", ""});
  ledger.apply(Failed{other, 1, "oom", ""});
  ledger.apply(Failed{other, 2, "hung", ""});

  EXPECT_EQ(ledger.done.at(sweeps::key_of(job)).result, finished({0.5}));
  EXPECT_FALSE(ledger.failed.contains(sweeps::key_of(job)));
  EXPECT_EQ(ledger.failed.at(sweeps::key_of(other)).cause, "hung");
}

TEST(Journal, LeavesOnlyWholeLinesOnAFullDisk) {
  const samples::TemporaryFolder folder;
  const auto file = folder / "journal.jsonl";
  Journal journal(file, replay_journal(file));
  journal.append(Note{"first"});
  const std::string before = samples::bytes_of(file);
  std::string message;

  {
    const FileSizeLimit full(before.size() + 10);
    message = error_of([&] { journal.append(Note{"second"}); });
  }

  EXPECT_THAT(message, HasSubstr(file.string()));
  EXPECT_THAT(message, HasSubstr("File too large"));
  EXPECT_EQ(samples::bytes_of(file), before);
  journal.append(Note{"third"});  // there is room again
  EXPECT_EQ(replay_journal(file).lines, 2u);
}

TEST(Journal, WritesNoLineThatItWouldNotRead) {
  const samples::TemporaryFolder folder;
  const auto file = folder / "journal.jsonl";
  Journal journal(file, replay_journal(file));

  EXPECT_THROW(journal.append(done(training("airplane", 0), finished({1.5}))), storage::Error);

  EXPECT_EQ(std::filesystem::file_size(file), 0u);
}

TEST(Journal, RefusesAFileThatAnotherWriterLengthened) {
  const samples::TemporaryFolder folder;
  const auto file = folder / "journal.jsonl";
  const Replay stale = replay_journal(file);
  Journal(file, stale).append(Note{"by another"});

  EXPECT_THAT(error_of([&] { Journal second(file, stale); }), HasSubstr("another plume-bench"));

  EXPECT_EQ(replay_journal(file).lines, 1u);
}

TEST(Journal, WritesNothingMoreOnceAnotherRunHasWrittenToIt) {
  const samples::TemporaryFolder folder;
  const auto file = folder / "journal.jsonl";
  Journal stopped(file, replay_journal(file));
  stopped.append(Note{"first"});
  Journal other(file, replay_journal(file));
  other.append(Note{"second"});
  for (int again = 0; again < 2; ++again) {
    EXPECT_THAT(error_of([&] { stopped.append(Note{"third"}); }), HasSubstr("journal.jsonl: "));
  }
  other.append(Note{"fourth"});
  EXPECT_EQ(replay_journal(file).ledger.notes, (std::vector<std::string>{"first", "second", "fourth"}));
}

TEST(Journal, NamesAFileThatItCannotOpenOrThatIsNone) {
  const samples::TemporaryFolder folder;
  const auto nowhere = folder / "missing/journal.jsonl";

  EXPECT_THAT(error_of([&] { Journal journal(nowhere, Replay{}); }), HasSubstr(nowhere.string()));
  EXPECT_THAT(error_of([&] { Journal journal("/dev/full", Replay{}); }), HasSubstr("/dev/full: not a regular file"));
  EXPECT_THAT(error_of([&] { replay_journal(folder.path()); }), HasSubstr(folder.path().string()));
}

}  // namespace
