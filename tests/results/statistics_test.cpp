// Means, standard deviations and aggregation, with numbers that can be checked by hand.
#include "results/statistics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "results/departures.hpp"
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
    table.datasets = {"cifar10"};
    table.columns = {"airplane", "bird"};
    table.modes = {Mode::best, Mode::last};
    table.rows.push_back({"LinearMap", true, true, true, {{}, {}}});
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

  EXPECT_EQ(*r.cells[0].by_mode[0].summary.mean, 62.5);
  EXPECT_EQ(*r.cells[0].by_mode[0].summary.std_dev, 12.5 * std::sqrt(2.0));
  EXPECT_EQ(*r.cells[0].by_mode[1].summary.std_dev, 0);
  EXPECT_EQ(*r.cells[1].by_mode[1].summary.mean, 31.25);
  EXPECT_EQ(*r.mean_by_mode[0].summary.mean, 62.5);  // seeds: (75 + 25) / 2 = 50 and (50 + 100) / 2 = 75
  EXPECT_EQ(*r.mean_by_mode[0].summary.std_dev, 12.5 * std::sqrt(2.0));
  EXPECT_EQ(*r.mean_by_mode[1].summary.mean, 40.625);
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

  EXPECT_EQ(*r.cells[0].by_mode[0].summary.mean, 50);
  EXPECT_EQ(r.mean_by_mode[0].summary.n, 1u);
  EXPECT_EQ(*r.mean_by_mode[0].summary.mean, 37.5);  // seed 1 alone
  EXPECT_FALSE(r.mean_by_mode[0].summary.std_dev);
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
  EXPECT_FALSE(r.cells[1].by_mode[0].summary.mean);  // its best is defined, but a run counts in all modes or in none
  EXPECT_FALSE(r.mean_by_mode[0].summary.mean);
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
              AllOf(where, HasSubstr("device cpu (bird seed 0) and cuda (bird seed 1)")));
  EXPECT_THAT(mixed([](auto& r) { r.threads = 2; }),
              AllOf(where, HasSubstr("threads 1 (bird seed 0) and 2 (bird seed 1)")));
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
    table.rows.push_back({"other", false, true, true, {{{add(plan, job)}}}});
  }

  const auto settings = results::aggregate(plan, table, ledger).settings;

  EXPECT_THAT(settings, Contains("lambda 5, 10"));
  EXPECT_THAT(settings, Contains("sigma 1"));
  EXPECT_THAT(settings, Contains("dimension 384 (reduced; the paper uses 3072), 3072"));
  EXPECT_THAT(settings, AllOf(Contains("features l2"), Contains("kNN k 2")));
  EXPECT_THAT(settings, testing::Not(Contains(HasSubstr("device"))));  // nothing ran
}

TEST_F(Aggregate, StatesTheSettingsOfPladAndOfEachBaseline) {
  sweeps::Job raw = samples::k_means("airplane", 0);
  raw.baseline.scaling = sweeps::FeatureScaling::raw;
  table.columns = {"airplane"};
  table.rows.clear();
  for (const sweeps::Job& job : {samples::plad("airplane", 0), raw, samples::k_means("airplane", 0)}) {
    table.rows.push_back({"row", false, true, true, {{{add(plan, job)}}}});
  }

  EXPECT_THAT(results::aggregate(plan, table, ledger).settings,
              ElementsAre("data set cifar10", "backbone efficientnet-lite0", "normalisation dataset",
                          "training rows per class 1000", "test rows per class all", "semantics released", "epochs 2",
                          "batch size 32", "learning rate 0.0005", "weight decay 0.01", "lambda 5", "nu 1",
                          "features raw, l2", "k-means clusters 10"));
}

/// Two jobs that find their rate and one that was given it, in three rows.
class FoundRates : public Aggregate {
 protected:
  FoundRates() {
    table.columns = {"airplane"};
    table.rows.clear();
    for (const std::uint64_t seed : {0, 1, 2}) {
      sweeps::Job job = training("airplane", seed);
      if (seed != 1) job.training.learning_rate = std::nullopt;
      jobs.push_back(add(plan, job));
      table.rows.push_back({"row", false, true, true, {{{jobs.back()}}}});
    }
  }
  void find(std::size_t job, double rate) {
    results::JobResult result = finished({0.5});
    result.found_learning_rate = rate;
    ledger.apply(done(plan.jobs[jobs[job]], result));
  }
  std::string stated() const {
    for (const std::string& fact : results::aggregate(plan, table, ledger).settings) {
      if (fact.starts_with("learning rate")) return fact;
    }
    return "nothing";
  }
  std::vector<std::size_t> jobs;
};

TEST_F(FoundRates, AreStatedAsARangeOnceTheyAreKnown) {
  EXPECT_EQ(stated(), "learning rate found by a range test, 0.0005");
  find(2, 6.3e-4);
  EXPECT_EQ(stated(), "learning rate found by a range test (6.3e-04), 0.0005");
  find(0, 5.01e-4);
  EXPECT_EQ(stated(), "learning rate found by a range test (5.0e-04 to 6.3e-04), 0.0005");
  table.rows.erase(table.rows.begin() + 1);
  EXPECT_EQ(stated(), "learning rate found by a range test (5.0e-04 to 6.3e-04)");
}

TEST_F(FoundRates, ThatRoundToOneAreStatedOnce) {
  find(0, 5.01e-4);
  find(2, 5.04e-4);
  EXPECT_EQ(stated(), "learning rate found by a range test (5.0e-04), 0.0005");
}

TEST_F(Aggregate, SpreadsASeededBaselineOverItsSeeds) {
  table.rows = {{"k-means", false, false, true, {{}, {}}}};
  for (const std::size_t cell : {0, 1}) {
    for (const std::uint64_t seed : {0, 1}) {
      table.rows[0].cells[cell].jobs.push_back(add(plan, samples::k_means(table.columns[cell], seed)));
    }
  }
  const std::size_t first = table.rows[0].cells[0].jobs[0];
  finish(first, {0.75});
  finish(first + 1, {0.5});
  finish(first + 2, {0.25});

  const auto r = row();

  EXPECT_EQ(*r.cells[0].by_mode[0].summary.mean, 62.5);
  EXPECT_EQ(*r.cells[0].by_mode[0].summary.std_dev, 12.5 * std::sqrt(2.0));
  EXPECT_EQ(r.seeds_planned, 2u);
  ASSERT_EQ(r.uncounted.size(), 1u);
  EXPECT_EQ(r.uncounted[0].seed, 1u) << "a seed says which run is missing";
}

/// The paper's own settings, to be changed by one at a time.
sweeps::Job as_in_the_paper() {
  sweeps::Job job;
  job.dataset = "cifar10";
  job.normal_class = "airplane";
  job.backbone = "resnet50";
  return job;
}

TEST(Departures, NameEachSettingThatIsNotThePapers) {
  const auto departures = [](auto change) {
    sweeps::Job job = as_in_the_paper();
    change(job);
    return results::departures_of({&job});
  };
  const auto nothing = ElementsAre();

  EXPECT_THAT(departures([](auto&) {}), nothing);
  EXPECT_THAT(departures([](auto& job) { job.backbone = "vgg16"; }), nothing);
  EXPECT_THAT(departures([](auto& job) { job.backbone = "convnext-base"; }), nothing);
  EXPECT_THAT(departures([](auto& job) { job.training.lambda = 20, job.training.learning_rate = 1e-3; }), nothing);
  EXPECT_THAT(departures([](auto& job) { job.training.dimension = 384; }), ElementsAre("dimension 384 (reduced)"));
  EXPECT_THAT(departures([](auto& job) { job.train_rows = 1000; }), ElementsAre("1000 training rows per class"));
  EXPECT_THAT(departures([](auto& job) { job.test_rows = 100; }), ElementsAre("100 test rows per class"));
  EXPECT_THAT(departures([](auto& job) { job.training.epochs = 10; }), ElementsAre("10 epochs"));
  EXPECT_THAT(departures([](auto& job) { job.backbone = "efficientnet-lite0"; }),
              ElementsAre("backbone efficientnet-lite0"));
}

TEST(Departures, AreThoseOfTrainingsOnlyEachValueOnce) {
  const sweeps::Job ten = training("airplane", 0), knn = samples::neighbours("cat"), image = samples::plad("cat", 0);
  sweeps::Job one = training("bird", 0);
  one.training.epochs = 1;

  EXPECT_THAT(results::departures_of({&knn}), ElementsAre());
  EXPECT_THAT(results::departures_of({&image}), ElementsAre("1000 training rows per class", "2 epochs"))
      << "plad has neither dimension nor backbone";
  EXPECT_THAT(results::departures_of({&ten, &knn, &one, &image}),
              ElementsAre("dimension 384 (reduced)", "1000 training rows per class", "2, 1 epochs",
                          "backbone efficientnet-lite0"));
}

}  // namespace
