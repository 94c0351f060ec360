// Means, standard deviations and aggregation, with numbers that can be checked by hand.
#include "results/statistics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "storage/error.hpp"
#include "tests/results/samples.hpp"

namespace {

using results::auc_percent;
using results::Ledger;
using results::summarise;
using results::Table;
using samples::add;
using samples::done;
using samples::finished;
using samples::training;
using sweeps::Mode;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using Why = results::Uncounted::Why;

TEST(Summarise, DividesByOneLessThanTheCount) {
  const auto three = summarise({1, 2, 6});  // mean 3, squares 4 + 1 + 9 = 14, 14 / 2 = 7

  EXPECT_EQ(three.n, 3u);
  EXPECT_EQ(*three.mean, 3);
  EXPECT_EQ(*three.std_dev, std::sqrt(7.0));
}

TEST(Summarise, HasNoSpreadForOneValueAndNoMeanForNone) {
  EXPECT_EQ(*summarise({84.5}).mean, 84.5);
  EXPECT_FALSE(summarise({84.5}).std_dev);
  EXPECT_FALSE(summarise({}).mean);
  EXPECT_FALSE(summarise({}).std_dev);
}

TEST(Summarise, KeepsTheSpreadOfValuesThatAreCloseTogether) {
  const auto close = summarise({1e9 + 1, 1e9 + 2, 1e9 + 3});

  EXPECT_EQ(*close.std_dev, 1);
}

TEST(AucPercent, TakesTheMaximumOrTheLastEpoch) {
  EXPECT_EQ(auc_percent(finished({0.25, 0.75, 0.5}), Mode::best), 75);
  EXPECT_EQ(auc_percent(finished({0.25, 0.75, 0.5}), Mode::last), 50);
  EXPECT_EQ(auc_percent(finished({}), Mode::best), std::nullopt);
  EXPECT_EQ(auc_percent(samples::diverged(2), Mode::best), std::nullopt);
}

TEST(AucPercent, DoesNotFallBackToAnEarlierEpoch) {
  auto result = finished({0.25, 0.75});
  result.epochs[1].ranking.reset();

  EXPECT_EQ(auc_percent(result, Mode::best), 25);
  EXPECT_EQ(auc_percent(result, Mode::last), std::nullopt);
}

/// One row, two classes, two seeds: jobs 0, 1 are airplane, 2, 3 bird.
class Aggregate : public testing::Test {
 protected:
  Aggregate() {
    table.id = "small";
    table.dataset = "cifar10";
    table.columns = {"airplane", "bird"};
    table.modes = {Mode::best, Mode::last};
    table.rows.push_back({"LinearMap", true, true, {{}, {}}});
    for (const std::size_t cell : {0, 1}) {
      for (const std::uint64_t seed : {0, 1}) {
        table.rows[0].cells[cell].jobs.push_back(add(plan, training(table.columns[cell], seed)));
      }
    }
  }
  void finish(std::size_t job, std::initializer_list<double> aucs) {
    ledger.apply(done(plan.jobs[job], finished(aucs)));
  }
  results::Row row() const { return results::aggregate(plan, table, ledger).rows.at(0); }

  sweeps::Plan plan;
  sweeps::PlannedTable table;
  Ledger ledger;
};

TEST_F(Aggregate, AveragesRunsPerClassAndClassesWithinEachSeed) {
  finish(0, {0.75, 0.5});    // airplane, seed 0: best 75, last 50
  finish(1, {0.25, 0.5});    // airplane, seed 1: best 50, last 50
  finish(2, {0.25, 0.125});  // bird, seed 0: best 25, last 12.5
  finish(3, {1.0, 0.5});     // bird, seed 1: best 100, last 50

  const auto r = row();

  EXPECT_EQ(*r.cells[0].by_mode[0].mean, 62.5);
  EXPECT_EQ(*r.cells[0].by_mode[0].std_dev, 12.5 * std::sqrt(2.0));
  EXPECT_EQ(*r.cells[0].by_mode[1].std_dev, 0);
  EXPECT_EQ(*r.cells[1].by_mode[1].mean, 31.25);
  EXPECT_EQ(*r.mean_by_mode[0].mean, 62.5);  // seeds: (75 + 25) / 2 = 50 and (50 + 100) / 2 = 75
  EXPECT_EQ(*r.mean_by_mode[0].std_dev, 12.5 * std::sqrt(2.0));
  EXPECT_EQ(*r.mean_by_mode[1].mean, 40.625);
  EXPECT_EQ(*r.last_mean, 40.625);
  EXPECT_EQ(r.seeds_planned, 2u);
  EXPECT_TRUE(r.total.complete());
  EXPECT_TRUE(r.uncounted.empty());
}

TEST_F(Aggregate, TakesTheMeanOverClassesFromCompleteSeedsOnly) {
  finish(0, {0.75});
  finish(1, {0.25});
  finish(3, {0.5});

  const auto r = row();

  EXPECT_EQ(*r.cells[0].by_mode[0].mean, 50);
  EXPECT_EQ(r.mean_by_mode[0].n, 1u);
  EXPECT_EQ(*r.mean_by_mode[0].mean, 37.5);  // seed 1 alone
  EXPECT_FALSE(r.mean_by_mode[0].std_dev);
  EXPECT_EQ(r.total.missing(), 1u);
}

TEST_F(Aggregate, CountsDivergedFailedUndefinedAndMissingRunsApartAndInNoMean) {
  auto undefined = finished({0.5, 0.5});
  undefined.epochs[1].ranking.reset();
  undefined.epochs[1].undefined = "a score is not finite";
  ledger.apply(done(plan.jobs[0], samples::diverged(7)));
  ledger.apply(results::Failed{plan.jobs[1], 2, "oom", "at /some/path"});
  ledger.apply(done(plan.jobs[2], undefined));

  const auto r = row();

  EXPECT_EQ(r.cells[0].counts.diverged, 1u);
  EXPECT_EQ(r.cells[0].counts.failed, 1u);
  EXPECT_EQ(r.cells[1].counts.undefined, 1u);
  EXPECT_EQ(r.cells[1].counts.missing(), 1u);
  EXPECT_FALSE(r.cells[1].by_mode[0].mean);  // its best is defined, but a run counts in all modes or in none
  EXPECT_FALSE(r.mean_by_mode[0].mean);
  EXPECT_EQ(r.total.finished, 0u);
  ASSERT_EQ(r.uncounted.size(), 4u);
  EXPECT_EQ(r.uncounted[0].why, Why::diverged);
  EXPECT_EQ(r.uncounted[0].detail, "7");
  EXPECT_EQ(r.uncounted[1].detail, "oom");
  EXPECT_EQ(r.uncounted[2].detail, "a score is not finite");
  EXPECT_EQ(r.uncounted[3].why, Why::missing);
  EXPECT_EQ(r.uncounted[3].column, "bird");
  EXPECT_EQ(r.uncounted[3].seed, 1u);
}

TEST_F(Aggregate, KnowsTheLastEpochMeanOfATableThatShowsOnlyTheBest) {
  table.modes = {Mode::best};
  for (const std::size_t job : {0, 1, 2, 3}) finish(job, {0.75, 0.25});

  const auto r = row();

  EXPECT_EQ(r.mean_by_mode.size(), 1u);
  EXPECT_EQ(*r.last_mean, 25);
}

TEST_F(Aggregate, RefusesToMixDevicesThreadsOrFeaturesInOneCell) {
  const auto mixed = [&](auto change) -> std::string {
    Ledger two;
    results::JobResult other = finished({0.5});
    change(other);
    two.apply(done(plan.jobs[2], finished({0.5})));
    two.apply(done(plan.jobs[3], other));
    try {
      results::aggregate(plan, table, two);
    } catch (const storage::Error& error) {
      return error.what();
    }
    return "no error";
  };
  const auto where = HasSubstr("table small, row LinearMap, column bird");

  EXPECT_THAT(mixed([](auto& r) { r.device = "cuda"; }),
              AllOf(where, HasSubstr("device cpu (seed 0) and cuda (seed 1)")));
  EXPECT_THAT(mixed([](auto& r) { r.threads = 2; }), AllOf(where, HasSubstr("threads 1 (seed 0) and 2 (seed 1)")));
  EXPECT_THAT(mixed([](auto& r) { r.train.id = "cccc"; }), AllOf(where, HasSubstr("aaaa"), HasSubstr("cccc")));
  EXPECT_THAT(mixed([](auto& r) { r.train.checksum = "3333"; }), AllOf(where, HasSubstr("1111"), HasSubstr("3333")));
  EXPECT_THAT(mixed([](auto& r) { r.test.id = "cccc"; }), AllOf(where, HasSubstr("bbbb"), HasSubstr("cccc")));
  EXPECT_THAT(mixed([](auto& r) { r.test.checksum = "3333"; }), AllOf(where, HasSubstr("2222"), HasSubstr("3333")));
  EXPECT_EQ(mixed([](auto&) {}), "no error");
}

TEST_F(Aggregate, StatesTheSettingsThatHaveAnEffect) {
  finish(0, {0.5});

  EXPECT_THAT(
      results::aggregate(plan, table, ledger).settings,
      ElementsAre("data set cifar10", "backbone efficientnet-lite0", "normalisation dataset",
                  "training rows per class 1000", "test rows per class all", "semantics released",
                  "dimension 384 (reduced; the paper uses 3072)", "epochs 2", "batch size 32", "learning rate 0.0005",
                  "weight decay 0.01", "lambda 5", "nu 1", "gamma 1", "tau 0.5", "device cpu, 1 thread"));
}

TEST_F(Aggregate, SaysHowManyRunsLeftOutALastBatchOfOneRow) {
  auto dropped = finished({0.5});
  dropped.dropped_single_row = true;
  ledger.apply(done(plan.jobs[0], dropped));
  ledger.apply(done(plan.jobs[2], dropped));
  table.rows.push_back(table.rows[0]);  // shares its jobs

  EXPECT_THAT(results::aggregate(plan, table, ledger).settings,
              Contains("a last batch of one row left out of every epoch in 2 runs"));
}

TEST_F(Aggregate, StatesEverySettingOfRowsThatDiffer) {
  sweeps::Job gaussian = training("airplane", 0);
  gaussian.training.perturbation = sweeps::Perturbation::gaussian;
  gaussian.training.guidance = sweeps::Guidance::none;
  sweeps::Job ten = training("airplane", 0);
  ten.training.lambda = 10;
  ten.training.dimension = 3072;
  table.columns = {"airplane"};
  table.rows[0].cells.resize(1);
  for (const sweeps::Job& job : {gaussian, ten, samples::neighbours("airplane")}) {
    table.rows.push_back({"other", false, true, {{{add(plan, job)}}}});
  }

  const auto settings = results::aggregate(plan, table, ledger).settings;

  EXPECT_THAT(settings, Contains("lambda 5, 10"));
  EXPECT_THAT(settings, Contains("sigma 1"));
  EXPECT_THAT(settings, Contains("dimension 384 (reduced; the paper uses 3072), 3072"));
  EXPECT_THAT(settings, AllOf(Contains("kNN k 2"), Contains("kNN features l2")));
  EXPECT_THAT(settings, testing::Not(Contains(HasSubstr("device"))));  // nothing ran
}

}  // namespace
