// Canonical texts, keys and their inverse over all combinations; the cost model's order.
#include "sweeps/job.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "storage/error.hpp"

namespace sweeps {
namespace {

using ::testing::HasSubstr;

Job paper_job() {
  Job job;
  job.dataset = "cifar10";
  job.normal_class = "airplane";
  job.backbone = "efficientnet-lite0";
  job.training.learning_rate = 1e-3;
  return job;
}

Job reading(const std::string& text) {
  return read_job(storage::parse_json(text, "journal", storage::Blame::run));
}

/// Every combination of the axes that decide which fields a text has, with values that are not the defaults.
std::vector<Job> all_combinations() {
  std::vector<Job> jobs;
  for (const auto perturbation : {Perturbation::linear_map, Perturbation::add_mult, Perturbation::add,
                                  Perturbation::mult, Perturbation::gaussian})
    for (const auto guidance : {Guidance::none, Guidance::full, Guidance::mean})
      for (const auto semantics : {Semantics::released, Semantics::paper})
        for (const auto passes : {ClassifierPasses::two, ClassifierPasses::one})
          for (const bool limited : {false, true}) {
            Job job = paper_job();
            job.training = {perturbation, guidance, semantics, passes, 384,  7,   3,  16,
                            6e-5,         0.02,     10,        0.5,    0.25, 0.1, 0.3};
            job.normalisation = limited ? Normalisation::imagenet : Normalisation::normal_class;
            if (limited) job.train_rows = 320, job.test_rows = 100;
            jobs.push_back(job);
          }
  for (const auto scaling : {FeatureScaling::raw, FeatureScaling::l2}) {
    Job job = paper_job();
    job.method = Method::knn;
    job.baseline = {5, scaling};
    jobs.push_back(job);
  }
  return jobs;
}

// The keys pinned here are hashlib's: hashlib.sha256(text).hexdigest()[:32].
TEST(CanonicalText, PinsAGuidedLinearMap) {
  const std::string text =
      R"({"backbone":"efficientnet-lite0","batch_size":32,"class":"airplane","dataset":"cifar10","dimension":3072,"engine_version":1,)"
      R"("epochs":100,"gamma":1,"guidance":"full","lambda":5,"lr":0.001,"method":"plume","normalisation":"dataset","nu":1,)"
      R"("perturbation":"linear-map","seed":0,"semantics":"released","tau":0.5,"weight_decay":0.01})";
  EXPECT_EQ(canonical_text(paper_job()), text);
  EXPECT_EQ(key_of(paper_job()).hex, "488a234188f151acbcac30b4dac097fd");
}

TEST(CanonicalText, PinsGaussianNoiseWithoutGuidance) {
  Job job = paper_job();
  job.dataset = "cifar10-jpeg";
  job.normal_class = "ship";
  job.train_rows = 320;
  job.test_rows = 100;
  job.training.perturbation = Perturbation::gaussian;
  job.training.guidance = Guidance::none;
  job.training.dimension = 384;
  job.training.epochs = 2;
  job.seed = 1;
  EXPECT_EQ(
      canonical_text(job),
      R"({"backbone":"efficientnet-lite0","batch_size":32,"class":"ship","dataset":"cifar10-jpeg","dimension":384,)"
      R"("engine_version":1,"epochs":2,"guidance":"none","lr":0.001,"method":"plume","normalisation":"dataset",)"
      R"("perturbation":"gaussian","seed":1,"sigma":1,"test_rows":100,"train_rows":320,"weight_decay":0.01})");
  EXPECT_EQ(key_of(job).hex, "463700634e4f02a72a38fa66897712e0");
}

TEST(CanonicalText, PinsAddMultInOnePass) {
  Job job = paper_job();
  job.normal_class = "cat";
  job.training.perturbation = Perturbation::add_mult;
  job.training.guidance = Guidance::none;
  job.training.semantics = Semantics::paper;
  job.training.classifier_passes = ClassifierPasses::one;
  job.training.learning_rate = 6e-5;
  job.seed = std::uint64_t{1} << 53;
  EXPECT_EQ(
      canonical_text(job),
      R"({"backbone":"efficientnet-lite0","batch_size":32,"class":"cat","classifier_passes":"one","dataset":"cifar10",)"
      R"("dimension":3072,"engine_version":1,"epochs":100,"guidance":"none","lambda":5,"lr":6e-05,"method":"plume",)"
      R"("normalisation":"dataset","nu":1,"perturbation":"add-mult","seed":9007199254740992,"semantics":"paper",)"
      R"("weight_decay":0.01})");
  EXPECT_EQ(key_of(job).hex, "1b40e22f87b3506153a8fc29b635b077");
}

TEST(CanonicalText, PinsABaselineWithFeaturesAndNeighboursOnly) {
  Job job = paper_job();
  job.normal_class = "cat";
  job.method = Method::knn;
  job.normalisation = Normalisation::imagenet;
  job.baseline.scaling = FeatureScaling::l2;
  EXPECT_EQ(
      canonical_text(job),
      R"({"backbone":"efficientnet-lite0","class":"cat","dataset":"cifar10","engine_version":1,"k":2,"method":"knn",)"
      R"("normalisation":"imagenet","scaling":"l2"})");
  EXPECT_EQ(key_of(job).hex, "a3bbaf4153825252af817de48f8e3e20");
}

TEST(CanonicalText, LeavesOutFieldsWithoutEffect) {
  for (const Job& job : all_combinations()) {
    const std::string text = canonical_text(job);
    const auto has = [&text](const char* key) {
      return text.find("\"" + std::string(key) + "\":") != std::string::npos;
    };
    const TrainingSettings& t = job.training;
    const bool plume = job.method == Method::plume;
    const bool gaussian = t.perturbation == Perturbation::gaussian;
    const bool guided = t.guidance != Guidance::none;
    EXPECT_TRUE(has("engine_version")) << text;
    EXPECT_EQ(has("lambda"), plume && !gaussian) << text;
    EXPECT_EQ(has("nu"), plume && !gaussian) << text;
    EXPECT_EQ(has("sigma"), plume && gaussian) << text;
    EXPECT_EQ(has("gamma"), plume && guided) << text;
    EXPECT_EQ(has("tau"), plume && guided && !(t.guidance == Guidance::mean && t.semantics == Semantics::released))
        << text;
    EXPECT_EQ(has("semantics"), plume && (guided || !gaussian)) << text;
    EXPECT_EQ(has("classifier_passes"), plume && !guided && t.perturbation == Perturbation::add_mult) << text;
    EXPECT_EQ(has("seed"), plume) << text;
    EXPECT_EQ(has("k"), !plume) << text;
  }
}

TEST(ReadJob, InvertsTheCanonicalTextOfEveryCombination) {
  for (const Job& job : all_combinations()) {
    const std::string text = canonical_text(job);
    const Job back = reading(text);
    EXPECT_TRUE(back == normalised(job)) << text;
    EXPECT_EQ(canonical_text(back), text);
    EXPECT_EQ(canonical_text(normalised(job)), text);
  }
}

TEST(ReadJob, RefusesWhatCanonicalTextNeverWrites) {
  const std::string good = canonical_text(paper_job());
  const auto with = [&good](const std::string& from, const std::string& to) {
    std::string text = good;
    return text.replace(text.find(from), from.size(), to);
  };
  const auto message = [](const std::string& text) -> std::string {
    try {
      reading(text);
    } catch (const storage::Error& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_THAT(message(with("\"engine_version\":1", "\"engine_version\":2")), HasSubstr("engine version 2"));
  EXPECT_THAT(message(with("\"engine_version\":1,", "")), HasSubstr("\"engine_version\" is missing"));
  EXPECT_THAT(message(with("\"lambda\"", "\"lamda\"")), HasSubstr("did you mean \"lambda\"?"));
  EXPECT_THAT(message(with("\"lambda\":5,", "")), HasSubstr("\"lambda\" is missing"));
  EXPECT_THAT(message(with("\"seed\":0", "\"seed\":0,\"sigma\":1")), HasSubstr("sigma: has no effect"));
  EXPECT_THAT(message(with("\"dimension\":3072", "\"dimension\":3071")), HasSubstr("multiple of 6"));
  EXPECT_THAT(message(with("\"seed\":0", "\"seed\":-1")), HasSubstr("seed: expected a whole number"));
  EXPECT_THAT(message(with("\"class\":\"airplane\"", "\"class\":\"\"")), HasSubstr("class: expected the name"));
}

TEST(Normalised, MakesGaussianJobsOfAllLambdasOne) {
  Job five = paper_job();
  five.training.perturbation = Perturbation::gaussian;
  Job ten = five;
  ten.training.lambda = 10;
  EXPECT_FALSE(five == ten);
  EXPECT_TRUE(normalised(five) == normalised(ten));
  EXPECT_EQ(key_of(five), key_of(ten));
}

TEST(Normalised, IsIdempotentAndTellsOtherJobsApart) {
  std::set<std::string> keys;
  std::set<std::string> texts;
  for (const Job& job : all_combinations()) {
    EXPECT_TRUE(normalised(normalised(job)) == normalised(job));
    keys.insert(key_of(job).hex);
    texts.insert(canonical_text(job));
  }
  EXPECT_EQ(keys.size(), texts.size());
  // plume: 4 perturbations x 3 guidances x 2 semantics + add-mult/none's other 2 passes x 2 + gaussian (1 + 2 x 2) =
  // 31, twice; 2 knn
  EXPECT_EQ(keys.size(), 64U);
}

TEST(Describe, SaysWhichJobItIs) {
  Job job = paper_job();
  EXPECT_EQ(describe(job), "cifar10/airplane linear-map+full lambda 5 seed 0");
  job.training.dimension = 384;
  job.training.perturbation = Perturbation::gaussian;
  job.training.guidance = Guidance::none;
  EXPECT_EQ(describe(job), "cifar10/airplane gaussian+none dimension 384 seed 0");
  job.method = Method::knn;
  job.baseline.scaling = FeatureScaling::l2;
  EXPECT_EQ(describe(job), "cifar10/airplane knn l2 k 2");
}

TEST(RelativeCost, PutsLongerJobsFirst) {
  const auto cost = [](auto change) {
    Job job = paper_job();
    change(job);
    return relative_cost(job, 5000, 10000, 1280);
  };
  const double full = cost([](Job&) {});
  EXPECT_NEAR(cost([](Job& j) { j.training.epochs = 50; }) / full, 0.5, 0.01);
  EXPECT_LT(cost([](Job& j) { j.training.dimension = 384; }), full / 20);
  EXPECT_LT(cost([](Job& j) { j.training.perturbation = Perturbation::gaussian; }), full / 4);
  EXPECT_LT(cost([](Job& j) { j.training.perturbation = Perturbation::add; }), full);
  EXPECT_GT(cost([](Job& j) { j.training.batch_size = 16; }), full) << "the same rows, twice the memory traffic";
  EXPECT_LT(cost([](Job& j) { j.method = Method::knn; }), full / 100);
}

TEST(RelativeCost, PutsABaselineAfterEvenASmallTraining) {
  Job training = paper_job();
  training.training.dimension = 384;
  training.training.epochs = 5;
  Job baseline = paper_job();
  baseline.method = Method::knn;
  EXPECT_LT(relative_cost(baseline, 200, 180, 1280), relative_cost(training, 200, 180, 1280) / 10);
}

}  // namespace
}  // namespace sweeps
