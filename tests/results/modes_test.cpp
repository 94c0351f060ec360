// The modes of a table, the best of an axis and maxima, with numbers that can be checked by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "results/statistics.hpp"
#include "results/tables.hpp"
#include "storage/error.hpp"
#include "tests/results/samples.hpp"

namespace {

using results::auc_percent;
using results::Value;
using samples::finished;
using sweeps::Mode;
using sweeps::Statistic;

TEST(AucPercent, AveragesTheLastTenEpochs) {
  // Twelve epochs: the first two are not among the last ten.
  const auto result = finished({1, 1, 0.75, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.25, 0.5});

  EXPECT_EQ(auc_percent(result, Mode::last_10), 50);
}

TEST(AucPercent, AveragesAllEpochsWhereThereAreFewerThanTen) {
  EXPECT_EQ(auc_percent(finished({0.25, 0.75, 0.5}), Mode::last_10), 50);
  EXPECT_EQ(auc_percent(finished({0.25}), Mode::last_10), 25);
}

TEST(AucPercent, HasNoMeanOfTheLastTenWhereOneOfThemIsUndefined) {
  auto result = finished({0.25, 0.75});
  result.epochs[0].ranking.reset();

  EXPECT_EQ(auc_percent(result, Mode::last_10), std::nullopt);
}

TEST(AucPercent, CallsTheBestLessTheLastTheGap) {
  EXPECT_EQ(auc_percent(finished({0.25, 0.75, 0.5}), Mode::gap), 25);
  EXPECT_EQ(auc_percent(finished({0.25}), Mode::gap), 0);
}

/// One row that takes the best lambda of 5, 10 and 20; two classes, two seeds.
class BestOf : public testing::Test {
 protected:
  BestOf() {
    table.id = "lambda";
    table.datasets = {"cifar10"};
    table.columns = {"airplane", "bird"};
    table.modes = {Mode::best, Mode::last, Mode::last_10, Mode::gap};
    sweeps::PlannedRow row;
    row.name = "PLUME";
    row.seeded = true;
    row.best_of = "lambda";
    for (const std::string& name : table.columns) {
      sweeps::PlannedCell cell;
      for (const int lambda : {5, 10, 20}) {
        sweeps::PlannedChoice choice{std::to_string(lambda), {}};
        for (const std::uint64_t seed : {0, 1}) {
          sweeps::Job job = samples::training(name, seed);
          job.training.lambda = lambda;
          choice.jobs.push_back(samples::add(plan, job));
        }
        cell.jobs.insert(cell.jobs.end(), choice.jobs.begin(), choice.jobs.end());
        cell.choices.push_back(choice);
      }
      row.cells.push_back(cell);
    }
    table.rows.push_back(row);
  }
  /// Both seeds of a lambda, each with two epochs.
  void finish(const std::string& name, int lambda, std::initializer_list<double> seed0,
              std::initializer_list<double> seed1) {
    finish_seed(name, lambda, 0, seed0);
    finish_seed(name, lambda, 1, seed1);
  }
  void finish_seed(const std::string& name, int lambda, std::uint64_t seed, std::initializer_list<double> aucs) {
    sweeps::Job job = samples::training(name, seed);
    job.training.lambda = lambda;
    ledger.apply(samples::done(job, finished(aucs)));
  }
  void finish_bird() {
    finish("bird", 5, {0.5, 0.5}, {0.5, 0.5});
    finish("bird", 10, {0.25, 0.25}, {0.25, 0.25});
    finish("bird", 20, {0.25, 0.25}, {0.25, 0.25});
  }
  results::Row row() const { return results::aggregate(plan, table, ledger).rows.at(0); }

  sweeps::Plan plan;
  sweeps::PlannedTable table;
  results::Ledger ledger;
};

TEST_F(BestOf, TakesForEachClassTheValueWithTheHighestMeanInTheMode) {
  finish("airplane", 5, {0.75, 0.25}, {0.75, 0.25});    // best 75, last 25
  finish("airplane", 10, {1.0, 0.125}, {0.75, 0.125});  // best 87.5, last 12.5
  finish("airplane", 20, {0.5, 0.5}, {0.5, 0.25});      // best 50, last 37.5
  finish_bird();

  const auto airplane = row().cells[0].by_mode;

  EXPECT_EQ(airplane[0].chosen, "10");
  EXPECT_EQ(*airplane[0].summary.mean, 87.5);
  EXPECT_EQ(*airplane[0].summary.std_dev, 12.5 * std::sqrt(2.0));
  EXPECT_EQ(airplane[1].chosen, "20");  // the last epoch chooses for itself
  EXPECT_EQ(*airplane[1].summary.mean, 37.5);
  EXPECT_EQ(airplane[3].chosen, "10");  // the gap is that of the value that `best` takes
  EXPECT_EQ(*airplane[3].summary.mean, 75);
  EXPECT_EQ(row().cells[1].by_mode[0].chosen, "5");
}

TEST_F(BestOf, AveragesTheChosenValuesOfTheClassesWithinEachSeed) {
  finish("airplane", 5, {0.75, 0.25}, {0.75, 0.25});
  finish("airplane", 10, {1.0, 0.125}, {0.75, 0.125});
  finish("airplane", 20, {0.5, 0.5}, {0.5, 0.25});
  finish_bird();

  const auto mean = row().mean_by_mode[0];  // seed 0: (100 + 50) / 2, seed 1: (75 + 50) / 2

  EXPECT_EQ(*mean.summary.mean, 68.75);
  EXPECT_EQ(mean.summary.n, 2u);
}

TEST_F(BestOf, LeavesTiesToTheSmallerValue) {
  for (const int lambda : {5, 10, 20}) finish("airplane", lambda, {0.5, 0.5}, {0.5, 0.5});

  EXPECT_EQ(row().cells[0].by_mode[0].chosen, "5");
}

TEST_F(BestOf, DoesNotTakeAValueOfWhichASeedIsMissing) {
  finish("airplane", 5, {0.25, 0.25}, {0.25, 0.25});
  finish_seed("airplane", 10, 0, {1.0, 1.0});  // seed 1 is not there

  const auto cell = row().cells[0];

  EXPECT_EQ(cell.by_mode[0].chosen, "5");
  EXPECT_EQ(cell.by_mode[0].planned, 2u);
  EXPECT_EQ(cell.counts.finished, 3u);
  EXPECT_EQ(cell.counts.planned, 6u);
}

TEST_F(BestOf, HasNoNumberWhereNoValueIsComplete) {
  finish_seed("airplane", 10, 0, {1.0, 1.0});

  const auto r = row();

  EXPECT_EQ(r.cells[0].by_mode[0].chosen, "");
  EXPECT_FALSE(r.cells[0].by_mode[0].summary.mean);
  EXPECT_FALSE(r.mean_by_mode[0].summary.mean);
}

TEST_F(BestOf, SaysThatNoValueIsCompleteNotThatNoSeedIs) {
  finish_bird();
  finish_seed("airplane", 10, 0, {1.0, 1.0});

  const std::string text = results::to_terminal(results::aggregate(plan, table, ledger), 2000);

  EXPECT_THAT(text, testing::HasSubstr("In some class no lambda has all its runs"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("No seed is complete")));
}

TEST_F(BestOf, TakesMaximaOverSeedsAndValues) {
  table.rows[0].statistic = Statistic::max;
  finish("airplane", 5, {0.5, 0.25}, {0.25, 0.25});
  finish_seed("airplane", 10, 0, {0.75, 0.5});  // counts though its other seed is missing: a maximum needs no mean
  finish_bird();

  const auto r = row();

  EXPECT_EQ(*r.cells[0].by_mode[0].max, 75);
  EXPECT_EQ(r.cells[0].by_mode[0].chosen, "10");
  EXPECT_EQ(*r.mean_by_mode[0].max, 62.5);  // (75 + 50) / 2
}

TEST_F(BestOf, HasTheHighestOfAllRunsBesideTheMeanOfTheChosenOnes) {
  finish("airplane", 5, {0.5, 0.25}, {0.5, 0.25});
  finish_seed("airplane", 10, 0, {0.75, 0.125});  // its other seed is missing: it is not chosen

  const auto cell = row().cells[0];

  EXPECT_EQ(*cell.by_mode[0].summary.mean, 50);
  EXPECT_EQ(*cell.by_mode[0].max, 75);
  EXPECT_EQ(*cell.by_mode[1].max, 25);
  EXPECT_EQ(*cell.by_mode[3].max, 50);  // 75 - 25, so that the lines of a table add up
}

TEST_F(BestOf, HasNoMeanOfMaximaWhereAClassHasNone) {
  table.rows[0].statistic = Statistic::max;
  finish_bird();

  EXPECT_FALSE(row().mean_by_mode[0].max);
}

TEST_F(BestOf, MayTakeValuesOnOtherFeaturesButNotOnOtherDevices) {
  for (const int lambda : {5, 10, 20}) finish("airplane", lambda, {0.5, 0.5}, {0.5, 0.5});
  for (auto& entry : ledger.done) {  // as if the axis were the backbone
    if (entry.second.job.training.lambda == 10) entry.second.result.train.id = "cccc";
  }
  EXPECT_NO_THROW(row());

  for (auto& entry : ledger.done) {
    if (entry.second.job.training.lambda == 10) entry.second.result.device = "cuda";
  }
  EXPECT_THROW(row(), storage::Error);
}

TEST(ChosenColumn, AveragesItsClassesWithinEachSeed) {
  sweeps::Plan plan;
  sweeps::PlannedTable table;
  table.id = "by-lambda";
  table.columns = {"lambda 5"};
  table.columns_are = sweeps::Columns::chosen;
  table.modes = {Mode::best};
  sweeps::PlannedRow row;
  row.name = "PLUME";
  row.seeded = true;
  row.cells.resize(1);
  results::Ledger ledger;
  const auto run = [&](const char* name, std::uint64_t seed, double auc) {
    const sweeps::Job job = samples::training(name, seed);
    row.cells[0].jobs.push_back(samples::add(plan, job));
    if (auc > 0) ledger.apply(samples::done(job, finished({auc})));
  };
  run("airplane", 0, 0.5);
  run("airplane", 1, 0.75);
  run("bird", 0, 1.0);
  run("bird", 1, 0);  // missing, so seed 1 is in no mean
  table.rows.push_back(row);

  const auto cell = results::aggregate(plan, table, ledger).rows[0].cells[0];

  EXPECT_EQ(*cell.by_mode[0].summary.mean, 75);
  EXPECT_EQ(cell.by_mode[0].summary.n, 1u);
  EXPECT_EQ(cell.by_mode[0].planned, 2u);
  EXPECT_EQ(cell.counts.finished, 3u);
}

}  // namespace
