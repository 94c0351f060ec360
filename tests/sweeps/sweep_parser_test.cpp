// The sweep language: what it accepts and every way to get it wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/error.hpp"
#include "sweeps/sweep.hpp"
#include "tests/temporary_folder.hpp"

namespace sweeps {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// A sweep of one block, with more members of the block and of the top.
std::string sweep_text(const std::string& in_block, const std::string& at_top = "") {
  return R"({"version": 1, "name": "s", "blocks": [{"dataset": "cifar10", "backbone": "efficientnet-lite0")" +
         in_block + "}]" + at_top + "}";
}
const std::string kLr = R"(, "lr": 1e-3)";

Sweep parse(const std::string& text) {
  return parse_sweep(text, "s.json");
}

std::string refusal(const std::string& text) {
  try {
    parse(text);
  } catch (const storage::UsageError& error) {
    return error.what();
  }
  return "nothing was refused";
}
std::string refusal_of_block(const std::string& in_block) {
  return refusal(sweep_text(in_block));
}

TEST(SweepParser, FillsInTheDefaultsOfATraining) {
  const Sweep sweep = parse(sweep_text(kLr));
  ASSERT_EQ(sweep.blocks.size(), 1U);
  ASSERT_EQ(sweep.blocks[0].jobs_without_class.size(), 1U);
  const Job& job = sweep.blocks[0].jobs_without_class[0];
  TrainingSettings expected;
  expected.learning_rate = 1e-3;
  EXPECT_TRUE(job.training == expected);
  EXPECT_EQ(job.method, Method::plume);
  EXPECT_EQ(job.normalisation, Normalisation::dataset);
  EXPECT_FALSE(job.train_rows.has_value());
  EXPECT_TRUE(sweep.blocks[0].classes.empty()) << "all classes";
  EXPECT_EQ(sweep.name, "s");
}

TEST(SweepParser, ReadsEveryKeyOfATraining) {
  const Sweep sweep = parse(
      sweep_text(R"(, "classes": ["cat", "ship"], "method": "plume", "normalisation": "normal-class", "train_rows": 320,
      "test_rows": "all", "perturbation": "add-mult", "guidance": "none", "semantics": "paper", "classifier_passes": "one",
      "dimension": 384, "seeds": [3], "epochs": 7, "batch_size": 16, "lr": 6e-5, "weight_decay": 0, "lambda": 10, "nu": 0.5,
      "gamma": 2, "tau": 0.1, "sigma": 3)"));
  const Job& job = sweep.blocks[0].jobs_without_class.at(0);
  const TrainingSettings expected = {Perturbation::add_mult,
                                     Guidance::none,
                                     Semantics::paper,
                                     ClassifierPasses::one,
                                     384,
                                     7,
                                     16,
                                     6e-5,
                                     0,
                                     10,
                                     0.5,
                                     2,
                                     0.1,
                                     3};
  EXPECT_TRUE(job.training == expected);
  EXPECT_EQ(job.seed, 3U);
  EXPECT_EQ(job.normalisation, Normalisation::normal_class);
  EXPECT_EQ(job.train_rows, 320);
  EXPECT_FALSE(job.test_rows.has_value());
  EXPECT_THAT(sweep.blocks[0].classes, ElementsAre("cat", "ship"));
}

TEST(SweepParser, ExpandsListsWithSeedsFastest) {
  const Sweep sweep =
      parse(sweep_text(R"(, "lambda": [5, 10], "perturbation": ["linear-map", "add"], "seeds": 2)" + kLr));
  std::vector<std::string> order;
  for (Job job : sweep.blocks[0].jobs_without_class) {
    job.normal_class = "c";
    order.push_back(describe(job));
  }
  EXPECT_THAT(order,
              ElementsAre("cifar10/c linear-map+full lambda 5 seed 0", "cifar10/c linear-map+full lambda 5 seed 1",
                          "cifar10/c linear-map+full lambda 10 seed 0", "cifar10/c linear-map+full lambda 10 seed 1",
                          "cifar10/c add+full lambda 5 seed 0", "cifar10/c add+full lambda 5 seed 1",
                          "cifar10/c add+full lambda 10 seed 0", "cifar10/c add+full lambda 10 seed 1"));
}

TEST(SweepParser, GivesABaselineNoSeeds) {
  const Sweep sweep = parse(sweep_text(R"(, "method": "knn", "k": [1, 2], "scaling": ["raw", "l2"])"));
  EXPECT_EQ(sweep.blocks[0].jobs_without_class.size(), 4U);
}

TEST(SweepParser, FindsTheLearningRateWhereNoneIsGiven) {
  EXPECT_EQ(parse(sweep_text("")).blocks[0].jobs_without_class.at(0).training.learning_rate, std::nullopt);
  const auto jobs = parse(sweep_text(R"(, "lr": ["find", 1e-3])")).blocks[0].jobs_without_class;
  ASSERT_EQ(jobs.size(), 2U);
  EXPECT_TRUE(jobs[0] == parse(sweep_text("")).blocks[0].jobs_without_class.at(0));
  EXPECT_EQ(jobs[1].training.learning_rate, 1e-3);
}

TEST(SweepParser, LetsPladDoWithoutABackbone) {
  const auto jobs = [](const std::string& block) {
    return parse(R"({"version": 1, "name": "s", "blocks": [{"dataset": "cifar10")" + block + "}]}")
        .blocks[0]
        .jobs_without_class;
  };
  const auto plad = jobs(R"(, "method": "plad", "seeds": 2, "lambda": 10, "semantics": "paper", "train_rows": 50)");
  ASSERT_EQ(plad.size(), 2U);
  EXPECT_EQ(plad[1].seed, 1U);
  EXPECT_EQ(plad[1].training.lambda, 10);
  EXPECT_EQ(plad[1].backbone, "");
  const auto both = jobs(R"(, "method": ["plume", "plad"], "backbone": "efficientnet-lite0", "guidance": "none")");
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(both[0].backbone, "efficientnet-lite0");
  EXPECT_EQ(both[0].training.guidance, Guidance::none);
  EXPECT_EQ(both[1].backbone, "") << "plume's only";
  EXPECT_TRUE(both[1].training == TrainingSettings()) << "plume's only";
}

TEST(SweepParser, GivesRotationItsRowsAndSeedsAndNothingElse) {
  const auto jobs =
      parse(R"({"version": 1, "name": "s", "blocks": [{"dataset": "cifar10", "method": ["rotation", "knn"],
      "backbone": "resnet50", "scaling": "l2", "train_rows": 300, "seeds": 2}]})")
          .blocks[0]
          .jobs_without_class;
  ASSERT_EQ(jobs.size(), 3U) << "2 seeds, and one knn";
  EXPECT_EQ(jobs[1].seed, 1U);
  EXPECT_EQ(jobs[1].train_rows, 300);
  EXPECT_EQ(jobs[1].backbone, "") << "knn's only";
  EXPECT_TRUE(jobs[1].baseline == BaselineSettings()) << "knn's only";
  for (const char* member :
       {R"("scaling": "l2")", R"("epochs": 5)", R"("backbone": "resnet50")", R"("lambda": 5)", R"("k": 2)"}) {
    EXPECT_THAT(refusal(R"({"version": 1, "name": "s", "blocks": [{"dataset": "cifar10", "method": "rotation", )" +
                        std::string(member) + "}]}"),
                HasSubstr("has no meaning for method \"rotation\""))
        << member;
  }
}

TEST(SweepParser, GivesKMeansItsClustersAndSeeds) {
  const auto jobs =
      parse(sweep_text(R"(, "method": ["k-means", "knn"], "clusters": [5, 20], "scaling": "l2", "seeds": [2, 7])"))
          .blocks[0]
          .jobs_without_class;
  ASSERT_EQ(jobs.size(), 5U) << "2 clusters x 2 seeds, and one knn";
  EXPECT_EQ(jobs[1].baseline.clusters, 5);
  EXPECT_EQ(jobs[1].seed, 7U);
  EXPECT_EQ(jobs[2].baseline.clusters, 20);
  EXPECT_EQ(jobs[4].seed, 0U);
}

TEST(SweepParser, ExpandsEachMethodOverItsOwnAxes) {
  const Sweep sweep = parse(sweep_text(R"(, "method": ["plume", "knn"], "scaling": ["raw", "l2"], "seeds": 3)" + kLr));
  EXPECT_EQ(sweep.blocks[0].jobs_without_class.size(), 5U) << "3 seeds and 2 scalings";
}

TEST(SweepParser, DeclaresOnlyTheDataSetsThatBlocksUse) {
  const Sweep sweep = parse(R"({"version": 1, "name": "s",
      "datasets": {"mine": {"kind": "image-folder"}, "unused": {"kind": "cifar10"}, "synthetic": {"kind": "synthetic", "classes": 3, "seed": 9}},
      "blocks": [{"dataset": ["synthetic", "mine"], "backbone": "efficientnet-lite0", "method": "knn"}]})");
  ASSERT_EQ(sweep.datasets.size(), 2U);
  EXPECT_EQ(sweep.datasets[0].id, "synthetic");
  EXPECT_EQ(sweep.datasets[0].class_count, 3);
  EXPECT_EQ(sweep.datasets[0].seed, 9U);
  EXPECT_EQ(sweep.datasets[0].train_per_class, 400);
  EXPECT_EQ(sweep.datasets[1].kind, "image-folder");
}

TEST(SweepParser, GivesASweepWithoutTablesOneForEachDataSet) {
  const Sweep sweep = parse(R"({"version": 1, "name": "s", "blocks": [
      {"dataset": ["cifar10", "synthetic"], "backbone": "efficientnet-lite0", "method": "knn", "scaling": "l2"}]})");
  ASSERT_EQ(sweep.tables.size(), 2U);
  EXPECT_EQ(sweep.tables[0].id, "cifar10");
  EXPECT_EQ(sweep.tables[1].id, "synthetic");
  EXPECT_THAT(sweep.tables[0].modes, ElementsAre(Mode::best, Mode::last, Mode::last_10, Mode::gap));
  EXPECT_EQ(sweep.tables[0].rows.at(0).name, "knn l2");
}

TEST(SweepParser, NamesGeneratedRowsByWhatVaries) {
  const Sweep sweep = parse(R"({"version": 1, "name": "s", "blocks": [
      {"dataset": "cifar10", "backbone": "efficientnet-lite0", "lr": 1e-3, "lambda": [5, 10], "seeds": 2, "perturbation": ["linear-map", "gaussian"]},
      {"dataset": "cifar10", "backbone": "efficientnet-lite0", "lr": 1e-3, "lambda": 5, "perturbation": "gaussian", "guidance": "none"},
      {"dataset": "cifar10", "backbone": "efficientnet-lite0", "method": "knn", "scaling": ["raw", "l2"], "train_rows": ["all", 100]}]})");
  std::vector<std::string> names;
  for (const TableRow& row : sweep.tables.at(0).rows) names.push_back(row.name);
  EXPECT_THAT(names,
              ElementsAre("linear-map + full, train_rows all, lambda 5", "linear-map + full, train_rows all, lambda 10",
                          "gaussian + full, train_rows all", "gaussian, train_rows all", "knn raw, train_rows all",
                          "knn l2, train_rows all", "knn raw, train_rows 100", "knn l2, train_rows 100"));
}

TEST(SweepParser, ReadsTables) {
  const Sweep sweep =
      parse(sweep_text(kLr, R"(, "tables": [{"id": "t", "title": "T", "columns": ["cat"], "modes": "last",
      "rows": [{"name": "r", "where": {"lambda": [5.0, 1e1], "guidance": "full"}}]}])"));
  const TableSpec& table = sweep.tables.at(0);
  EXPECT_EQ(table.title, "T");
  EXPECT_THAT(table.classes, ElementsAre("cat"));
  EXPECT_THAT(table.modes, ElementsAre(Mode::last));
  EXPECT_THAT(table.rows.at(0).where.axes.at("lambda"), ElementsAre("5", "10"));
  EXPECT_THAT(table.rows.at(0).where.axes.at("guidance"), ElementsAre("\"full\""));
}

TEST(SweepParser, KeepsATextThatReadsBackAsTheSameSweep) {
  const Sweep sweep = parse(sweep_text(R"(, "lambda": [5, 10.0])" + kLr));
  EXPECT_EQ(
      sweep.text,
      R"({"blocks":[{"backbone":"efficientnet-lite0","dataset":"cifar10","lambda":[5,10],"lr":0.001}],"name":"s","version":1})");
  EXPECT_EQ(parse(sweep.text).text, sweep.text);
}

TEST(SweepParser, WantsVersionOneFirst) {
  EXPECT_EQ(refusal(R"({"version": 2, "nome": 3})"),
            "s.json: version: expected 1, the version of sweep files that this build reads; found 2");
  EXPECT_EQ(refusal(R"({"name": "s"})"), "s.json: the key \"version\" is missing; write \"version\": 1");
  EXPECT_THAT(refusal("[]"), StartsWith("s.json: expected an object, found a list"));
}

TEST(SweepParser, WantsANameThatCanBePartOfAFileName) {
  for (const char* name : {"", "a b", "../x", ".hidden", "a/b", "\\u00e9"}) {
    EXPECT_THAT(refusal(R"({"version": 1, "name": ")" + std::string(name) + R"("})"),
                StartsWith("s.json: name: expected 1 to 100 letters"))
        << name;
  }
}

TEST(SweepParser, NamesAnUnknownKeyAndTheRightOne) {
  EXPECT_EQ(refusal_of_block(R"(, "lamda": 5)" + kLr),
            "s.json: blocks[0].lamda: unknown key (did you mean \"lambda\"?)");
  EXPECT_EQ(refusal_of_block(R"(, "learning_rate": 1e-3)"),
            "s.json: blocks[0].learning_rate: unknown key; write \"lr\"");
  EXPECT_EQ(refusal_of_block(R"(, "seed": 3)" + kLr), "s.json: blocks[0].seed: unknown key; write \"seeds\"");
  EXPECT_EQ(refusal(sweep_text(kLr, R"(, "tabels": [])")), "s.json: tabels: unknown key (did you mean \"tables\"?)");
  EXPECT_THAT(refusal_of_block(R"(, "zzz": 5)" + kLr),
              HasSubstr("blocks[0].zzz: unknown key; expected dataset, classes, method,"));
}

TEST(SweepParser, NamesAnUnknownValueAndTheRightOne) {
  EXPECT_EQ(refusal_of_block(R"(, "perturbation": ["add", "linear_map"])" + kLr),
            "s.json: blocks[0].perturbation[1]: unknown value \"linear_map\" (did you mean \"linear-map\"?)");
  EXPECT_EQ(refusal_of_block(R"(, "guidance": "partial")" + kLr),
            "s.json: blocks[0].guidance: unknown value \"partial\"; expected none, full or mean");
  EXPECT_EQ(refusal_of_block(R"(, "method": "kmeans")"),
            "s.json: blocks[0].method: unknown value \"kmeans\" (did you mean \"k-means\"?)");
  EXPECT_EQ(refusal_of_block(R"(, "method": ["knn", "knn"])"), "s.json: blocks[0].method[1]: \"knn\" is there twice");
  EXPECT_EQ(
      refusal(R"({"version": 1, "name": "s", "blocks": [{"dataset": "cifar10", "backbone": "alexnet", "lr": 1}]})"),
      "s.json: blocks[0].backbone: unknown backbone \"alexnet\"; expected efficientnet-lite0, resnet50, vgg16 or "
      "convnext-base");
  EXPECT_EQ(
      refusal(
          R"({"version": 1, "name": "s", "blocks": [{"dataset": "cifar", "backbone": "efficientnet-lite0", "lr": 1}]})"),
      "s.json: blocks[0].dataset: unknown data set \"cifar\" (did you mean \"cifar10\"?); others get an entry in "
      "\"datasets\"");
}

TEST(SweepParser, RefusesAKeyWithoutMeaningForTheMethod) {
  EXPECT_EQ(refusal_of_block(R"(, "method": "knn", "lambda": 5)"),
            "s.json: blocks[0].lambda: has no meaning for method \"knn\"; remove it, or give it a block of method "
            "\"plume\" or \"plad\"");
  EXPECT_EQ(refusal_of_block(R"(, "method": "plad")"),
            "s.json: blocks[0].backbone: has no meaning for method \"plad\"; remove it, or give it a block of method "
            "\"plume\", \"knn\", \"mahalanobis\", \"mean-distance\" or \"k-means\"");
  EXPECT_EQ(refusal_of_block(R"(, "scaling": "l2")"),
            "s.json: blocks[0].scaling: has no meaning for method \"plume\"; remove it, or give it a block of method "
            "\"knn\", \"mahalanobis\", \"mean-distance\" or \"k-means\"");
  EXPECT_THAT(
      refusal_of_block(R"(, "method": ["mahalanobis", "mean-distance"], "seeds": 2)"),
      HasSubstr("blocks[0].seeds: has no meaning for method \"mahalanobis\" or \"mean-distance\"; remove it, or "
                "give it a block of method \"plume\", \"plad\", \"k-means\" or \"rotation\""));
  for (const char* member : {R"("guidance": "none")", R"("perturbation": "add-mult")", R"("normalisation": "dataset")",
                             R"("dimension": 3072)", R"("classifier_passes": "one")", R"("gamma": 1)", R"("tau": 1)",
                             R"("sigma": 1)", R"("k": 2)", R"("clusters": 2)"}) {
    EXPECT_THAT(refusal(R"({"version": 1, "name": "s", "blocks": [{"dataset": "cifar10", "method": "plad", )" +
                        std::string(member) + "}]}"),
                HasSubstr("has no meaning for method \"plad\""))
        << member;
  }
  EXPECT_THAT(refusal_of_block(R"(, "method": ["knn", "mahalanobis"], "clusters": 5)"),
              HasSubstr("give it a block of method \"k-means\""));
  EXPECT_THAT(refusal_of_block(R"(, "method": "k-means", "k": 5)"), HasSubstr("give it a block of method \"knn\""));
}

TEST(SweepParser, WantsABackboneWhereAMethodNeedsFeatures) {
  EXPECT_EQ(refusal(R"({"version": 1, "name": "s", "blocks": [{"dataset": "cifar10", "method": ["plad", "knn"]}]})"),
            "s.json: blocks[0]: the key \"backbone\" is missing: method \"knn\" needs features; write \"backbone\": "
            "\"efficientnet-lite0\"");
}

TEST(SweepParser, WantsALearningRateThatIsANumberOrFind) {
  EXPECT_EQ(refusal_of_block(R"(, "lr": "fnid")"),
            "s.json: blocks[0].lr: expected a number such as 1e-3, or \"find\" for a range test, found \"fnid\"");
  EXPECT_THAT(refusal_of_block(R"(, "lr": [1e-3, true])"), HasSubstr("blocks[0].lr[1]: expected a number such as"));
  EXPECT_EQ(refusal_of_block(R"(, "lr": 0)"),
            "s.json: blocks[0].lr: expected a number above 0 and at most 1e+06, found 0");
  EXPECT_EQ(refusal_of_block(R"(, "lr": ["find", "find"])"), "s.json: blocks[0].lr[1]: \"find\" is there twice");
}

TEST(SweepParser, RefusesValuesOutOfRange) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"("epochs": 0)", "epochs: expected a whole number in 1..100000, found 0"},
      {R"("epochs": 100001)", "epochs: expected"},
      {R"("epochs": 1.5)", "epochs: expected a whole number"},
      {R"("batch_size": 1)", "batch_size: expected a whole number in 2..65536, found 1"},
      {R"("dimension": 100)", "dimension: expected a multiple of 6, found 100"},
      {R"("dimension": 65538)", "dimension: expected a whole number in 6..65536"},
      {R"("lambda": -1)", "lambda: expected a number of at least 0"},
      {R"("tau": 0)", "tau: expected a number above 0"},
      {R"("sigma": 0)", "sigma: expected a number above 0"},
      {R"("weight_decay": 1e300)", "weight_decay: expected a number of at least 0 and at most 1e+06"},
      {R"("train_rows": 1)", "train_rows: expected a whole number in 2..1000000000, found 1"},
      {R"("test_rows": "most")", "test_rows: expected a whole number or \"all\", found \"most\""},
      {R"("seeds": 0)", "seeds: expected a whole number in 1..10000, found 0"},
      {R"("seeds": [0, 9007199254740993])", "seeds[1]: expected a whole number in 0..9007199254740992"},
      {R"("seeds": [])", "seeds: expected at least one value, found an empty list"},
      {R"("seeds": [1, 1])", "seeds[1]: 1 is there twice"},
      {R"("lambda": [])", "lambda: expected at least one value"},
      {R"("lambda": [5, 5.0])", "lambda[1]: 5 is there twice"},
      {R"("classes": "cat")", "classes: expected \"all\" or a list of class names, found \"cat\""},
      {R"("classes": ["cat", "cat"])", "classes[1]: \"cat\" is there twice"},
      {R"("classifier_passes": "one")",
       "classifier_passes: \"one\" exists only for perturbation \"add-mult\" with guidance \"none\""},
  };
  for (const auto& [member, message] : cases) {
    EXPECT_THAT(refusal_of_block(", " + member + kLr), StartsWith("s.json: blocks[0]." + message));
  }
}

TEST(SweepParser, RefusesFewerTrainingRowsThanABaselineNeeds) {
  EXPECT_EQ(refusal_of_block(R"(, "method": "knn", "k": 5, "train_rows": [10, 4])"),
            "s.json: blocks[0]: k 5 is more than train_rows 4; write \"k\": 4 or less, or more train_rows");
  EXPECT_EQ(refusal_of_block(R"(, "method": "k-means", "train_rows": 9)"),
            "s.json: blocks[0]: clusters 10 is more than train_rows 9; write \"clusters\": 9 or less, or more "
            "train_rows");
  EXPECT_EQ(
      refusal_of_block(R"(, "method": "mahalanobis", "train_rows": 2)"),
      "s.json: blocks[0].train_rows: method \"mahalanobis\" needs at least 3: two rows have no invertible covariance");
  EXPECT_EQ(refusal_of_block(R"(, "method": "mahalanobis", "train_rows": 3)"), "nothing was refused");
  EXPECT_EQ(refusal_of_block(R"(, "method": ["knn", "k-means"], "k": 4, "clusters": 4, "train_rows": 4)"),
            "nothing was refused");
}

TEST(SweepParser, RefusesABlockThatIsTooLarge) {
  EXPECT_THAT(refusal_of_block(R"(, "seeds": 10000, "perturbation": ["add", "mult"], "epochs": [1,2,3,4,5,6])" + kLr),
              StartsWith("s.json: blocks[0]: more than 100000 combinations"));
}

TEST(SweepParser, RefusesWrongDataSets) {
  const auto message = [](const std::string& datasets) {
    return refusal(sweep_text(kLr, R"(, "datasets": )" + datasets));
  };
  EXPECT_EQ(message(R"({"x": {}})"), "s.json: datasets.x: the key \"kind\" is missing");
  EXPECT_EQ(message(R"({"x": {"kind": "imagefolder"}})"),
            "s.json: datasets.x.kind: unknown kind \"imagefolder\" (did you mean \"image-folder\"?)");
  EXPECT_EQ(message(R"({"x": {"kind": "cifar10", "seed": 1}})"),
            "s.json: datasets.x.seed: has no meaning for kind \"cifar10\", only for synthetic; remove it");
  EXPECT_EQ(message(R"({"x": {"kind": "cifar10", "path": "/data"}})"),
            "s.json: datasets.x.path: unknown key; expected kind or normal_sets. Where a data set lies is said with "
            "--data x=PATH or in a site file");
  EXPECT_THAT(message(R"({"../x": {"kind": "cifar10"}})"),
              StartsWith("s.json: datasets[\"../x\"]: the id of a data set has"));
  EXPECT_THAT(message(R"({"x": {"kind": "synthetic", "classes": 1}})"),
              StartsWith("s.json: datasets.x.classes: expected a whole number in 2.."));
}

std::string sweep_over_features(const std::string& block) {
  return R"({"version": 1, "name": "s", "datasets": {"mine": {"kind": "features"}}, "blocks": [{)" + block + "}]}";
}

TEST(SweepParser, GivesFeaturesOfTheUsersOwnNoBackboneAndNoNormalisation) {
  const std::string alone = R"("dataset": "mine", "method": ["plume", "knn"], "lr": 1e-3)";
  const Sweep sweep = parse(sweep_over_features(alone));
  for (Job job : sweep.blocks[0].jobs_without_class) {
    job.normal_class = "owl";
    EXPECT_EQ(job.backbone, "features");
    EXPECT_THAT(canonical_text(job), HasSubstr(R"("backbone":"features")"));
    EXPECT_THAT(canonical_text(job), ::testing::Not(HasSubstr("normalisation")));
    EXPECT_EQ(read_job(storage::parse_json(canonical_text(normalised(job)), "job", storage::Blame::run)),
              normalised(job));
  }
  EXPECT_EQ(parse(sweep_over_features(alone + R"(, "backbone": "features")")).blocks[0].jobs_without_class,
            sweep.blocks[0].jobs_without_class);
  const Sweep beside = parse(sweep_over_features(
      R"("dataset": ["mine", "cifar10"], "method": "knn", "backbone": "resnet50", "normalisation": "imagenet")"));
  ASSERT_EQ(beside.blocks[0].jobs_without_class.size(), 2U);
  EXPECT_EQ(beside.blocks[0].jobs_without_class[0].backbone, "features");
  EXPECT_EQ(beside.blocks[0].jobs_without_class[1].backbone, "resnet50");
}

TEST(SweepParser, RefusesWhatHasNoMeaningForFeaturesOfTheUsersOwn) {
  const auto refusal_with = [](const std::string& more) {
    return refusal(sweep_over_features(R"("dataset": "mine", )" + more));
  };
  EXPECT_EQ(
      refusal_with(R"("backbone": "resnet50")"),
      "s.json: blocks[0].backbone: data set \"mine\" is of kind \"features\", which have been through a backbone; "
      "remove the key");
  EXPECT_EQ(
      refusal_with(R"("normalisation": "imagenet")"),
      "s.json: blocks[0].normalisation: has no meaning for data sets of kind \"features\", which are taken as they "
      "are; remove it");
  EXPECT_THAT(refusal_with(R"("method": "rotation")"), HasSubstr("method \"rotation\" reads images, but data set"));
  EXPECT_EQ(refusal_with(R"("method": "plad")"),
            "s.json: blocks[0]: method \"plad\" reads images, but data set \"mine\" is of kind \"features\"; give the "
            "method a block of its own with another data set");
  EXPECT_THAT(refusal(R"({"version": 1, "name": "s", "blocks": [{"dataset": "cifar10", "backbone": "features"}]})"),
              HasSubstr("\"features\" is for data sets of kind \"features\"; expected efficientnet-lite0, resnet50"));
  EXPECT_THAT(refusal(sweep_over_features(R"("dataset": ["mine", "cifar10"])")), HasSubstr("\"backbone\" is missing"));
}

TEST(SweepParser, RefusesWrongTables) {
  const auto message = [](const std::string& table) {
    return refusal(sweep_text(kLr, R"(, "tables": [)" + table + "]"));
  };
  const std::string row = R"({"name": "r", "where": {}})";
  EXPECT_THAT(message(""), StartsWith("s.json: tables: expected at least one table"));
  EXPECT_EQ(message(R"({"rows": []})"), "s.json: tables[0]: the key \"id\" is missing");
  EXPECT_THAT(message(R"({"id": "a/b"})"), StartsWith("s.json: tables[0].id: expected 1 to 100 letters"));
  EXPECT_EQ(message(R"({"id": "t"}, {"id": "t"})"), "s.json: tables[1].id: another table has the id \"t\"");
  EXPECT_EQ(message(R"({"id": "t", "rows": [)" + row + "," + row + "]}"),
            "s.json: tables[0].rows[1].name: another row of this table is called \"r\"");
  EXPECT_EQ(message(R"({"id": "t", "rows": [{"name": "r"}]})"),
            "s.json: tables[0].rows[0]: the key \"where\" is missing");
  EXPECT_EQ(message(R"({"id": "t", "rows": [{"name": "r", "where": {"lamda": 5}}]})"),
            "s.json: tables[0].rows[0].where.lamda: unknown key (did you mean \"lambda\"?)");
  EXPECT_EQ(message(R"({"id": "t", "rows": [{"name": "r", "where": {"guidance": "ful"}}]})"),
            "s.json: tables[0].rows[0].where.guidance: unknown value \"ful\" (did you mean \"full\"?)");
  EXPECT_THAT(message(R"({"id": "t", "rows": [{"name": "r", "where": {"class": "cat"}}]})"),
              HasSubstr("choose them with \"columns\""));
  EXPECT_EQ(message(R"({"id": "t", "modes": ["best", "worst"]})"),
            "s.json: tables[0].modes[1]: unknown mode \"worst\"; expected best, last, last-10 or gap");
  EXPECT_THAT(message(R"({"id": "t", "columns": "cat"})"),
              HasSubstr("expected \"classes\", \"mean\", a list of class names or a list of {\"name\", \"where\"}"));
}

TEST(SweepParser, ReadsAFileAndNamesItInErrors) {
  const tests::TemporaryFolder folder;
  tests::write_text(folder / "good.json", sweep_text(kLr));
  EXPECT_EQ(read_sweep(folder / "good.json").name, "s");
  EXPECT_THROW(read_sweep(folder / "none.json"), storage::UsageError);
}

}  // namespace
}  // namespace sweeps
