// Every epoch and every share as CSV: whole files, and that nothing but the plan orders them.
#include "results/run_records.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "results/tables.hpp"
#include "tests/results/samples.hpp"

namespace {

using results::Ledger;
using results::LossTerms;
using samples::add;
using samples::bytes_of;
using samples::done;
using samples::finished;
using samples::training;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kEpochsHeader =
    "key,dataset,class,method,setting,seed,weights,epoch,auc,auc_low,auc_high,ap_normal,ap_anomalous,fpr95,total,"
    "classification,noise,"
    "kl,"
    "guidance,learning_rate,threshold,outcome\n";
constexpr const char* kSharesHeader =
    "key,dataset,class,method,setting,seed,weights,mode,epoch,threshold,test_class,share\n";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

/// A training whose second epoch is its best, with all that a record may hold.
results::JobResult full_result() {
  results::JobResult result = finished({0.5, 0.75, 0.25});
  result.classes = {"airplane", "bird, small", "cat"};
  result.epochs[0].ranking->auc_std_error = 0.5;
  result.epochs[1].ranking->auc_std_error = 0;
  result.epochs[2].ranking->auc_std_error = 0.005;
  for (results::EpochRecord& record : result.epochs) {
    record.ranking->fpr95 = 1.0 / 3;
    record.losses = LossTerms{0.1 + 0.2, 1, -2, 5e-324, 3};
    record.learning_rate = 6e-05;
    record.threshold = 0.125;
    record.shares = {0.9, std::nullopt, record.epoch / 4.0};
  }
  return result;
}

/// Jobs 0 and 1 are trainings, 2 is kNN, 3 PLAD.
class RunRecords : public testing::Test {
 protected:
  RunRecords() {
    add(plans[0], training("airplane", 0));
    add(plans[0], training("airplane", 1));
    add(plans[0], samples::neighbours("airplane"));
    add(plans[0], samples::plad("airplane", 7));
  }
  void finish(std::size_t job, const results::JobResult& result) { ledger.apply(done(plans[0].jobs[job], result)); }
  /// With the keys of the jobs written as K0, K1, ...
  std::string readable(std::string text) const {
    for (std::size_t i = 0; i < plans[0].keys.size(); ++i) {
      text = replaced(text, plans[0].keys[i].hex, "K" + std::to_string(i));
    }
    return text;
  }
  std::string epochs() const { return readable(results::epochs_csv(plans, ledger)); }
  std::string shares() const { return readable(results::shares_csv(plans, ledger)); }

  std::vector<sweeps::Plan> plans = std::vector<sweeps::Plan>(1);
  Ledger ledger;
};

TEST_F(RunRecords, AreALineForEachJobAndEpochAtFullPrecision) {
  results::JobResult undefined = finished({0.5});
  undefined.epochs[0].ranking.reset();
  finish(3, undefined);
  finish(2, finished({0.875}));
  finish(0, full_result());

  const std::string run = "K0,cifar10,airplane,plume,linear-map + full,0,other,";
  const std::string rest = ",0.30000000000000004,1,-2,5e-324,3,6e-05,0.125,finished\n";
  EXPECT_EQ(epochs(), kEpochsHeader + run + "0,0.5,0,1,0.5,0.5,0.3333333333333333" + rest + run +
                          "1,0.75,0.75,0.75,0.75,0.75,0.3333333333333333" + rest + run +
                          "2,0.25,0.24020018007729974,0.2597998199227003,0.25,0.25,0.3333333333333333" + rest +
                          "K2,cifar10,airplane,knn,knn l2,,other,0,0.875,,,0.875,0.875,0.125,,,,,,,,finished\n" +
                          "K3,cifar10,airplane,plad,plad,7,,0,,,,,,,,,,,,,,finished\n");
}

TEST_F(RunRecords, HaveTheEpochsBeforeARunDiverged) {
  results::JobResult diverged = samples::diverged(1);
  diverged.epochs = finished({0.5}).epochs;
  diverged.epochs[0].losses = LossTerms{1, 1, std::nan(""), 0, 0};
  diverged.epochs[0].threshold = 0.5;
  diverged.epochs[0].shares = {1};
  diverged.classes = {"airplane"};
  finish(1, diverged);

  EXPECT_EQ(epochs(),
            kEpochsHeader + std::string("K1,cifar10,airplane,plume,linear-map + full,1,other,0,0.5,,,0.5,0.5,0.5,"
                                        "1,1,nan,0,0,,0.5,diverged\n"));
  EXPECT_EQ(shares(), kSharesHeader) << "it is in no mean, so it has no best epoch";
}

TEST_F(RunRecords, GiveTheSharesOfTheBestAndTheLastEpoch) {
  finish(0, full_result());
  finish(2, finished({0.875}));

  const std::string run = "K0,cifar10,airplane,plume,linear-map + full,0,other,";
  EXPECT_EQ(shares(), kSharesHeader + run + "best,1,0.125,airplane,0.9\n" + run + "best,1,0.125,\"bird, small\",\n" +
                          run + "best,1,0.125,cat,0.25\n" + run + "last,2,0.125,airplane,0.9\n" + run +
                          "last,2,0.125,\"bird, small\",\n" + run + "last,2,0.125,cat,0.5\n")
      << "a baseline has no threshold, so no shares";
}

TEST_F(RunRecords, SayWhoseWeightsEachRunRestsOn) {
  const auto column_of = [&](std::size_t job, const std::string& weights) {
    results::JobResult result = full_result();
    result.weights = weights;
    ledger = {};
    finish(job, result);
    const std::string line = shares() == kSharesHeader ? epochs() : shares();
    std::string before = line.substr(0, line.find(job == 2 ? ",0,0.5," : ",best,"));
    return before.substr(before.rfind(',') + 1);
  };
  for (sweeps::Job& job : plans[0].jobs) job.backbone = job.method == sweeps::Method::plad ? "" : "resnet50";
  for (std::size_t i = 0; i < plans[0].jobs.size(); ++i) plans[0].keys[i] = sweeps::key_of(plans[0].jobs[i]);

  EXPECT_EQ(column_of(0, samples::kPaperResnet), "paper");
  EXPECT_EQ(column_of(0, samples::kOtherFile), "other");
  EXPECT_EQ(column_of(1, "random:3"), "untrained");
  EXPECT_EQ(column_of(3, ""), "") << "plad";
}

TEST_F(RunRecords, GiveOnlyTheLastSharesWhereNoRankingIsDefined) {
  results::JobResult result = full_result();
  for (results::EpochRecord& record : result.epochs) record.ranking.reset();
  finish(0, result);

  EXPECT_THAT(shares(), HasSubstr(",last,2,0.125,cat,0.5\n"));
  EXPECT_THAT(shares(), Not(HasSubstr(",best,")));
}

TEST_F(RunRecords, ListAJobThatTwoSweepsShareOnceAndNameSettingsAmongAll) {
  sweeps::Job twenty = training("airplane", 0);
  twenty.training.lambda = 20;
  plans.emplace_back();
  add(plans[1], twenty);
  add(plans[1], training("airplane", 0));
  finish(0, finished({0.5}));
  ledger.apply(done(twenty, finished({0.25})));

  const std::string text = epochs();

  EXPECT_THAT(text, HasSubstr("\nK0,cifar10,airplane,plume,\"linear-map + full, lambda 5\",0,other,0,0.5,"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3) << text;
  EXPECT_LT(text.find("lambda 5"), text.find("lambda 20")) << "the first plan's jobs first";
}

TEST_F(RunRecords, AreTheSameBytesWhateverTheOrderOfTheJournal) {
  std::vector<results::Done> entries;
  for (std::size_t i = 0; i < plans[0].jobs.size(); ++i) entries.push_back(done(plans[0].jobs[i], full_result()));
  entries.push_back(done(training("bird", 0), finished({0.5})));  // of no plan
  std::string first;
  for (std::size_t order = 0; order < entries.size(); ++order) {
    ledger = {};
    for (const results::Done& entry : entries) ledger.apply(entry);
    const std::string both = epochs() + shares();
    if (first.empty()) first = both;
    EXPECT_EQ(both, first);
    std::rotate(entries.begin(), entries.begin() + 1, entries.end());
  }
  EXPECT_THAT(first, Not(HasSubstr(",bird,")));
}

TEST_F(RunRecords, AreWrittenBesideTheTablesWherePlansAreGiven) {
  const samples::TemporaryFolder folder;
  finish(0, full_result());

  results::write_report(folder.path(), {}, plans, ledger);

  EXPECT_EQ(bytes_of(folder / "epochs.csv"), results::epochs_csv(plans, ledger));
  EXPECT_EQ(bytes_of(folder / "shares.csv"), results::shares_csv(plans, ledger));
  EXPECT_THAT(bytes_of(folder / "index.md"), HasSubstr("[every epoch](epochs.csv)"));
  results::write_report(folder / "bare", {});
  EXPECT_FALSE(std::filesystem::exists(folder / "bare/epochs.csv"));
  EXPECT_THAT(bytes_of(folder / "bare/index.md"), Not(HasSubstr("epochs.csv")));
}

}  // namespace
