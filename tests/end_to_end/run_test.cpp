// The whole program on the embedded images at D = 384: the same table whatever happens on the way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <set>

#include "tests/end_to_end/program.hpp"
#include "tests/temporary_folder.hpp"

namespace tests {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// 2 classes x 3 variants x `seeds` trainings and two baselines, on 2 x (24 + 12) images.
std::string small_sweep(int seeds, int epochs) {
  const auto n = std::to_string(seeds);
  const auto axes = R"("dataset": "synthetic", "backbone": "efficientnet-lite0", "train_rows": 24, "test_rows": 12)";
  const auto training = std::string(R"("lr": 0.001, "dimension": 384, "batch_size": 8, "epochs": )") +
                        std::to_string(epochs) + R"(, "seeds": )" + n;
  return std::string(R"({"version": 1, "name": "small",
    "datasets": {"synthetic": {"kind": "synthetic", "classes": 2, "train_per_class": 24, "test_per_class": 12}},
    "blocks": [
      {)") +
         axes + ", " + training + R"(, "perturbation": ["linear-map", "add-mult"], "guidance": "full", "lambda": 5},
      {)" +
         axes + ", " + training + R"(, "perturbation": "gaussian", "guidance": "none"},
      {)" +
         axes + R"(, "method": "knn", "k": 2, "scaling": ["raw", "l2"]}],
    "tables": [{"id": "small"}]})";
}

/// One cache for all tests of this program: features are made by the first that needs them, under the cache's own
/// rules.
fs::path shared_cache() {
  static const TemporaryFolder cache;
  return cache.path();
}

class Sweep {
 public:
  explicit Sweep(int seeds = 2, int epochs = 2) { write_text(folder_ / "sweep.json", small_sweep(seeds, epochs)); }

  std::vector<std::string> arguments(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> list = {"run",       "sweep.json",
                                     "--out",     "out",
                                     "--threads", "1",
                                     "--cache",   shared_cache().string(),
                                     "--weights", "efficientnet-lite0=" + real_weights().string()};
    list.insert(list.end(), more.begin(), more.end());
    return list;
  }
  std::vector<std::string> command(const std::vector<std::string>& more = {}) const {
    auto list = arguments(more);
    list.insert(list.begin(), program().string());
    return list;
  }
  Ended run(const std::vector<std::string>& more = {}) const { return run_program(arguments(more), folder_.path()); }
  std::string table() const {
    return read_text(folder_ / "out/report/tables/small.md") + read_text(folder_ / "out/report/tables/small.csv");
  }
  std::string log() const { return read_text(folder_ / "out/logs/run.log"); }
  std::size_t committed() const {
    const auto journal = folder_ / "out/journal.jsonl";
    if (!fs::exists(journal)) return 0;
    const auto text = read_text(journal);
    std::size_t count = 0;
    for (auto at = text.find("\"type\":\"done\""); at != std::string::npos; at = text.find("\"type\":\"done\"", at + 1))
      ++count;
    return count;
  }
  const fs::path& folder() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

/// The table of an undisturbed run with one worker.
const std::string& undisturbed_table() {
  static const std::string table = [] {
    const Sweep sweep;
    const auto ended = sweep.run();
    EXPECT_EQ(ended.status, 0) << ended.errors;
    return sweep.table();
  }();
  return table;
}

TEST(Run, ASecondCallDoesNoWorkAndPrintsTheSameTableToTheByte) {
  const Sweep sweep;
  const auto first = sweep.run();
  ASSERT_EQ(first.status, 0) << first.errors;
  EXPECT_EQ(sweep.committed(), 16U);  // 2 classes x (3 variants x 2 seeds + 2 baselines)
  const auto journal = read_text(sweep.folder() / "out/journal.jsonl");
  const auto second = sweep.run();
  EXPECT_EQ(second.status, 0);
  EXPECT_EQ(second.output, first.output);
  EXPECT_EQ(read_text(sweep.folder() / "out/journal.jsonl"), journal);
  EXPECT_THAT(second.errors, HasSubstr("16 done, 0 to run"));
}

TEST(Run, ThreeWorkersGiveTheNumbersOfOne) {
  const Sweep sweep;
  ASSERT_EQ(sweep.run({"--workers", "3"}).status, 0);
  EXPECT_EQ(sweep.table(), undisturbed_table());
}

TEST(Run, TheReportIsMadeAgainFromTheJournalAlone) {
  const Sweep sweep;
  const auto run = sweep.run();
  ASSERT_EQ(run.status, 0) << run.errors;
  const auto table = sweep.table();
  fs::remove_all(sweep.folder() / "out/report");
  const auto report = run_program({"report", "out"}, sweep.folder());
  EXPECT_EQ(report.status, 0) << report.errors;
  EXPECT_EQ(sweep.table(), table);
  EXPECT_EQ(report.output, run.output);
}

TEST(Run, TheReportSaysHowLongEachWorkerWasAtWork) {
  const Sweep sweep;
  ASSERT_EQ(sweep.run({"--workers", "2"}).status, 0);
  const auto uses = read_text(sweep.folder() / "out/report/workers.csv");
  EXPECT_THAT(uses, testing::ContainsRegex("\n[^,]*out,[^,]*Z,1,[^,]+,,[0-9]+,[0-9.]+,[0-9.]+,[0-9.]+,0[.][0-9]+\n"));
  EXPECT_EQ(std::count(uses.begin(), uses.end(), '\n'), 3) << "a header and two workers: " << uses;
  EXPECT_THAT(read_text(sweep.folder() / "out/logs/run.log"), testing::ContainsRegex("workers were idle [0-9]+ % of"));
}

TEST(Run, ACoordinatorKilledInTheMiddleLosesNothingAndTheSameCommandGoesOn) {
  const Sweep sweep(2, 2);
  undisturbed_table();  // its features are in the cache, so that the kill falls among the trainings
  {
    Running run(sweep.command({"--workers", "2"}), sweep.folder());
    ASSERT_TRUE(run.until([&] { return sweep.committed() >= 3; }));
    run.signal(SIGKILL);
    EXPECT_EQ(run.wait().status, 128 + SIGKILL);
  }
  const auto before = sweep.committed();
  EXPECT_LT(before, 16U);
  ASSERT_TRUE(fs::exists(sweep.folder() / "out/lock"));
  const auto again = sweep.run({"--workers", "2"});
  EXPECT_EQ(again.status, 0) << again.errors;
  EXPECT_THAT(again.errors, Not(HasSubstr("watching"))) << "the lock of a dead process is taken at once";
  EXPECT_EQ(sweep.committed(), 16U) << "each job is committed once";
  EXPECT_THAT(sweep.log(), AllOf(HasSubstr("under way when the last run ended"), HasSubstr("(attempt 2)")));
  EXPECT_THAT(read_text(sweep.folder() / "out/journal.jsonl"),
              HasSubstr(R"("cause":"worker-lost","message":"the run ended while worker )"));
  EXPECT_EQ(sweep.table(), undisturbed_table());
}

TEST(Run, CtrlCDrainsAndTheSameCommandFinishes) {
  const Sweep sweep(2, 2);
  undisturbed_table();
  {
    Running run(sweep.command(), sweep.folder());
    ASSERT_TRUE(run.until([&] { return sweep.committed() >= 2; }));
    run.signal(SIGINT);
    const auto ended = run.wait();
    EXPECT_EQ(ended.status, 4) << ended.errors;
    EXPECT_THAT(ended.errors, HasSubstr("the same command goes on"));
    EXPECT_THAT(ended.output, HasSubstr("missing"));
  }
  EXPECT_EQ(sweep.run().status, 0);
  EXPECT_EQ(sweep.table(), undisturbed_table());
}

TEST(Run, OnlyPrintsALineAnEpochAndLeavesTheOtherCellsMissing) {
  const Sweep sweep;
  const auto ended = sweep.run({"--only", "seed=0,perturbation=gaussian"});
  EXPECT_EQ(ended.status, 0) << ended.errors;
  EXPECT_EQ(sweep.committed(), 2U);
  EXPECT_THAT(ended.errors, testing::ContainsRegex("epoch 1: AUROC 0.*, AP 0.*, FPR95 .*, loss .*, lr .*\n"));
  EXPECT_THAT(ended.output, HasSubstr("missing"));
}

TEST(Run, OnlyPrintsNoEpochsInSharesAndWhereThatIsAsked) {
  const std::vector<std::string> only{"--only", "seed=0,perturbation=gaussian"};
  for (const std::vector<std::string>& more : {std::vector<std::string>{"--share", "1/1"}, {"--no-epoch-lines"}}) {
    const Sweep sweep;
    auto flags = only;
    flags.insert(flags.end(), more.begin(), more.end());
    const auto ended = sweep.run(flags);
    EXPECT_EQ(ended.status, 0) << ended.errors;
    EXPECT_EQ(sweep.committed(), 2U);
    EXPECT_THAT(ended.errors, testing::Not(HasSubstr("epoch 1: "))) << more[0];
  }
}

TEST(Run, OnlyShowsTheLearningRateThatWasFoundAndTheLogKeepsIt) {
  const Sweep sweep;
  auto text = read_text(sweep.folder() / "sweep.json");
  for (auto at = text.find("0.001"); at != std::string::npos; at = text.find("0.001")) {
    text.replace(at, 5, "\"find\"");
  }
  write_text(sweep.folder() / "sweep.json", text);
  const auto ended = sweep.run({"--only", "seed=0,perturbation=gaussian,class=ring"});
  EXPECT_EQ(ended.status, 0) << ended.errors;
  const auto line =
      testing::ContainsRegex("synthetic/ring gaussian seed 0 .[0-9a-f]+.: found learning rate [1-9]\\.[0-9]e-[0-9]+");
  EXPECT_THAT(ended.errors, line);
  EXPECT_THAT(sweep.log(), line);
}

TEST(Run, ChangedImagesAreRefusedAndNamedUntilToldToRedo) {
  const Sweep sweep;
  ASSERT_EQ(sweep.run({"--only", "method=knn"}).status, 0);
  auto text = read_text(sweep.folder() / "sweep.json");
  text.replace(text.find("\"kind\": \"synthetic\""), 19, "\"kind\": \"synthetic\", \"seed\": 1");
  write_text(sweep.folder() / "sweep.json", text);
  const auto frozen = read_text(sweep.folder() / "out/run.json");
  const auto refused = sweep.run({"--only", "method=knn"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.errors, AllOf(HasSubstr("feature set"), HasSubstr("--redo-changed")));
  EXPECT_EQ(read_text(sweep.folder() / "out/run.json"), frozen) << "what was refused is not on record";
  const auto redone = sweep.run({"--only", "method=knn", "--redo-changed"});
  EXPECT_EQ(redone.status, 0) << redone.errors;
  EXPECT_EQ(sweep.run({"--only", "method=knn"}).status, 0) << "the new results count from now on";
}

TEST(Run, TwoRunsMayFillOneEmptyCacheAtOnce) {
  const Sweep one;
  const Sweep other;
  const TemporaryFolder cache;
  const auto with_cache = [&](const Sweep& sweep) {
    auto command = sweep.command({"--only", "method=knn"});
    *std::find(command.begin(), command.end(), shared_cache().string()) = cache.path().string();
    return command;
  };
  Running first(with_cache(one), one.folder());
  Running second(with_cache(other), other.folder());
  for (auto* run : {&first, &second}) {
    const auto ended = run->wait();
    EXPECT_EQ(ended.status, 0) << ended.errors;
  }
  EXPECT_EQ(one.table(), other.table());
}

/// Two classes, six slices of a scan, few rows with features.
class LongScan : public testing::Test {
 protected:
  LongScan() {
    write_text(folder_ / "sweep.json", R"({"version": 1, "name": "long",
      "datasets": {"synthetic": {"kind": "synthetic", "classes": 2, "train_per_class": 2048, "test_per_class": 1024}},
      "blocks": [{"dataset": "synthetic", "backbone": "efficientnet-lite0", "method": "knn", "k": 2, "scaling": "l2",
                  "train_rows": 8, "test_rows": 4}]})");
  }
  std::vector<std::string> arguments(const std::string& name) const {
    return {"run",       "sweep.json", "--out",     "out-" + name, "--cache",   "cache-" + name,
            "--workers", "1",          "--threads", "1",           "--weights", "efficientnet-lite0=random:0"};
  }
  std::string table(const std::string& name) const {
    return read_text(folder_ / ("out-" + name + "/report/tables/synthetic.csv"));
  }
  std::string log(const std::string& name) const { return read_text(folder_ / ("out-" + name + "/logs/run.log")); }
  std::size_t slices(const std::string& name) const {
    std::size_t count = 0;
    std::error_code none;
    for (const auto& entry : fs::recursive_directory_iterator(folder_ / ("cache-" + name) / "scan", none)) {
      count += entry.path().parent_path().extension() == ".parts" && entry.path().extension() == ".json" ? 1 : 0;
    }
    return count;
  }
  TemporaryFolder folder_;
};

TEST_F(LongScan, ThatIsKilledGoesOnWithTheSlicesThatItHadMade) {
  auto command = arguments("killed");
  command.insert(command.begin(), program().string());
  {
    Running run(command, folder_.path());
    ASSERT_TRUE(run.until([&] { return slices("killed") >= 2; }));
    run.signal(SIGKILL);
    run.wait();
  }
  const auto kept = slices("killed");
  ASSERT_LT(kept, 6U) << "the scan was over before the kill";
  const auto again = run_program(arguments("killed"), folder_.path());
  EXPECT_EQ(again.status, 0) << again.errors;
  const auto line = "synthetic: " + std::to_string(kept) + " of 6 slices of its scan were made by an earlier run";
  EXPECT_THAT(again.errors, HasSubstr(line));
  EXPECT_THAT(log("killed"), HasSubstr(line));
  EXPECT_THAT(again.errors, testing::ContainsRegex("features: 24 rows in [0-9]+ s \\([0-9.]+ images/s\\): [0-9]+ % in "
                                                   "the backbone, [0-9]+ % waiting for images, [0-9]+ % writing\n"));
  EXPECT_EQ(slices("killed"), 0U);

  EXPECT_EQ(run_program(arguments("whole"), folder_.path()).status, 0);
  EXPECT_EQ(table("killed"), table("whole"));
}

TEST(Run, ClosedDescriptorsDoNotLetTextIntoTheJournal) {
  const Sweep sweep;
  undisturbed_table();
  std::vector<std::string> command = {"bash", "-c", "exec \"$@\" <&- >&- 2>&-", "bash"};
  const auto run = sweep.command({"--only", "method=knn"});
  command.insert(command.end(), run.begin(), run.end());
  EXPECT_EQ(Running(command, sweep.folder()).wait().status, 0);
  EXPECT_EQ(run_program({"report", "out"}, sweep.folder()).status, 0);
  EXPECT_EQ(sweep.committed(), 4U);
}

TEST(Run, RepairIsRefusedWhileARunIsAtWork) {
  const Sweep sweep;
  undisturbed_table();
  Running run(sweep.command(), sweep.folder());
  ASSERT_TRUE(run.until([&] { return sweep.committed() >= 1; }));
  run.signal(SIGSTOP);
  const TemporaryFolder elsewhere;
  const auto repair = run_program({"repair", (sweep.folder() / "out").string()}, elsewhere.path());
  EXPECT_EQ(repair.status, 1);
  EXPECT_THAT(repair.errors, HasSubstr("another run works on this directory"));
  run.signal(SIGCONT);
  EXPECT_EQ(run.wait().status, 0);
  EXPECT_EQ(sweep.table(), undisturbed_table());
}

TEST(Run, ARedoThatFailsKeepsWhatWasCommitted) {
  const Sweep sweep;
  ASSERT_EQ(sweep.run({"--only", "method=knn"}).status, 0);
  const auto table = sweep.table();
  write_text(sweep.folder() / "garbage.pth", "not weights");
  auto arguments = sweep.arguments({"--only", "method=knn", "--redo-changed"});
  for (auto& word : arguments) {
    if (word.rfind("efficientnet-lite0=", 0) == 0) word = "efficientnet-lite0=garbage.pth";
  }
  EXPECT_EQ(run_program(arguments, sweep.folder()).status, 1);
  EXPECT_EQ(run_program({"report", "out"}, sweep.folder()).status, 0);
  EXPECT_EQ(sweep.table(), table);
}

TEST(Run, RedoingOnlySomeChangedResultsIsRefusedBecauseATableWouldMixThem) {
  const Sweep sweep;
  ASSERT_EQ(sweep.run({"--only", "method=knn"}).status, 0);
  auto text = read_text(sweep.folder() / "sweep.json");
  text.replace(text.find("\"kind\": \"synthetic\""), 19, "\"kind\": \"synthetic\", \"seed\": 1");
  write_text(sweep.folder() / "sweep.json", text);
  const auto refused = sweep.run({"--only", "method=knn,class=ring", "--redo-changed"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.errors, HasSubstr("leave --only out"));
}

TEST(Run, ADamagedFeatureFileIsNamedAndMadeAgain) {
  const Sweep sweep;
  const TemporaryFolder cache;
  const std::vector<std::string> own = {"--cache", cache.path().string()};
  auto arguments = sweep.arguments({"--only", "method=knn"});
  *std::find(arguments.begin(), arguments.end(), shared_cache().string()) = cache.path().string();
  ASSERT_EQ(run_program(arguments, sweep.folder()).status, 0);
  const auto table = sweep.table();
  for (const auto& entry : fs::directory_iterator(cache.path())) {
    if (entry.path().extension() != ".h5") continue;
    auto bytes = read_text(entry.path());
    bytes[bytes.size() / 2] ^= 1;
    write_text(entry.path(), bytes);
  }
  fs::remove_all(sweep.folder() / "out");
  const auto again = run_program(arguments, sweep.folder());
  EXPECT_EQ(again.status, 0) << again.errors;
  EXPECT_THAT(again.errors, AllOf(HasSubstr(".h5"), HasSubstr("made again")));
  EXPECT_EQ(sweep.table(), table);
}

}  // namespace
}  // namespace tests
