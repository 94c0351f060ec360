// Jobs, shared trainings and the cells of tables; what a table may not ask for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/error.hpp"
#include "sweeps/sweep.hpp"

namespace sweeps {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const ClassNames kClasses = {{"cifar10", {{"airplane", "cat", "ship"}, {}}}, {"synthetic", {{"ring", "bar"}, {}}}};
const std::string kBase = R"("dataset": "cifar10", "backbone": "efficientnet-lite0")";
const std::string kPlume = kBase + R"(, "lr": 1e-3)";

Plan plan_of(const std::string& blocks, const std::string& tables = "") {
  const std::string more = tables.empty() ? "" : R"(, "tables": [)" + tables + "]";
  return expand(parse_sweep(R"({"version": 1, "name": "s", "blocks": [)" + blocks + "]" + more + "}", "s.json"),
                kClasses);
}

std::string refusal(const std::string& blocks, const std::string& tables = "") {
  try {
    plan_of(blocks, tables);
  } catch (const storage::UsageError& error) {
    return error.what();
  }
  return "nothing was refused";
}

std::string table(const std::string& rows, const std::string& more = "") {
  return R"({"id": "t", "rows": [)" + rows + "]" + more + "}";
}
std::string row(const std::string& where) {
  return R"({"name": "r", "where": {)" + where + "}}";
}

std::vector<std::string> descriptions(const Plan& plan) {
  std::vector<std::string> texts;
  for (const Job& job : plan.jobs) texts.push_back(describe(job));
  return texts;
}

TEST(Expand, GivesEachSettingToEachClass) {
  const Plan plan = plan_of("{" + kPlume + R"(, "classes": ["ship", "cat"], "seeds": 2})");
  EXPECT_THAT(
      descriptions(plan),
      ElementsAre("cifar10/ship linear-map+full lambda 5 seed 0", "cifar10/cat linear-map+full lambda 5 seed 0",
                  "cifar10/ship linear-map+full lambda 5 seed 1", "cifar10/cat linear-map+full lambda 5 seed 1"));
  ASSERT_EQ(plan.keys.size(), 4U);
  EXPECT_EQ(plan.keys[2], key_of(plan.jobs[2]));
}

TEST(Expand, TakesAllClassesOfEachDataSet) {
  const Plan plan = plan_of(
      R"({"dataset": ["cifar10", "synthetic"], "classes": "all", "backbone": "efficientnet-lite0", "method": "knn"})");
  EXPECT_EQ(plan.jobs.size(), 5U);
  ASSERT_EQ(plan.tables.size(), 2U);
  EXPECT_THAT(plan.tables[1].datasets, ElementsAre("synthetic"));
  EXPECT_THAT(plan.tables[1].columns, ElementsAre("ring", "bar"));
}

TEST(Expand, SharesATrainingThatTwoBlocksNeed) {
  const Plan plan = plan_of("{" + kPlume + R"(, "seeds": 2}, {)" + kPlume + R"(, "seeds": 3, "sigma": 7})");
  EXPECT_EQ(plan.jobs.size(), 9U) << "3 classes, seeds 0, 1 and 2; sigma has no effect";
}

const NormalClasses kGrouped = {{"cat", "dog", "ship"}, {{"pets", {"cat", "dog"}, false}, {"rest", {"ship"}, false}}};

std::vector<std::string> grouped_jobs(const std::string& in_block) {
  const Sweep sweep = parse_sweep(
      R"({"version": 1, "name": "s", "blocks": [{"dataset": "cifar10", "backbone": "resnet50")" + in_block + "}]}",
      "s.json");
  return descriptions(expand(sweep, {{"cifar10", kGrouped}}));
}

TEST(Expand, MeansTheNormalSetsByAllWhereThereAreAny) {
  EXPECT_THAT(grouped_jobs(""), ElementsAre("cifar10/pets linear-map+full lambda 5 seed 0",
                                            "cifar10/rest linear-map+full lambda 5 seed 0"));
  EXPECT_THAT(
      grouped_jobs(R"(, "classes": ["dog", "pets"])"),
      ElementsAre("cifar10/dog linear-map+full lambda 5 seed 0", "cifar10/pets linear-map+full lambda 5 seed 0"));
}

TEST(Expand, PutsTheClassesOfASetIntoTheKeyOfItsJobs) {
  const Sweep sweep = parse_sweep(
      R"({"version": 1, "name": "s", "blocks": [{"dataset": "cifar10", "backbone": "resnet50", "classes": ["pets"]}]})",
      "s.json");
  NormalClasses other = kGrouped;
  other.sets[0].classes = {"cat"};
  const Plan plan = expand(sweep, {{"cifar10", kGrouped}});
  EXPECT_THAT(canonical_text(plan.jobs.at(0)), ::testing::HasSubstr(R"("lr":"find","members":["cat","dog"],"method")"));
  EXPECT_NE(plan.keys[0].hex, expand(sweep, {{"cifar10", other}}).keys[0].hex);
  EXPECT_EQ(canonical_text(read_job(storage::parse_json(canonical_text(plan.jobs[0]), "job", storage::Blame::run))),
            canonical_text(plan.jobs[0]));
}

TEST(Expand, NamesTheSetsAmongWhatABlockMayName) {
  try {
    grouped_jobs(R"(, "classes": ["pet"])");
    FAIL() << "expected a refusal";
  } catch (const storage::UsageError& error) {
    EXPECT_STREQ(error.what(),
                 "s.json: blocks[0].classes: \"pet\" is no class and no normal set of data set cifar10 (did you mean "
                 "\"pets\"?)");
  }
}

TEST(Expand, CollapsesGaussianOverLambdas) {
  const Plan plan =
      plan_of("{" + kPlume + R"(, "classes": ["cat"], "perturbation": ["linear-map", "gaussian"], "lambda": [10, 5]})");
  EXPECT_THAT(descriptions(plan),
              ElementsAre("cifar10/cat linear-map+full lambda 10 seed 0", "cifar10/cat linear-map+full lambda 5 seed 0",
                          "cifar10/cat gaussian+full seed 0"));
  for (const Job& job : plan.jobs) EXPECT_TRUE(job == normalised(job)) << describe(job);
}

TEST(Expand, FillsCellsBySeed) {
  const Plan plan = plan_of("{" + kPlume + R"(, "classes": ["ship", "cat"], "seeds": [4, 1]})",
                            table(row(R"("perturbation": "linear-map")")));
  const PlannedTable& t = plan.tables.at(0);
  EXPECT_EQ(t.title, "t") << "the id where there is no title";
  EXPECT_THAT(t.datasets, ElementsAre("cifar10"));
  EXPECT_THAT(t.columns, ElementsAre("cat", "ship")) << "the data set's order, not the block's";
  ASSERT_EQ(t.rows.at(0).cells.size(), 2U);
  std::vector<std::string> cell;
  for (const std::size_t index : t.rows[0].cells[0].jobs) cell.push_back(describe(plan.jobs[index]));
  EXPECT_THAT(
      cell, ElementsAre("cifar10/cat linear-map+full lambda 5 seed 1", "cifar10/cat linear-map+full lambda 5 seed 4"));
}

TEST(Expand, MatchesLambdaOfGaussianAsItWasWritten) {
  const std::string blocks = "{" + kPlume + R"(, "classes": ["cat"], "perturbation": "gaussian", "lambda": [5, 10]})";
  for (const char* where :
       {R"("perturbation": "gaussian", "lambda": 5)", R"("lambda": [10])", R"("perturbation": "gaussian")"}) {
    const Plan plan = plan_of(blocks, table(row(where)));
    EXPECT_THAT(plan.tables.at(0).rows.at(0).cells.at(0).jobs, ElementsAre(0U)) << where;
  }
  EXPECT_THAT(refusal(blocks, table(row(R"("lambda": 20)"))),
              HasSubstr("lambda is 20, but the jobs that match the rest have 5 or 10"));
}

TEST(Expand, MarksReducedRowsAndBaselines) {
  const Plan plan = plan_of("{" + kPlume + R"(, "dimension": [384, 3072]}, {)" + kBase + R"(, "method": "knn"})");
  const std::vector<PlannedRow>& rows = plan.tables.at(0).rows;
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].name, "linear-map + full, dimension 384");
  EXPECT_TRUE(rows[0].reduced && rows[0].in_paper);
  EXPECT_EQ(rows[1].name, "linear-map + full, dimension 3072");
  EXPECT_TRUE(!rows[1].reduced && rows[1].in_paper);
  EXPECT_EQ(rows[2].name, "knn raw");
  EXPECT_TRUE(!rows[2].reduced && !rows[2].in_paper);
}

TEST(Expand, GeneratesRowsThatSelectExactlyTheirSetting) {
  const Plan plan = plan_of(
      "{" + kPlume +
      R"(, "perturbation": ["linear-map", "add-mult", "gaussian"], "guidance": ["none", "mean"], "lambda": [5, 10],
      "semantics": ["released", "paper"], "train_rows": ["all", 50], "seeds": 2}, {)" +
      kBase + R"(, "method": "knn", "k": [1, 2]})");
  std::size_t in_cells = 0;
  for (const PlannedRow& r : plan.tables.at(0).rows) {
    for (const PlannedCell& cell : r.cells) {
      EXPECT_EQ(cell.jobs.size(), r.in_paper ? 2U : 1U) << r.name;
      in_cells += cell.jobs.size();
    }
  }
  EXPECT_EQ(in_cells, plan.jobs.size()) << "each job in one cell";
}

TEST(Expand, MixesAllMethodsInOneTable) {
  const Plan plan = plan_of(R"({"dataset": "cifar10", "backbone": "efficientnet-lite0", "classes": ["cat", "ship"],
      "method": ["plume", "plad", "knn", "mahalanobis", "mean-distance", "k-means", "rotation"],
      "perturbation": ["linear-map", "gaussian"], "guidance": "none", "scaling": ["raw", "l2"], "clusters": [5, 10],
      "seeds": 3})");
  const std::vector<PlannedRow>& rows = plan.tables.at(0).rows;
  std::vector<std::string> names;
  for (const PlannedRow& r : rows) {
    names.push_back(r.name);
    const bool baseline = r.name.find("raw") != std::string::npos || r.name.find("l2") != std::string::npos;
    const bool seeded = !baseline || r.name.starts_with("k-means");
    EXPECT_EQ(r.in_paper, !baseline && r.name != "rotation") << r.name;
    EXPECT_EQ(r.trains_on_images, r.name == "rotation") << r.name;
    EXPECT_EQ(r.seeded, seeded) << r.name;
    EXPECT_FALSE(r.reduced) << r.name;
    ASSERT_EQ(r.cells.size(), 2U) << r.name;
    for (const PlannedCell& cell : r.cells) EXPECT_EQ(cell.jobs.size(), seeded ? 3U : 1U) << r.name;
  }
  EXPECT_THAT(
      names, ElementsAre("linear-map", "gaussian", "plad", "knn raw", "knn l2", "mahalanobis raw", "mahalanobis l2",
                         "mean-distance raw", "mean-distance l2", "k-means raw, clusters 5", "k-means raw, clusters 10",
                         "k-means l2, clusters 5", "k-means l2, clusters 10", "rotation"));
  // 2 classes x (3 seeds x (2 plume + plad + 4 k-means + rotation) + 6 others)
  EXPECT_EQ(plan.jobs.size(), 2U * (3U * 8U + 6U));
}

TEST(Expand, PlansPladOnceWhateverPlumeVaries) {
  const Plan plan = plan_of("{" + kBase + R"(, "classes": ["cat"], "method": ["plume", "plad"], "lr": ["find", 1e-3],
      "perturbation": ["gaussian", "add"], "guidance": ["none", "full"], "normalisation": "imagenet"})");
  std::vector<std::string> plads;
  for (const Job& job : plan.jobs) {
    if (job.method == Method::plad) plads.push_back(canonical_text(job));
  }
  const std::string before =
      R"({"batch_size":32,"class":"cat","dataset":"cifar10","engine_version":6,"epochs":100,"lambda":5,"lr":)";
  const std::string after = R"(,"method":"plad","nu":1,"seed":0,"semantics":"released","weight_decay":0.01})";
  EXPECT_THAT(plads, ElementsAre(before + "\"find\"" + after, before + "0.001" + after));
  EXPECT_THAT(refusal("{" + kBase + R"(, "method": ["plume", "plad"]})", table(row(R"("lambda": 5)"))),
              HasSubstr("method is \"plad\" or \"plume\"; say in \"where\" which one it shows"));
}

TEST(SettingNames, TellApartWhateverDiffersBesideDataSetClassAndSeed) {
  Job job;
  job.dataset = "cifar10";
  job.normal_class = "cat";
  job.backbone = "efficientnet-lite0";
  Job other_run = job;
  other_run.dataset = "synthetic";
  other_run.normal_class = "ring";
  other_run.seed = 4;
  Job fixed = job;
  fixed.training.learning_rate = 1e-3;
  fixed.training.guidance = Guidance::none;
  Job fewer = job;
  fewer.train_rows = 100;
  Job knn = job;
  knn.method = Method::knn;
  EXPECT_THAT(setting_names({job, other_run}), ElementsAre("linear-map + full", "linear-map + full"));
  EXPECT_THAT(setting_names({job, fixed, fewer, knn}),
              ElementsAre("linear-map + full, train_rows all, lr find", "linear-map, train_rows all, lr 0.001",
                          "linear-map + full, train_rows 100, lr find", "knn raw, train_rows all"));
}

TEST(Expand, KeepsToTheColumnsOfATable) {
  const Plan plan =
      plan_of("{" + kPlume + "}", table(row(""), R"(, "columns": ["ship", "airplane"], "modes": ["last"])"));
  EXPECT_THAT(plan.tables.at(0).columns, ElementsAre("ship", "airplane"));
  EXPECT_EQ(plan.tables[0].rows.at(0).cells.size(), 2U);
  EXPECT_EQ(plan.jobs.size(), 3U) << "the other class is run all the same";
  EXPECT_THAT(plan.tables[0].modes, ElementsAre(Mode::last));
}

TEST(Expand, RefusesACellOfDifferentSettings) {
  EXPECT_EQ(refusal("{" + kPlume + R"(, "classes": ["cat"], "lambda": [5, 10], "epochs": [1, 2], "seeds": 2})",
                    table(row(R"("epochs": 2)"))),
            "s.json: table \"t\": row \"r\": its jobs of class \"cat\" differ in more than the seed: lambda is 10 or "
            "5; say in \"where\" which one it shows");
  EXPECT_THAT(refusal("{" + kPlume + R"(, "perturbation": ["gaussian", "add"], "lambda": 7})", table(row(""))),
              HasSubstr("differ in more than the seed: perturbation is \"add\" or \"gaussian\"; say"));
  EXPECT_THAT(refusal("{" + kBase + R"(, "method": "knn", "train_rows": ["all", 10]})", table(row(""))),
              HasSubstr("train_rows is \"all\" or 10"));
}

TEST(Expand, SaysWhyARowMatchesNothing) {
  const std::string blocks = "{" + kPlume + R"(, "perturbation": "linear-map", "guidance": "full"}, {)" + kPlume +
                             R"(, "perturbation": "gaussian", "guidance": "none"})";
  EXPECT_EQ(refusal(blocks, table(row(R"("perturbation": "linear-map", "guidance": "none")"))),
            "s.json: table \"t\": row \"r\": matches no job: guidance is \"none\", but the jobs that match the rest "
            "have \"full\"");
  EXPECT_THAT(refusal(blocks, table(row(R"("method": "knn")"))),
              HasSubstr("method is \"knn\", but the jobs that match the rest have \"plume\""));
  EXPECT_THAT(refusal(blocks, table(row(R"("k": 2)"))),
              HasSubstr("k is 2, but the jobs that match the rest have no k"));
  EXPECT_THAT(refusal(blocks, table(row(R"("epochs": 7, "lambda": 9, "nu": 8)"))),
              HasSubstr("epochs is 7, but the blocks have 100"));
}

TEST(Expand, RefusesClassesThatDoNotExist) {
  EXPECT_EQ(refusal("{" + kPlume + R"(, "classes": ["airplan"]})"),
            "s.json: blocks[0].classes: \"airplan\" is no class of data set cifar10 (did you mean \"airplane\"?)");
  EXPECT_EQ(refusal("{" + kPlume + "}", table(row(""), R"(, "columns": ["shp"])")),
            "s.json: table \"t\": columns: \"shp\" is no class of its data set (did you mean \"ship\"?)");
  EXPECT_EQ(refusal("{" + kPlume + R"(, "classes": ["cat"]})", table(row(""), R"(, "columns": ["ship"])")),
            "s.json: table \"t\": columns: no job of its rows has the class \"ship\"; they have cat");
}

TEST(Expand, RefusesATableOverTwoDataSets) {
  const std::string blocks =
      R"({"dataset": ["cifar10", "synthetic"], "backbone": "efficientnet-lite0", "method": "knn"})";
  EXPECT_THAT(refusal(blocks, table(row(""))),
              HasSubstr("a table is over one data set, but this one has cifar10 and synthetic; add \"dataset\""));
  EXPECT_THAT(plan_of(blocks, table(row(R"("dataset": "synthetic")"))).tables.at(0).datasets,
              ElementsAre("synthetic"));
}

TEST(Expand, RefusesARowWithoutJobsInTheColumns) {
  const std::string blocks =
      "{" + kPlume + R"(, "classes": ["cat"]}, {)" + kBase + R"(, "method": "knn", "classes": ["ship"]})";
  const std::string rows = R"({"name": "p", "where": {"method": "plume"}}, {"name": "n", "where": {"method": "knn"}})";
  EXPECT_THAT(refusal(blocks, table(rows, R"(, "columns": ["cat"])")),
              HasSubstr("row \"n\": has no job in the table's columns cat"));
  const Plan plan = plan_of(blocks, table(rows));
  EXPECT_TRUE(plan.tables.at(0).rows.at(0).cells.at(1).jobs.empty()) << "a cell that nothing fills is empty";
}

}  // namespace
}  // namespace sweeps
