// Rows on weights that are not the paper's: marked wherever a table is shown, and kept from comparison with the paper.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/tables.hpp"
#include "tests/results/samples.hpp"

namespace {

using results::Table;
using results::WeightsUse;
using samples::kOtherFile;
using samples::kPaperResnet;
using sweeps::WeightsKind;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// At the paper's settings, but for the classes.
sweeps::Job papers_training(const std::string& normal_class) {
  sweeps::Job job;
  job.dataset = "cifar10";
  job.normal_class = normal_class;
  job.backbone = "resnet50";
  return job;
}

sweeps::Job papers_knn(const std::string& normal_class) {
  sweeps::Job job = samples::neighbours(normal_class);
  job.backbone = "resnet50";
  return job;
}

/// A training and kNN, one run each of airplane and bird.
class WeightsMarks : public testing::Test {
 protected:
  WeightsMarks() {
    table.id = "small";
    table.datasets = {"cifar10"};
    table.columns = {"airplane", "bird"};
    table.modes = {sweeps::Mode::best};
    add_row("LinearMap, guided", true, papers_training);
    add_row("kNN", false, papers_knn);
  }
  void add_row(const std::string& name, bool in_paper, sweeps::Job (*job_of)(const std::string&)) {
    sweeps::PlannedRow row{name, false, in_paper, in_paper, {}};
    for (const std::string& column : table.columns) row.cells.push_back({{samples::add(plan, job_of(column))}});
    table.rows.push_back(row);
  }
  /// Jobs 0 and 1 are the training's, 2 and 3 kNN's.
  void finish(std::size_t job, const std::string& weights) {
    results::JobResult result = samples::finished({0.9});
    result.weights = weights;
    ledger.apply(samples::done(plan.jobs[job], result));
  }
  void finish_all(const std::string& weights) {
    for (std::size_t job = 0; job < plan.jobs.size(); ++job) finish(job, weights);
  }
  Table aggregated() const { return results::aggregate(plan, table, ledger); }
  std::string terminal() const { return results::to_terminal(aggregated(), 1000); }

  sweeps::Plan plan;
  sweeps::PlannedTable table;
  results::Ledger ledger;
};

TEST_F(WeightsMarks, AreAbsentOnThePapersWeights) {
  finish_all(kPaperResnet);

  EXPECT_THAT(terminal(), AllOf(HasSubstr("\nLinearMap, guided  best"), Not(HasSubstr("Weights:"))));
  EXPECT_THAT(results::to_csv(aggregated()),
              AllOf(HasSubstr(",airplane,best,90,,1,1,1,0,0,0,0,false,true,paper,percent,"), Not(HasSubstr("other"))));
  EXPECT_TRUE(aggregated().rows[0].comparable);
  EXPECT_FALSE(aggregated().rows[1].comparable) << "a baseline is not in the paper";
}

TEST_F(WeightsMarks, OfThePaperMakeNoRowComparableThatStandsInForAnotherOrLacksImages) {
  finish_all(kPaperResnet);
  table.left_out = {"1 of 8 test images"};
  EXPECT_FALSE(aggregated().rows[0].comparable);
  table.left_out.clear();
  table.substitutes = {{"vgg16", "resnet50"}};
  EXPECT_FALSE(aggregated().rows[0].comparable);
}

TEST_F(WeightsMarks, StandInTheNamesOfRowsOnAnotherFile) {
  finish_all(kOtherFile);

  EXPECT_THAT(terminal(),
              AllOf(HasSubstr("\nLinearMap, guided (not the paper's weights)  best (selects on test)   90.0 ± -"),
                    HasSubstr("\nkNN (not the paper's weights)                best                         90.0")));
  EXPECT_THAT(results::to_markdown(aggregated()),
              AllOf(HasSubstr("\n| LinearMap, guided (not the paper's weights) |"),
                    HasSubstr("\n| kNN (not the paper's weights)               |")));
  EXPECT_THAT(terminal(), HasSubstr("\n- Weights: LinearMap, guided; kNN: not the paper's weights (resnet50 1a2b3c4d, "
                                    "the paper's begin with 0676ba61): not comparable with the paper's numbers.\n"));
  EXPECT_THAT(results::to_csv(aggregated()),
              AllOf(HasSubstr("small,\"LinearMap, guided\",mean,best,"), HasSubstr(",true,other,percent,"),
                    HasSubstr(",false,other,percent,")));
  EXPECT_FALSE(aggregated().rows[0].comparable);
}

TEST_F(WeightsMarks, CallRandomWeightsUntrainedAndSayWhatThatMeans) {
  finish_all("random:7");

  EXPECT_THAT(terminal(), HasSubstr("\nLinearMap, guided (untrained)  best (selects on test)   90.0"));
  EXPECT_THAT(terminal(),
              HasSubstr("\n- Weights: LinearMap, guided; kNN: untrained (resnet50 random:7): not comparable with the "
                        "paper's numbers. Nobody trained an untrained backbone: numbers from its features say nothing "
                        "about the method.\n"));
  EXPECT_THAT(results::to_csv(aggregated()),
              HasSubstr("small,kNN,bird,best,90,,1,1,1,0,0,0,0,false,false,untrained,percent,"));
  EXPECT_FALSE(aggregated().rows[0].comparable);
}

TEST_F(WeightsMarks, NameAllWeightsOfARowThatMixesThem) {
  finish(0, kPaperResnet);
  finish(1, "random:0");
  finish(2, kOtherFile);
  finish(3, "random:0");

  EXPECT_THAT(terminal(), AllOf(HasSubstr("\nLinearMap, guided (partly untrained)"),
                                HasSubstr("\nkNN (untrained, not the paper's weights)")));
  EXPECT_THAT(terminal(),
              HasSubstr("\n- Weights: LinearMap, guided: partly untrained (resnet50 0676ba61, the paper's; resnet50 "
                        "random:0). kNN: untrained, not the paper's weights (resnet50 1a2b3c4d, the paper's begin with "
                        "0676ba61; resnet50 random:0): not comparable with the paper's numbers."));
  const std::string csv = results::to_csv(aggregated());
  EXPECT_THAT(csv, HasSubstr(",airplane,best,90,,1,1,1,0,0,0,0,false,true,paper,percent,"));
  EXPECT_THAT(csv, HasSubstr(",mean,best,90,,1,1,1,0,0,0,0,false,true,paper+untrained,percent,"));
  EXPECT_THAT(csv, HasSubstr(",mean,best,90,,1,1,1,0,0,0,0,false,false,other+untrained,percent,"));
  EXPECT_FALSE(aggregated().rows[0].comparable);
}

TEST_F(WeightsMarks, AreOfCountedRunsOnly) {
  finish(0, kPaperResnet);
  results::JobResult diverged = samples::diverged(1);
  diverged.weights = "random:0";
  ledger.apply(samples::done(plan.jobs[1], diverged));

  EXPECT_THAT(terminal(), AllOf(HasSubstr("\nLinearMap, guided  best"), Not(HasSubstr("untrained"))));
}

TEST_F(WeightsMarks, LeaveABackboneThatThePaperDoesNotHaveToTheNoteOnSettings) {
  table.rows.clear();
  add_row("LinearMap", true, [](const std::string& normal_class) { return samples::training(normal_class, 0); });
  finish_all(kOtherFile);

  EXPECT_THAT(terminal(), AllOf(HasSubstr("\nLinearMap  best"),
                                HasSubstr("backbone efficientnet-lite0: not comparable"), Not(HasSubstr("Weights:"))));
  EXPECT_THAT(results::to_csv(aggregated()), HasSubstr(",mean,best,90,,1,1,1,0,0,0,0,false,true,other,percent,"));
  EXPECT_FALSE(aggregated().rows[0].comparable) << "it departs";
}

TEST_F(WeightsMarks, AreNoneForPlad) {
  table.rows.clear();
  plan = {};
  add_row("PLAD", true, [](const std::string& normal_class) {
    sweeps::Job job = papers_training(normal_class);
    job.method = sweeps::Method::plad;
    return sweeps::normalised(job);
  });
  finish_all("");

  EXPECT_THAT(terminal(), AllOf(HasSubstr("\nPLAD  best"), Not(HasSubstr("Weights:"))));
  EXPECT_THAT(results::to_csv(aggregated()), HasSubstr(",airplane,best,90,,1,1,1,0,0,0,0,false,true,,percent,"));
  EXPECT_TRUE(aggregated().rows[0].comparable);
}

TEST(WeightsUse, IsTheSameWhateverTheOrder) {
  WeightsUse one, other;
  for (const char* identity : {"random:1", "random:0"}) one.add("resnet50", identity);
  for (const char* identity : {"random:0", "", "random:1"}) other.add("resnet50", identity);

  EXPECT_EQ(one, other);
  EXPECT_THAT(one.listed(), ElementsAre("resnet50 random:0", "resnet50 random:1"));
  EXPECT_EQ(one.kinds(), "untrained");
  EXPECT_TRUE(one.has(WeightsKind::untrained));
  EXPECT_FALSE(one.has(WeightsKind::paper));
}

}  // namespace
