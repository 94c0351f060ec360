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

/// Every combination of the axes that decide which fields a text has, with values that are not the defaults; the plad
/// jobs carry what only plume has, as a careless caller might leave it.
std::vector<Job> all_combinations() {
  std::vector<Job> jobs;
  for (const auto perturbation : {Perturbation::linear_map, Perturbation::add_mult, Perturbation::add,
                                  Perturbation::mult, Perturbation::gaussian})
    for (const auto guidance : {Guidance::none, Guidance::full, Guidance::mean})
      for (const auto semantics : {Semantics::released, Semantics::paper})
        for (const auto passes : {ClassifierPasses::two, ClassifierPasses::one})
          for (const bool limited : {false, true})
            for (const Method method : {Method::plume, Method::plad}) {
              Job job = paper_job();
              job.method = method;
              job.training = {perturbation, guidance, semantics, passes, 384, 7,    16,
                              6e-5,         0.02,     10,        0.5,    0.1, 0.25, 0.3};
              job.normalisation = limited ? Normalisation::imagenet : Normalisation::normal_class;
              if (limited) job.train_rows = 320, job.test_rows = 100, job.training.learning_rate = std::nullopt;
              job.seed = 3;
              jobs.push_back(job);
            }
  for (const auto method : {Method::knn, Method::mahalanobis, Method::mean_distance, Method::k_means, Method::rotation})
    for (const auto scaling : {FeatureScaling::raw, FeatureScaling::l2})
      for (const std::uint64_t seed : {0, 1}) {
        Job job = paper_job();
        job.method = method;
        job.baseline = {5, scaling, 7};
        job.seed = seed;
        jobs.push_back(job);
      }
  return jobs;
}

void expect_text_and_key(const Job& job, const std::string& text, const std::string& key) {
  EXPECT_EQ(canonical_text(job), text);
  EXPECT_EQ(key_of(job).hex, key);
}

// The keys pinned here are hashlib's: hashlib.sha256(text).hexdigest()[:32].
TEST(CanonicalText, PinsAGuidedLinearMap) {
  expect_text_and_key(
      paper_job(),
      R"({"backbone":"efficientnet-lite0","batch_size":32,"class":"airplane","dataset":"cifar10","dimension":3072,"engine_version":6,)"
      R"("epochs":100,"gamma":1,"guidance":"full","lambda":5,"lr":0.001,"method":"plume","normalisation":"dataset","nu":1,)"
      R"("perturbation":"linear-map","seed":0,"semantics":"released","tau":0.5,"weight_decay":0.01})",
      "51d11d49929a2460bf2f54b6d28712e2");
}

TEST(CanonicalText, PinsALearningRateThatIsFound) {
  Job job = paper_job();
  job.training.learning_rate = std::nullopt;
  expect_text_and_key(
      job,
      R"({"backbone":"efficientnet-lite0","batch_size":32,"class":"airplane","dataset":"cifar10","dimension":3072,"engine_version":6,)"
      R"("epochs":100,"gamma":1,"guidance":"full","lambda":5,"lr":"find","method":"plume","normalisation":"dataset","nu":1,)"
      R"("perturbation":"linear-map","seed":0,"semantics":"released","tau":0.5,"weight_decay":0.01})",
      "a5b7b14df16e57c4cffba633e4cda664");
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
  expect_text_and_key(
      job,
      R"({"backbone":"efficientnet-lite0","batch_size":32,"class":"ship","dataset":"cifar10-jpeg","dimension":384,)"
      R"("engine_version":6,"epochs":2,"guidance":"none","lr":0.001,"method":"plume","normalisation":"dataset",)"
      R"("perturbation":"gaussian","seed":1,"sigma":1,"test_rows":100,"train_rows":320,"weight_decay":0.01})",
      "76bb181f46d237d14629f042ed52271e");
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
  expect_text_and_key(
      job,
      R"({"backbone":"efficientnet-lite0","batch_size":32,"class":"cat","classifier_passes":"one","dataset":"cifar10",)"
      R"("dimension":3072,"engine_version":6,"epochs":100,"guidance":"none","lambda":5,"lr":6e-05,"method":"plume",)"
      R"("normalisation":"dataset","nu":1,"perturbation":"add-mult","seed":9007199254740992,"semantics":"paper",)"
      R"("weight_decay":0.01})",
      "4bec94ff858a8f6e0b71da6e31989880");
}

TEST(CanonicalText, PinsPladWithoutFeatures) {
  Job job = paper_job();
  job.normal_class = "cat";
  job.method = Method::plad;
  job.train_rows = 1000;
  job.training.learning_rate = std::nullopt;
  expect_text_and_key(
      job,
      R"({"batch_size":32,"class":"cat","dataset":"cifar10","engine_version":6,"epochs":100,"lambda":5,"lr":"find",)"
      R"("method":"plad","nu":1,"seed":0,"semantics":"released","train_rows":1000,"weight_decay":0.01})",
      "8cfd555512e3590ffa30817ac8f75c5b");
}

TEST(CanonicalText, PinsEachBaselineWithItsFeaturesAndItsOwnSettings) {
  Job job = paper_job();
  job.normal_class = "cat";
  job.normalisation = Normalisation::imagenet;
  job.baseline.scaling = FeatureScaling::l2;
  job.seed = 3;
  job.method = Method::knn;
  expect_text_and_key(
      job,
      R"({"backbone":"efficientnet-lite0","class":"cat","dataset":"cifar10","engine_version":6,"k":2,"method":"knn",)"
      R"("normalisation":"imagenet","scaling":"l2"})",
      "96de8d51d1fe0aa6e35d9d5da3811c28");
  job.method = Method::mahalanobis;
  expect_text_and_key(
      job,
      R"({"backbone":"efficientnet-lite0","class":"cat","dataset":"cifar10","engine_version":6,"method":"mahalanobis",)"
      R"("normalisation":"imagenet","scaling":"l2"})",
      "d0e9d2bacfcf3deefc66939ea0bc3b8d");
  job.method = Method::mean_distance;
  expect_text_and_key(
      job,
      R"({"backbone":"efficientnet-lite0","class":"cat","dataset":"cifar10","engine_version":6,"method":"mean-distance",)"
      R"("normalisation":"imagenet","scaling":"l2"})",
      "2be1fd57813beb18356b236452fde941");
  job.method = Method::k_means;
  expect_text_and_key(
      job,
      R"({"backbone":"efficientnet-lite0","class":"cat","clusters":10,"dataset":"cifar10","engine_version":6,)"
      R"("method":"k-means","normalisation":"imagenet","scaling":"l2","seed":3})",
      "73c0288259f112aba2b2345df375746e");
  job.method = Method::rotation;
  job.train_rows = 300;
  expect_text_and_key(
      job, R"({"class":"cat","dataset":"cifar10","engine_version":6,"method":"rotation","seed":3,"train_rows":300})",
      "4f8ca01bba1628305975904b594554eb");
}

TEST(CanonicalText, LeavesOutFieldsWithoutEffect) {
  for (const Job& job : all_combinations()) {
    const std::string text = canonical_text(job);
    const auto has = [&text](const char* key) {
      return text.find("\"" + std::string(key) + "\":") != std::string::npos;
    };
    const TrainingSettings& t = job.training;
    const bool plume = job.method == Method::plume;
    const bool plad = job.method == Method::plad;
    const bool rotation = job.method == Method::rotation;
    const bool gaussian = t.perturbation == Perturbation::gaussian;
    const bool guided = t.guidance != Guidance::none;
    for (const char* key : {"engine_version", "class", "dataset", "method"}) EXPECT_TRUE(has(key)) << text;
    for (const char* key : {"epochs", "batch_size", "lr", "weight_decay"}) EXPECT_EQ(has(key), plume || plad) << text;
    for (const char* key : {"backbone", "normalisation"}) EXPECT_EQ(has(key), !plad && !rotation) << text;
    for (const char* key : {"perturbation", "guidance", "dimension"}) EXPECT_EQ(has(key), plume) << text;
    for (const char* key : {"lambda", "nu"}) EXPECT_EQ(has(key), plad || (plume && !gaussian)) << text;
    EXPECT_EQ(has("sigma"), plume && gaussian) << text;
    EXPECT_EQ(has("gamma"), plume && guided) << text;
    EXPECT_EQ(has("tau"), plume && guided && !(t.guidance == Guidance::mean && t.semantics == Semantics::released))
        << text;
    EXPECT_EQ(has("semantics"), plad || (plume && (guided || !gaussian))) << text;
    EXPECT_EQ(has("classifier_passes"), plume && !guided && t.perturbation == Perturbation::add_mult) << text;
    EXPECT_EQ(has("seed"), plume || plad || rotation || job.method == Method::k_means) << text;
    EXPECT_EQ(has("scaling"), !plume && !plad && !rotation) << text;
    EXPECT_EQ(has("k"), job.method == Method::knn) << text;
    EXPECT_EQ(has("clusters"), job.method == Method::k_means) << text;
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
  EXPECT_EQ(message(with("\"engine_version\":6", "\"engine_version\":2")),
            "journal: engine_version: written by engine version 2, but this build is of engine version 6 and does not "
            "mix them");
  EXPECT_THAT(message(with("\"engine_version\":6,", "")), HasSubstr("\"engine_version\" is missing"));
  EXPECT_EQ(message(with("\"lr\":0.001", "\"lr\":\"fnid\"")),
            "journal: lr: expected a number such as 1e-3, or \"find\" for a range test, found \"fnid\"");
  EXPECT_THAT(message(with("\"lr\":0.001", "\"lr\":null")), HasSubstr("lr: expected a number such as 1e-3"));
  EXPECT_THAT(message(with("\"lr\":0.001,", "")), HasSubstr("\"lr\" is missing"));
  EXPECT_THAT(message(with("\"lambda\"", "\"lamda\"")), HasSubstr("did you mean \"lambda\"?"));
  EXPECT_THAT(message(with("\"lambda\":5,", "")), HasSubstr("\"lambda\" is missing"));
  EXPECT_THAT(message(with("\"seed\":0", "\"seed\":0,\"sigma\":1")), HasSubstr("sigma: has no effect"));
  EXPECT_THAT(message(with("\"dimension\":3072", "\"dimension\":3071")), HasSubstr("multiple of 6"));
  EXPECT_THAT(message(with("\"seed\":0", "\"seed\":-1")), HasSubstr("seed: expected a whole number"));
  EXPECT_THAT(message(with("\"class\":\"airplane\"", "\"class\":\"\"")), HasSubstr("class: expected the name"));
}

TEST(ReadJob, RefusesFieldsOfAnotherMethod) {
  const auto message = [](Method method, const std::string& field) -> std::string {
    Job job = paper_job();
    job.method = method;
    std::string text = canonical_text(job);
    try {
      reading(text.insert(1, field + ","));
    } catch (const storage::Error& error) {
      return error.what();
    }
    return "accepted";
  };
  const std::vector<std::pair<Method, std::string>> cases = {
      {Method::plad, R"("backbone":"efficientnet-lite0")"},
      {Method::plad, R"("normalisation":"dataset")"},
      {Method::plad, R"("guidance":"none")"},
      {Method::plad, R"("classifier_passes":"one")"},
      {Method::plad, R"("dimension":3072)"},
      {Method::plad, R"("scaling":"raw")"},
      {Method::plume, R"("k":2)"},
      {Method::mahalanobis, R"("k":2)"},
      {Method::mean_distance, R"("seed":0)"},
      {Method::k_means, R"("lr":"find")"},
      {Method::rotation, R"("epochs":20)"},
      {Method::rotation, R"("scaling":"raw")"},
      {Method::rotation, R"("backbone":"efficientnet-lite0")"},
      {Method::knn, R"("clusters":10)"},
  };
  for (const auto& [method, field] : cases) {
    const std::string key = field.substr(1, field.find('"', 1) - 1);
    EXPECT_EQ(message(method, field), "journal: " + key + ": has no effect on this job and must be absent")
        << name_of(method);
  }
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
  // 31, twice; plad: 2 semantics, twice; 3 baselines x 2 scalings; k-means: 2 scalings x 2 seeds; rotation: 2
  // seeds
  EXPECT_EQ(keys.size(), 62U + 4U + 6U + 4U + 2U);
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
  job.method = Method::mahalanobis;
  EXPECT_EQ(describe(job), "cifar10/airplane mahalanobis l2");
  job.method = Method::mean_distance;
  EXPECT_EQ(describe(job), "cifar10/airplane mean-distance l2");
  job.method = Method::k_means;
  EXPECT_EQ(describe(job), "cifar10/airplane k-means l2 clusters 10 seed 0");
  job.method = Method::rotation;
  EXPECT_EQ(describe(job), "cifar10/airplane rotation seed 0");
  job.method = Method::plad;
  EXPECT_EQ(describe(job), "cifar10/airplane plad lambda 5 seed 0");
  job.training.semantics = Semantics::paper;
  EXPECT_EQ(describe(job), "cifar10/airplane plad semantics paper lambda 5 seed 0");
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

TEST(RelativeCost, CountsTheHundredStepsOfARangeTest) {
  const auto cost = [](int epochs, std::optional<double> rate) {
    Job job = paper_job();
    job.training.epochs = epochs;
    job.training.learning_rate = rate;
    return relative_cost(job, 3200, 0, 1280);  // 100 steps an epoch
  };
  const double epoch = cost(2, 1e-3) - cost(1, 1e-3);
  EXPECT_NEAR((cost(1, std::nullopt) - cost(1, 1e-3)) / epoch, 1, 0.01);
}

TEST(RelativeCost, OrdersTheMethods) {
  const auto cost = [](Method method) {
    Job job = paper_job();
    job.method = method;
    return relative_cost(job, 5000, 10000, reads_images(method) ? 3072 : 1280);
  };
  EXPECT_NEAR(cost(Method::plad) / cost(Method::plume), 1, 0.5) << "both train the same perturbator";
  EXPECT_LT(cost(Method::rotation), cost(Method::plad)) << "20 epochs of a small network";
  EXPECT_LT(cost(Method::knn), cost(Method::rotation));
  EXPECT_LT(cost(Method::knn), cost(Method::plad) / 100);
  EXPECT_LT(cost(Method::k_means), cost(Method::knn));
  EXPECT_LT(cost(Method::mahalanobis), cost(Method::knn)) << "1280 columns, 5000 neighbours";
  EXPECT_LT(cost(Method::mean_distance), cost(Method::k_means));
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
