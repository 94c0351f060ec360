// Checkpoints with the real program: whatever ends a training in the middle, the next attempt goes on, and the result
// is the one of an undisturbed run to the last byte.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "storage/digest.hpp"
#include "storage/json.hpp"
#include "tests/end_to_end/processes.hpp"
#include "tests/end_to_end/program.hpp"
#include "tests/end_to_end/tiny_sweep.hpp"

namespace tests {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kOnlyRing = "class=ring";
constexpr const char* kAlways = "1e-9";   // minutes: after every step
constexpr const char* kOften = "0.0005";  // every 30 ms

/// A digest of the bytes of each committed result, by job key.
std::map<std::string, std::string> results_of(const TinySweep& sweep) {
  std::map<std::string, std::string> results;
  std::istringstream journal(read_text(sweep.out() / "journal.jsonl"));
  for (std::string line; std::getline(journal, line);) {
    if (line.find("\"type\":\"done\"") == std::string::npos) continue;
    const auto begin = line.find("\"result\":"), end = line.find(",\"timing\":");
    EXPECT_TRUE(begin < end && end != std::string::npos) << line;
    const auto key = storage::parse_json(line, "journal", storage::Blame::run).at("key").string();
    const auto digest = storage::hex(storage::sha256(line.substr(begin, end - begin)));
    EXPECT_TRUE(results.emplace(key, digest).second) << "committed twice";
  }
  return results;
}

/// Of the ring's training of so many epochs that nothing disturbs.
const std::map<std::string, std::string>& undisturbed(const SweepShape& shape) {
  static std::map<std::pair<int, std::string>, std::map<std::string, std::string>> known;
  auto& results = known[{shape.epochs, shape.lr}];
  if (results.empty()) {
    const TinySweep sweep(shape);
    const auto ended = sweep.run({"--only", kOnlyRing, "--checkpoint-every", "0"});
    EXPECT_EQ(ended.status, 0) << ended.errors;
    results = results_of(sweep);
    EXPECT_EQ(results.size(), 1U);
  }
  return results;
}

std::vector<fs::path> checkpoints_in(const TinySweep& sweep) {
  std::vector<fs::path> files;
  if (!fs::exists(sweep.out() / "attempts")) return files;
  for (const auto& entry : fs::recursive_directory_iterator(sweep.out() / "attempts")) {
    if (entry.path().filename().string().starts_with("checkpoint")) files.push_back(entry.path());
  }
  return files;
}

std::size_t times(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

const SweepShape kShort{.seeds = 1, .epochs = 5};
const SweepShape kFinding{.seeds = 1, .epochs = 5, .lr = "\"find\""};
const SweepShape kLong{.seeds = 1, .epochs = 300};

std::vector<std::string> flags(const std::vector<std::string>& more = {}, const char* every = kAlways) {
  std::vector<std::string> all = {"--only", kOnlyRing, "--checkpoint-every", every};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

TEST(Checkpoint, LetsTheNextAttemptGoOnWhereATrainerWasKilled) {
  const TinySweep sweep(kFinding);
  const auto ended = sweep.run(flags(), {fault("kill@attempt=1,epoch=2")});
  EXPECT_EQ(ended.status, 0) << ended.errors;
  EXPECT_EQ(results_of(sweep), undisturbed(kFinding));
  EXPECT_THAT(sweep.log(), AllOf(HasSubstr("wrote a checkpoint of synthetic/ring"), HasSubstr("epoch 2 step 3, "),
                                 HasSubstr("resumed from epoch 2 step 3 of attempt 1")));
  EXPECT_EQ(times(ended.errors, " epoch 2: "), 2U) << "it was not over when the checkpoint was written";
  EXPECT_EQ(times(ended.errors, " epoch 1: "), 1U);
  EXPECT_EQ(sweep.journal("done").at(0).attempt, 2);
  EXPECT_TRUE(checkpoints_in(sweep).empty()) << "needless once the result is durable";
}

TEST(Checkpoint, OfARunThatWasKilledIsGoneOnWithByTheNextRun) {
  const TinySweep sweep(kLong);
  {
    Running run(sweep.command(flags({}, kOften)), sweep.folder());
    ASSERT_TRUE(run.until([&] { return times(sweep.log(), "wrote a checkpoint") > 2; }));
    run.signal(SIGKILL);
    run.wait();
    ASSERT_TRUE(eventually([&] { return trainers_in(sweep.folder()).empty(); }, std::chrono::seconds(20)));
    EXPECT_THAT(run_program({"chain", sweep.out().string(), "--status", "137"}, sweep.folder()).output,
                ContainsRegex("and 1 training.s. that were cut off go on from a checkpoint, the farthest from epoch "
                              "[0-9]+ of " +
                              std::to_string(kLong.epochs) + "; another allocation goes on"));
  }
  ASSERT_EQ(sweep.committed(), 0U);
  const auto ended = sweep.run(flags({}, "10"));
  EXPECT_EQ(ended.status, 0) << ended.errors;
  EXPECT_THAT(sweep.log(), HasSubstr(" of attempt 1 (attempt 2, read in "));
  EXPECT_EQ(results_of(sweep), undisturbed(kLong));
  EXPECT_TRUE(checkpoints_in(sweep).empty());
}

TEST(Checkpoint, LetsAChainOfDrainedRunsFinishOneLongTraining) {
  const TinySweep sweep(kLong);
  std::vector<std::string> lines;
  for (int link = 0; link < 3; ++link) {
    Running run(sweep.command(flags({"--infrastructure-retries", "0", "--job-retries", "0"}, kOften)), sweep.folder());
    const auto before = times(sweep.log(), "wrote a checkpoint");
    ASSERT_TRUE(run.until([&] { return times(sweep.log(), "wrote a checkpoint") > before; }));
    run.signal(SIGUSR1);
    const auto ended = run.wait();
    EXPECT_EQ(ended.status, 4) << ended.errors;
    EXPECT_THAT(ended.errors,
                AllOf(HasSubstr("long ones make way with a checkpoint"), HasSubstr("1 of 1 jobs are left")));
    EXPECT_THAT(ended.errors, Not(HasSubstr("it is tried again"))) << "nothing failed";
    lines.push_back(ended.errors);
    EXPECT_EQ(checkpoints_in(sweep).size(), 1U);
  }
  const auto last = sweep.run(flags({}, "10"));
  EXPECT_EQ(last.status, 0) << last.errors;
  lines.push_back(last.errors);
  const auto attempts = sweep.journal("attempt");
  ASSERT_EQ(attempts.size(), 3U);
  for (const auto& attempt : attempts) {
    EXPECT_EQ(attempt.cause, "drained");
    EXPECT_THAT(attempt.message, HasSubstr("given back on request at epoch "));
  }
  EXPECT_EQ(sweep.journal("done").at(0).attempt, 4);
  EXPECT_EQ(results_of(sweep), undisturbed(kLong));
  EXPECT_TRUE(checkpoints_in(sweep).empty());
  std::string all;
  for (const auto& one : lines) all += one;
  for (int epoch = 0; epoch < kLong.epochs; ++epoch) {
    EXPECT_EQ(times(all, " epoch " + std::to_string(epoch) + ": "), 1U) << "an epoch's line is printed once";
  }
}

TEST(Checkpoint, IsNotWrittenWhereNoneIsWantedOrTheTrainingIsShort) {
  for (const char* every : {"0", "10"}) {
    const TinySweep sweep(kShort);
    const auto ended = sweep.run(flags({}, every), {fault("kill@attempt=1,epoch=3")});
    EXPECT_EQ(ended.status, 0) << ended.errors;
    EXPECT_THAT(sweep.log(), AllOf(Not(HasSubstr("checkpoint of")), Not(HasSubstr("resumed from"))));
    EXPECT_EQ(results_of(sweep), undisturbed(kShort));
  }
}

TEST(Checkpoint, OfATrainingThatFailedByItselfIsNotGoneOnWith) {
  const TinySweep sweep(kShort);
  const auto once = sweep.run(flags(), {fault("throw@attempt=1,epoch=2")});
  EXPECT_EQ(once.status, 0) << once.errors;
  EXPECT_THAT(sweep.log(), AllOf(HasSubstr("wrote a checkpoint"), Not(HasSubstr("resumed from"))));
  EXPECT_EQ(results_of(sweep), undisturbed(kShort));

  const TinySweep failing(kShort);
  EXPECT_EQ(failing.run(flags({"--job-retries", "0"}), {fault("throw@epoch=2")}).status, 3);
  EXPECT_TRUE(checkpoints_in(failing).empty()) << "nobody will read it";
  const auto again = failing.run(flags({"--retry-failed"}));
  EXPECT_EQ(again.status, 0) << again.errors;
  EXPECT_THAT(failing.log(), Not(HasSubstr("resumed from")));
  EXPECT_EQ(results_of(failing), undisturbed(kShort));
}

TEST(Checkpoint, IsCountedWhereTheRestOfATrainingMustEndInTime) {
  const TinySweep sweep({.seeds = 2, .epochs = 5});
  const auto timed = sweep.run({"--only", "class=ring,seed=0"}, {fault("slow")});
  EXPECT_EQ(timed.status, 0) << timed.errors;  // 5 s and a little
  const std::vector<std::string> other = {"--only", "class=ring,seed=1", "--job-retries", "0", "--checkpoint-every"};
  auto begun = other, late = other;
  begun.emplace_back(kAlways);
  EXPECT_EQ(sweep.run(begun, {fault("kill@epoch=2")}).status, 3);
  late.insert(late.end(), {"0", "--retry-failed", "--deadline", "3", "--deadline-margin", "0"});
  const auto ended = sweep.run(late);
  EXPECT_EQ(ended.status, 4) << ended.errors;
  EXPECT_THAT(ended.errors, testing::ContainsRegex("the shortest job left takes about [34] s")) << "3 of its 5 epochs";
}

// ---- what may lie in a checkpoint's place

/// A sweep whose one training died at attempt 1, and the checkpoint that it left.
class Left : public testing::Test {
 protected:
  Left() {
    const auto ended = sweep_.run(flags({"--job-retries", "0"}), {fault("kill@epoch=2")});
    EXPECT_EQ(ended.status, 3) << ended.errors;
    const auto left = checkpoints_in(sweep_);
    EXPECT_EQ(left.size(), 1U);
    if (left.size() != 1) return;
    file_ = left[0];
    good_ = read_text(file_);
    journal_ = read_text(sweep_.out() / "journal.jsonl");
  }

  /// Runs the job again with what lies there now, with another value of a flag, and puts the journal back for the next
  /// time.
  Ended retry(const std::string& flag = "", const std::string& value = "") {
    fs::remove(sweep_.out() / "logs/run.log");
    auto command = sweep_.command(flags({"--retry-failed"}, "10"));
    if (!flag.empty()) *(std::find(command.begin(), command.end(), flag) + 1) = value;
    const auto ended = Running(command, sweep_.folder()).wait();
    EXPECT_EQ(ended.status, 0) << ended.errors;
    EXPECT_TRUE(checkpoints_in(sweep_).empty());
    results_ = results_of(sweep_);
    write_text(sweep_.out() / "journal.jsonl", journal_);
    return ended;
  }
  void expect_refused(const std::string& what, const std::string& why) {
    const auto ended = retry();
    EXPECT_THAT(ended.errors, AllOf(HasSubstr("a checkpoint is not used: "), HasSubstr(why))) << what;
    EXPECT_EQ(times(ended.errors, "a checkpoint is not used: "), 1U) << what;
    EXPECT_THAT(sweep_.log(), AllOf(HasSubstr("warning synthetic/ring"), Not(HasSubstr("resumed from")))) << what;
    EXPECT_EQ(results_, undisturbed(kShort)) << what;
  }

  const TinySweep sweep_{kShort};
  fs::path file_;
  std::string good_, journal_;
  std::map<std::string, std::string> results_;
};

TEST_F(Left, ByASignalIsGoneOnWithWhenFailedJobsAreTriedAgain) {
  retry();
  EXPECT_THAT(sweep_.log(), HasSubstr("resumed from epoch 2 step 3 of attempt 1"));
  EXPECT_EQ(results_, undisturbed(kShort));
}

TEST_F(Left, DamagedIsRefusedAndTheJobRunsFromItsBeginning) {
  for (const std::size_t length : {std::size_t{0}, std::size_t{50}, good_.size() - 1}) {
    write_text(file_, good_.substr(0, length));
    expect_refused("cut to " + std::to_string(length), "cut off");
  }
  for (const std::size_t at : {std::size_t{60}, good_.size() / 2}) {
    auto flipped = good_;
    flipped[at] = static_cast<char>(flipped[at] ^ 4);
    write_text(file_, flipped);
    expect_refused("flipped at " + std::to_string(at), "damaged: the checksum of its ");
  }
  auto other_version = good_;
  other_version[other_version.find('\n') - 1] = '7';
  write_text(file_, other_version);
  expect_refused("version", "another version of its format");
}

TEST_F(Left, AsSomethingElseIsRefused) {
  fs::remove(file_);
  fs::create_directory(file_);
  expect_refused("a folder", "expected a file, found a folder, pipe or device");
  fs::create_directories(file_.parent_path());
  ASSERT_EQ(mkfifo(file_.c_str(), 0600), 0);
  expect_refused("a pipe", "expected a file, found a folder, pipe or device");
}

TEST_F(Left, OfAnotherJobThreadCountOrFeaturesIsRefused) {
  const TinySweep other({.seeds = 1, .epochs = 6});
  EXPECT_EQ(other.run(flags({"--job-retries", "0"}), {fault("kill@epoch=2")}).status, 3);
  const auto of_other = checkpoints_in(other);
  ASSERT_EQ(of_other.size(), 1U);
  write_text(file_, read_text(of_other[0]));
  expect_refused("another job's", "it is of another job");

  write_text(file_, good_);
  EXPECT_THAT(retry("--threads", "2").errors, HasSubstr("it is of 1 thread(s), here are 2"));
  write_text(file_, good_);
  EXPECT_THAT(retry("--weights", "efficientnet-lite0=random:2").errors, HasSubstr("it is of other training features"));
}

TEST_F(Left, ByTwoAttemptsTheFarthestGoodOneIsTaken) {
  const auto key = file_.parent_path().filename().string().substr(0, 32);
  const auto second = sweep_.out() / "attempts" / (key + "-2") / "checkpoint";
  EXPECT_EQ(sweep_.run(flags({"--job-retries", "0", "--retry-failed"}), {fault("kill@epoch=3")}).status, 3);
  ASSERT_TRUE(fs::exists(second));
  EXPECT_FALSE(fs::exists(file_)) << "the newer one replaces it";
  const auto newer = read_text(second);
  journal_ = read_text(sweep_.out() / "journal.jsonl");

  write_text(file_, good_);
  retry();
  EXPECT_THAT(sweep_.log(), HasSubstr("resumed from epoch 3 step 3 of attempt 2"));
  EXPECT_EQ(results_, undisturbed(kShort));

  write_text(file_, good_);
  write_text(second, newer.substr(0, newer.size() - 1));
  const auto ended = retry();
  EXPECT_THAT(ended.errors, HasSubstr("-2/checkpoint: cut off"));
  EXPECT_THAT(sweep_.log(), HasSubstr("resumed from epoch 2 step 3 of attempt 1"));
  EXPECT_EQ(results_, undisturbed(kShort));
}

TEST_F(Left, UnfinishedByADeadProcessGoesWithTheNextAttempt) {
  write_text(file_.parent_path() / "checkpoint.tmp.elsewhere.7.0", "half");
  const auto ended = sweep_.run(flags({"--job-retries", "0", "--retry-failed"}, "10"), {fault("kill@epoch=3")});
  EXPECT_EQ(ended.status, 3);
  EXPECT_EQ(checkpoints_in(sweep_), std::vector<fs::path>{file_}) << "the good one stays, the other is gone";
}

TEST_F(Left, OfAJobThatHasAResultIsRemovedWhenTheNextRunStarts) {
  const auto ended = sweep_.run(flags({"--retry-failed"}));
  ASSERT_EQ(ended.status, 0) << ended.errors;
  write_text(file_, good_);  // of a worker that was given up and went on unheard
  EXPECT_EQ(sweep_.run(flags()).status, 0);
  EXPECT_TRUE(checkpoints_in(sweep_).empty());
}

// ---- disks

TEST(Checkpoint, ThatCannotBeWrittenIsSaidOnceAndTheTrainingGoesOn) {
  const TinySweep sweep(kShort);
  // No file may grow above 300 kB; a checkpoint has 720.
  std::vector<std::string> limited{"bash", "-c", "ulimit -f 300; exec \"$@\"", "bash"};
  for (const auto& argument : sweep.command(flags())) limited.push_back(argument);
  const auto ended = Running(limited, sweep.folder()).wait();
  EXPECT_EQ(ended.status, 0) << ended.errors;
  EXPECT_EQ(times(ended.errors, "no checkpoint can be written, the training goes on without: "), 1U) << ended.errors;
  EXPECT_EQ(results_of(sweep), undisturbed(kShort));
  EXPECT_TRUE(checkpoints_in(sweep).empty()) << "nor half of one";
}

}  // namespace
}  // namespace tests
