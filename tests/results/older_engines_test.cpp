// Journals of engine version 3: read for tables, never for a run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/journal.hpp"
#include "results/statistics.hpp"
#include "storage/digest.hpp"
#include "storage/error.hpp"
#include "tests/results/samples.hpp"

namespace {

using results::Engines;
using results::Ledger;
using samples::done;
using samples::finished;
using samples::write_bytes;
using testing::HasSubstr;

/// A line as engine version 3 wrote it, byte for byte but for its seal; the key was pinned in its tests.
std::string line_of_engine_3() {
  const std::string body =
      R"({"v":1,"type":"done","key":"55af75b3533e1041344e1f840620f531","job":{"backbone":"efficientnet-lite0",)"
      R"("class":"cat","dataset":"cifar10","engine_version":3,"k":2,"method":"knn","normalisation":"imagenet",)"
      R"("scaling":"l2"},"attempt":1,"result":{"outcome":"finished","epochs":[{"epoch":0,"auc":0.5,)"
      R"("ap_normal":0.5,"ap_anomalous":0.5,"fpr95":0.5}],"classes":["cat","dog"],)"
      R"("train":{"id":"aaaa","checksum":"1111"},"test":{"id":"bbbb","checksum":"2222"},"weights":"random:1",)"
      R"("train_rows":1000,"test_rows":10000,"dropped_single_row":false,"device":"cpu","threads":1},)"
      R"("timing":{"wall_seconds":12.5,"host":"node7","started":"2026-11-27T20:15:03Z"})";
  return body + R"(,"crc":")" + storage::crc32c_hex(body) + R"("})";
}

sweeps::Job job_of_engine_3() {
  sweeps::Job job;
  job.dataset = "cifar10";
  job.normal_class = "cat";
  job.method = sweeps::Method::knn;
  job.backbone = "efficientnet-lite0";
  job.normalisation = sweeps::Normalisation::imagenet;
  job.baseline.scaling = sweeps::FeatureScaling::l2;
  return job;
}

std::string refusal_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const storage::Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(OlderEngine, IsReadUnderTheKeyThatItsJobHasNow) {
  const auto entry = results::decode_entry(line_of_engine_3(), "x", Engines::readable);
  const auto& read = std::get<results::Done>(entry);
  EXPECT_EQ(read.engine_version, 3);
  EXPECT_EQ(read.job, job_of_engine_3());
  EXPECT_EQ(read.result.epochs.at(0).ranking->auc_std_error, std::nullopt);

  Ledger ledger;
  ledger.apply(entry);
  EXPECT_TRUE(ledger.done.contains(sweeps::key_of(job_of_engine_3())));
  EXPECT_EQ(results::encode(entry), line_of_engine_3()) << "written as it was";
}

TEST(OlderEngine, IsRefusedByARunWhichIsToldWhatReadsIt) {
  EXPECT_EQ(
      refusal_of([] { results::decode_entry(line_of_engine_3(), "x"); }),
      "x: written by a plume-bench of engine version 3; this one is of engine version 6, and their results do not "
      "mix: use another --out, or the plume-bench that wrote it (`plume-bench report` reads it)");
}

TEST(OlderEngine, ThatHeldOtherRecordsIsReadByNobody) {
  results::Done ancient = done(samples::training("cat", 0), finished({0.5}));
  ancient.engine_version = 2;
  EXPECT_EQ(refusal_of([&] { results::decode_entry(results::encode(ancient), "x", Engines::readable); }),
            "x: written by a plume-bench of engine version 2; this one reads those of 3 to 6: use the plume-bench that "
            "wrote it");
}

TEST(OlderEngine, MayNotStandUnderAKeyOfOurs) {
  results::Done of_ours = done(samples::training("cat", 0), finished({0.5}));
  std::string line = results::encode(of_ours);
  line.replace(line.find(R"("engine_version":6)"), 18, R"("engine_version":3)");
  line = line.substr(0, line.find(R"(,"crc":)"));
  line += R"(,"crc":")" + storage::crc32c_hex(line) + R"("})";
  EXPECT_THAT(refusal_of([&] { results::decode_entry(line, "x", Engines::readable); }),
              HasSubstr("expected the key of its job"));
}

TEST(OlderEngine, TakesAResultBackByTheKeyItHadThen) {
  const samples::TemporaryFolder folder;
  const auto file = folder / "journal.jsonl";
  results::Done old = done(samples::training("cat", 0), finished({0.5}));
  old.engine_version = 3;
  const results::AttemptEnded redo{sweeps::key_of(old.job, 3), 1, std::string(results::kRedo), "its rows have changed"};
  results::Done again = old;
  again.result = finished({0.75});
  write_bytes(file, results::encode(old) + "\n" + results::encode(redo) + "\n" + results::encode(again) + "\n");

  const Ledger ledger = results::replay_journal(file, Engines::readable).ledger;

  ASSERT_EQ(ledger.done.size(), 1U);
  EXPECT_EQ(ledger.done.at(sweeps::key_of(old.job)).result, again.result);
}

TEST(OlderEngine, KeepsFailuresToo) {
  const results::Failed failed{samples::training("cat", 0), 2, "oom", "killed", 3};
  Ledger ledger;
  ledger.apply(results::decode_entry(results::encode(failed), "x", Engines::readable));
  EXPECT_EQ(ledger.failed.at(sweeps::key_of(failed.job)).cause, "oom");
}

/// One cell of two seeds.
class MixedEngines : public testing::Test {
 protected:
  MixedEngines() {
    sweeps::PlannedCell cell{
        {samples::add(plan, samples::training("cat", 0)), samples::add(plan, samples::training("cat", 1))}};
    sweeps::PlannedTable table{"t", "T", {"cifar10"}, {"cat"}, {sweeps::Mode::best}, {}};
    table.rows.push_back({"row", false, true, true, {cell}});
    plan.tables = {table};
  }
  void finish(std::size_t job, int engine_version) {
    results::Done entry = done(plan.jobs[job], finished({0.5 + 0.25 * static_cast<double>(job)}));
    entry.engine_version = engine_version;
    ledger.apply(entry);
  }
  sweeps::Plan plan;
  Ledger ledger;
};

TEST_F(MixedEngines, ThatAreAllOlderAreReportedAsTheyAre) {
  finish(0, 3);
  finish(1, 3);
  const auto table = results::aggregate(plan, plan.tables[0], ledger);
  EXPECT_EQ(table.rows[0].cells[0].by_mode[0].summary.mean, 62.5);
  EXPECT_TRUE(table.mixed.empty());
}

TEST_F(MixedEngines, OfOneCellAreRefusedOrMarked) {
  finish(0, 3);
  finish(1, 6);
  EXPECT_THAT(refusal_of([&] { results::aggregate(plan, plan.tables[0], ledger); }),
              HasSubstr("engine version 3 (cat seed 0) and 6 (cat seed 1)"));
  const auto table = results::aggregate(plan, plan.tables[0], ledger, results::Mixed::allowed);
  EXPECT_THAT(table.rows[0].cells[0].mixed, testing::ElementsAre("engine versions 3, 6"));
}

}  // namespace
