// Which feature sets jobs need, on the embedded images and with scans made up.
#include "runner/feature_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/error.hpp"
#include "storage/feature_file.hpp"
#include "tests/temporary_folder.hpp"
#include "workers/checksums.hpp"

namespace runner {
namespace {

namespace fs = std::filesystem;
using sweeps::Job;
using sweeps::Method;
using testing::HasSubstr;

sweeps::Sweep sweep_on_images() {
  return sweeps::parse_sweep(R"({"version": 1, "name": "s",
    "datasets": {"synthetic": {"kind": "synthetic", "classes": 2, "train_per_class": 4, "test_per_class": 3}},
    "blocks": [{"dataset": "synthetic", "method": "plad"}]})",
                             "s.json");
}

Job job_of(Method method, const std::string& normal_class) {
  Job job;
  job.dataset = "synthetic";
  job.normal_class = normal_class;
  job.method = method;
  job.backbone = "efficientnet-lite0";
  return sweeps::normalised(job);
}

class PlanOfImages : public testing::Test {
 protected:
  PlanOfImages() {
    site_.cache = folder_ / "cache";
    tests::write_text(folder_ / "weights.pth", "weights");
    site_.weights["efficientnet-lite0"] = folder_ / "weights.pth";
    plan_ = std::make_unique<FeaturePlan>(sweep_on_images(), site_);
    classes_ = plan_->class_names().at("synthetic").classes;
    plad_ = job_of(Method::plad, classes_[0]);
  }

  /// Answers every scan task with grey images; returns the number of tasks.
  std::size_t scan(double green_squares = 1e8) {
    const auto tasks = plan_->scan_tasks({plad_}, [this](const std::string& line) { said_ += line; });
    for (const auto& task : tasks) {
      workers::Scanned scanned;
      const auto count = std::get<workers::ScanTask>(task.what).count;
      for (std::int64_t i = 0; i < count; ++i) {
        const double sum = 1024 * 128;
        scanned.images.push_back(
            {static_cast<std::uint32_t>(i), 32, 32, {sum, sum, sum}, {1e8, green_squares, 1e8}, {}, {}});
      }
      plan_->take_scan(task.id, scanned);
    }
    return tasks.size();
  }
  std::vector<PlannedTask> tasks_for(const std::vector<Job>& jobs) {
    return plan_->tasks_for(jobs, [this](const std::string& line) { said_ += line; });
  }
  /// What the cache would hold for the training split of a plad job.
  storage::FeatureTable whole_set() const {
    const auto recipe = plan_->features_of(plad_).train;
    storage::FeatureTable table;
    table.identity = recipe.identity;
    table.row_count = recipe.row_count;
    table.row_length = storage::kImageLength;
    table.rows = std::vector<std::uint8_t>(static_cast<std::size_t>(recipe.row_count * storage::kImageLength));
    table.labels.assign(static_cast<std::size_t>(recipe.row_count), 0);
    table.ids.assign(static_cast<std::size_t>(recipe.row_count), "row");
    table.classes = classes_;
    return table;
  }
  fs::path file_of(const workers::FeatureRecipe& recipe) const { return workers::feature_file(site_.cache, recipe.id); }

  tests::TemporaryFolder folder_;
  Site site_;
  std::unique_ptr<FeaturePlan> plan_;
  std::vector<std::string> classes_;
  Job plad_;
  std::string said_;
};

TEST_F(PlanOfImages, AsksForNoWeightsWhereNoJobHasABackbone) {
  site_.weights["efficientnet-lite0"] = folder_ / "missing.pth";
  plan_ = std::make_unique<FeaturePlan>(sweep_on_images(), site_);
  EXPECT_NO_THROW(plan_->find_weights({plad_}));
  EXPECT_THROW(plan_->find_weights({plad_, job_of(Method::knn, classes_[0])}), storage::UsageError);
}

TEST_F(PlanOfImages, RunsUntrainedOnlyWhereWeightsAreNowhereAndThatIsAllowed) {
  const auto knn = job_of(Method::knn, classes_[0]);
  setenv("TORCH_HOME", folder_.path().c_str(), 1);
  site_.weights.clear();
  plan_ = std::make_unique<FeaturePlan>(sweep_on_images(), site_);
  EXPECT_THROW(plan_->find_weights({knn}), storage::UsageError);
  plan_->find_weights({knn}, FeaturePlan::NoWeights::random);
  EXPECT_EQ(plan_->weights().at("efficientnet-lite0").identity, "random:0");
  EXPECT_THAT(plan_->weights().at("efficientnet-lite0").missing,
              HasSubstr("hub/checkpoints/efficientnet-lite0-57934424.pth in torch's hub folder is not there"));

  site_.weights["efficientnet-lite0"] = folder_ / "mistyped.pth";
  plan_ = std::make_unique<FeaturePlan>(sweep_on_images(), site_);
  EXPECT_THROW(plan_->find_weights({knn}, FeaturePlan::NoWeights::random), storage::UsageError)
      << "a file that is named and not there is a mistake";
  unsetenv("TORCH_HOME");
}

TEST_F(PlanOfImages, KnowsAnUntrainedBackboneAndItsSeedByTheIdentity) {
  const auto knn = job_of(Method::knn, classes_[0]);
  const auto identity_with = [&](const fs::path& weights) {
    site_.weights["efficientnet-lite0"] = weights;
    plan_ = std::make_unique<FeaturePlan>(sweep_on_images(), site_);
    scan();
    plan_->find_weights({knn});
    return plan_->features_of(knn).train.identity;
  };

  EXPECT_THAT(identity_with("random:7"), HasSubstr(R"("weights":"random:7"})"));
  EXPECT_EQ(plan_->weights().at("efficientnet-lite0").identity, "random:7");
  EXPECT_EQ(plan_->features_of(knn).train.weights, "random:7") << "what a worker is told";
  EXPECT_THAT(identity_with(folder_ / "weights.pth"), testing::Not(HasSubstr("random")));
  EXPECT_EQ(plan_->weights().at("efficientnet-lite0").source, (folder_ / "weights.pth").string());
}

TEST_F(PlanOfImages, NamesAChannelThatNeverVariesAndTheWayOut) {
  scan(1024.0 * 128 * 128);
  Job knn = job_of(Method::knn, classes_[0]);
  plan_->find_weights({knn});
  const auto refusal = [&] {
    try {
      plan_->features_of(knn);
    } catch (const storage::Error& error) {
      return std::string(error.what());
    }
    return std::string("not refused");
  };
  EXPECT_THAT(refusal(), HasSubstr("synthetic: green is the same in all pixels of the training images of every class"));
  EXPECT_THAT(refusal(), HasSubstr(R"(write "normalisation": "imagenet")"));
  knn.normalisation = sweeps::Normalisation::normal_class;
  EXPECT_THAT(refusal(), HasSubstr("of class " + classes_[0]));
  knn.normalisation = sweeps::Normalisation::imagenet;
  EXPECT_EQ(refusal(), "not refused");
  EXPECT_NO_THROW(plan_->features_of(plad_));
}

TEST_F(PlanOfImages, HasARecipeWithoutWeightsAndNumbers) {
  scan();
  plad_.train_rows = 3;
  const auto features = plan_->features_of(plad_);
  EXPECT_EQ(features.train.backbone, "raw32");
  EXPECT_EQ(features.train.weights, "");
  EXPECT_TRUE(features.train.mean.empty());
  EXPECT_TRUE(features.train.std_dev.empty());
  EXPECT_EQ(features.train.row_count, 6) << "3 of each class";
  EXPECT_EQ(features.test.row_count, 6);
  EXPECT_THAT(features.train.identity,
              testing::MatchesRegex(R"(\{"backbone":"raw32","content":"[0-9a-f]{32}","format":1,"rows_per_class":3,)"
                                    R"("size":32,"split":"train"\})"));
  EXPECT_EQ(features.train.id, workers::feature_set_id(features.train.identity));
}

TEST_F(PlanOfImages, MakesOneSetOfImagesForAllClassesBesideTheBackbones) {
  EXPECT_EQ(scan(), 2U) << "the content digest needs a scan";
  const Job other = job_of(Method::plad, classes_[1]);
  const Job knn = job_of(Method::knn, classes_[0]);
  plan_->find_weights({plad_, other, knn});
  const auto tasks = tasks_for({plad_, other, knn});
  std::map<std::string, int> count;
  for (const auto& task : tasks) ++count[task.name];
  EXPECT_EQ(count["extract synthetic train through raw32 0+8"], 1);
  EXPECT_EQ(count["assemble synthetic test through raw32"], 1);
  EXPECT_EQ(count["extract synthetic train through efficientnet-lite0 0+8"], 1);
  EXPECT_EQ(tasks.size(), 4U + 4U + 3U);
  EXPECT_NE(plan_->features_of(plad_).train.id, plan_->features_of(knn).train.id);
}

TEST_F(PlanOfImages, TakesAWholeSetFromTheCacheAndMakesADamagedOneAgain) {
  scan();
  const auto file = file_of(plan_->features_of(plad_).train);
  storage::write_feature_file(file, whole_set());
  EXPECT_EQ(tasks_for({plad_}).size(), 3U) << "two for the test split and the training";
  EXPECT_EQ(said_, "");

  auto bytes = tests::read_text(file);
  bytes[bytes.size() / 2] ^= 1;
  tests::write_text(file, bytes);
  plan_ = std::make_unique<FeaturePlan>(sweep_on_images(), site_);  // with the kept scan
  EXPECT_EQ(tasks_for({plad_}).size(), 5U);
  EXPECT_THAT(said_, HasSubstr("checksum is "));
  EXPECT_TRUE(fs::exists(file.string() + ".damaged"));
  EXPECT_FALSE(fs::exists(file));
}

TEST_F(PlanOfImages, SetsFeaturesAsideThatLieWhereImagesAreExpected) {
  scan();
  auto table = whole_set();
  table.rows = std::vector<float>(static_cast<std::size_t>(table.row_count * table.row_length));
  storage::write_feature_file(file_of(plan_->features_of(plad_).train), table);
  EXPECT_EQ(tasks_for({plad_}).size(), 5U);
  EXPECT_THAT(said_, HasSubstr("expected images ([N, 3, 32, 32] uint8), found features"));
}

TEST_F(PlanOfImages, RefusesAResultOfPladThatRestsOnOtherImages) {
  scan();
  const auto features = plan_->features_of(plad_);
  const auto checksum = storage::write_feature_file(file_of(features.train), whole_set());
  results::Ledger ledger;
  results::JobResult result;
  result.train = {features.train.id, checksum};
  result.test = {features.test.id, "not in the cache"};
  ledger.apply(results::Done{plad_, 1, result, {}});
  EXPECT_TRUE(changed_results({plad_}, ledger, *plan_, site_.cache, false).empty());

  result.train.checksum = std::string(32, '0');
  ledger = {};
  ledger.apply(results::Done{plad_, 1, result, {}});
  EXPECT_THROW(changed_results({plad_}, ledger, *plan_, site_.cache, false), storage::Error);
  EXPECT_EQ(changed_results({plad_}, ledger, *plan_, site_.cache, true).size(), 1U);
}

}  // namespace
}  // namespace runner
