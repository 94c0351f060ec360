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

sweeps::Sweep sweep_with_sets(const std::string& sets, const std::string& in_block = "") {
  return sweeps::parse_sweep(R"({"version": 1, "name": "s",
    "datasets": {"synthetic": {"kind": "synthetic", "classes": 4, "train_per_class": 2, "test_per_class": 1,
                               "normal_sets": )" +
                                 sets + R"(}}, "blocks": [{"dataset": "synthetic", "method": "plad")" + in_block +
                                 "}]}",
                             "s.json");
}

std::string refusal_of_sets(const std::string& sets) {
  const tests::TemporaryFolder folder;
  Site site;
  site.cache = folder / "cache";
  try {
    FeaturePlan(sweep_with_sets(sets), site).class_names();
  } catch (const storage::UsageError& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(NormalSets, AreResolvedInTheOrderOfTheDataSet) {
  const tests::TemporaryFolder folder;
  Site site;
  site.cache = folder / "cache";
  const FeaturePlan plan(sweep_with_sets(R"({"b": ["cross", "ring"], "a": {"all_but": ["bar", "triangle"]}})"), site);
  const auto normal = plan.class_names().at("synthetic");
  ASSERT_EQ(normal.sets.size(), 2U);
  for (const auto& set : normal.sets) EXPECT_THAT(set.classes, testing::ElementsAre("ring", "cross")) << set.name;
  EXPECT_EQ(normal.classes.size(), 4U);
}

TEST(NormalSets, AreRefusedWhereTheyCannotBeTrainedOnOrTested) {
  EXPECT_EQ(refusal_of_sets(R"({"a": ["rings"]})"),
            "data set synthetic: normal set \"a\": \"rings\" is no class (did you mean \"ring\"?)");
  EXPECT_THAT(refusal_of_sets(R"({"bar": ["ring", "cross"]})"), HasSubstr("a class of the data set has that name"));
  EXPECT_THAT(refusal_of_sets(R"({"a": ["ring", "cross", "bar", "triangle"]})"),
              HasSubstr("holds every class, and nothing would be an anomaly"));
  EXPECT_THAT(refusal_of_sets(R"({"a": {"all_but": ["ring", "cross", "bar", "triangle"]}})"),
              HasSubstr("no class is left in it"));
}

/// Three slices of training images (two classes in turn) and one of test images, and jobs without a backbone.
class PlanOfSlices : public testing::Test {
 protected:
  PlanOfSlices() {
    sweep_ = sweeps::parse_sweep(R"({"version": 1, "name": "s",
      "datasets": {"synthetic": {"kind": "synthetic", "classes": 2, "train_per_class": 1100, "test_per_class": 4}},
      "blocks": [{"dataset": "synthetic", "method": "plad"}]})",
                                 "s.json");
    site_.cache = folder_ / "cache";
    open();
  }
  void open() {
    plan_ = std::make_unique<FeaturePlan>(sweep_, site_);
    jobs_ = sweeps::expand(sweep_, plan_->class_names()).jobs;
  }
  std::vector<PlannedTask> scan_tasks() {
    return plan_->scan_tasks(jobs_, [this](const std::string& line) { said_ += line + "\n"; });
  }
  /// The outcome of a scan task, with the rows of `faulty_` unreadable; the sums depend on the row.
  workers::Scanned outcome(const PlannedTask& task) const {
    const auto& scan = std::get<workers::ScanTask>(task.what);
    workers::Scanned scanned;
    for (std::int64_t row = scan.first; row < scan.first + scan.count; ++row) {
      workers::ScannedImage image;
      if (scan.split == datasets::Split::train && faulty_.contains(row)) {
        image.fault = "row " + std::to_string(row) + ".jpg: not a JPEG";
      } else {
        const auto shade = static_cast<double>(row % 200);
        image = {static_cast<std::uint32_t>(row), 32, 32, {}, {}, {}, {}};
        image.sums.assign(3, shade * 1024);
        image.squares.assign(3, shade * shade * 1024);
      }
      scanned.images.push_back(image);
    }
    return scanned;
  }
  void scan_all() {
    for (const auto& task : scan_tasks()) plan_->take_scan(task.id, outcome(task));
  }
  std::string refusal() const {
    try {
      plan_->check_skipped("synthetic", jobs_);
    } catch (const storage::Error& error) {
      return error.what();
    }
    return "";
  }
  fs::path slices() const {
    for (const auto& entry : fs::directory_iterator(site_.cache / "scan")) {
      if (entry.path().extension() == ".parts") return entry.path();
    }
    return {};
  }

  tests::TemporaryFolder folder_;
  Site site_;
  sweeps::Sweep sweep_;
  std::unique_ptr<FeaturePlan> plan_;
  std::vector<Job> jobs_;
  std::set<std::int64_t> faulty_;
  std::string said_;
};

TEST_F(PlanOfSlices, ScansOnlyWhatAKilledRunHadNotScanned) {
  scan_all();
  const auto undisturbed = plan_->features_of(jobs_[0]).train.identity;
  fs::remove_all(site_.cache);
  open();
  const auto tasks = scan_tasks();
  ASSERT_EQ(tasks.size(), 4U);
  plan_->take_scan(tasks[0].id, outcome(tasks[0]));
  plan_->take_scan(tasks[2].id, outcome(tasks[2]));

  open();
  const auto left = scan_tasks();
  EXPECT_EQ(said_, "synthetic: 2 of 4 slices of its scan were made by an earlier run\n");
  ASSERT_EQ(left.size(), 2U);
  EXPECT_EQ(left[0].name, tasks[1].name);
  EXPECT_EQ(plan_->take_scan(left[0].id, outcome(left[0])), "");
  EXPECT_EQ(plan_->take_scan(left[1].id, outcome(left[1])), "synthetic");
  EXPECT_EQ(plan_->features_of(jobs_[0]).train.identity, undisturbed);
  EXPECT_EQ(slices(), fs::path()) << "what the whole scan holds is not kept twice";
}

TEST_F(PlanOfSlices, IsScannedAtOnceWhereOnlyTheWholeWasMissing) {
  const auto tasks = scan_tasks();
  for (std::size_t i = 0; i + 1 < tasks.size(); ++i) plan_->take_scan(tasks[i].id, outcome(tasks[i]));
  const auto& last = std::get<workers::ScanTask>(tasks.back().what);
  workers::keep_slice(site_.cache, {slices().stem().string(), last.split, last.first, last.count},
                      outcome(tasks.back()));
  open();
  EXPECT_TRUE(scan_tasks().empty());
  EXPECT_TRUE(plan_->scanned("synthetic"));
}

TEST_F(PlanOfSlices, MakesADamagedSliceAgain) {
  const auto tasks = scan_tasks();
  plan_->take_scan(tasks[0].id, outcome(tasks[0]));
  const auto file = slices() / "train-0.json";
  tests::write_text(file, tests::read_text(file).substr(0, 1000));
  open();
  EXPECT_EQ(scan_tasks().size(), 4U);
}

TEST_F(PlanOfSlices, TakesASliceWithFaultsOnlyWhereTheDataSetMaySkip) {
  sweep_.datasets[0].skip = 0.5;
  faulty_ = {5};
  open();
  const auto tasks = scan_tasks();
  plan_->take_scan(tasks[0].id, outcome(tasks[0]));
  sweep_.datasets[0].skip = 0.25;
  open();
  EXPECT_EQ(scan_tasks().size(), 3U) << "how many may be skipped is no matter of a scan";
  sweep_.datasets[0].skip = 0;
  open();
  EXPECT_EQ(scan_tasks().size(), 4U);
}

TEST_F(PlanOfSlices, HasOnlyTheGoodRowsInItsSets) {
  sweep_.datasets[0].skip = 0.001;
  faulty_ = {1, 1024};
  open();
  scan_all();
  EXPECT_EQ(refusal(), "");
  const auto skipped = plan_->skipped("synthetic");
  ASSERT_EQ(skipped.size(), 1U);
  EXPECT_EQ(skipped[0].summary,
            "synthetic: 2 of 2200 train images are skipped: 1 ring, 1 cross; first: row 1.jpg: not a JPEG");
  EXPECT_THAT(skipped[0].rows, testing::ElementsAre("synthetic: skipped train/cross#0: row 1.jpg: not a JPEG",
                                                    "synthetic: skipped train/ring#512: row 1024.jpg: not a JPEG"));
  auto job = jobs_[0];
  EXPECT_EQ(plan_->features_of(job).train.row_count, 2198);
  const auto tasks = plan_->tasks_for({job}, [](const std::string&) {});
  const auto& first = std::get<workers::ExtractTask>(tasks[0].what);
  EXPECT_EQ(first.rows.front(), 0);
  EXPECT_EQ(first.rows[1], 2) << "row 1 is skipped";
  EXPECT_EQ(first.rows[1023], 1025) << "row 1024 too";
  EXPECT_EQ(first.checksums[1023], workers::checksum_with_class(1025, "cross"));
  const auto& last = std::get<workers::ExtractTask>(tasks[2].what);
  EXPECT_EQ(last.rows.back(), 2199);
  EXPECT_EQ(last.checksums.back(), workers::checksum_with_class(2199, "cross"));

  job.train_rows = 1;  // of each class
  open();
  EXPECT_EQ(std::get<workers::ExtractTask>(plan_->tasks_for({job}, [](const std::string&) {})[0].what).rows,
            (std::vector<std::int64_t>{0, 3}));
}

TEST_F(PlanOfSlices, RefusesMoreSkippedRowsThanAllowed) {
  sweep_.datasets[0].skip = 0.001;
  faulty_ = {0, 7, 9};
  open();
  scan_all();
  EXPECT_EQ(refusal(),
            "synthetic: 3 of 2200 train images cannot be read, and \"skip\": 0.001 of its entry under \"datasets\" "
            "allows fewer; first: row 0.jpg: not a JPEG");
  sweep_.datasets[0].skip = 0.002;
  open();
  EXPECT_TRUE(plan_->scanned("synthetic"));
  EXPECT_EQ(refusal(), "");
}

TEST_F(PlanOfSlices, RefusesAClassThatSkippingLeavesWithoutRowsToTrainOn) {
  sweep_.datasets[0].skip = 0.9;
  for (std::int64_t row = 0; row < 2198; row += 2) faulty_.insert(row);  // of class ring: all but the last
  open();
  scan_all();
  EXPECT_EQ(refusal(),
            "synthetic: normal class \"ring\" has 1 training row(s) left, because others cannot be read and are "
            "skipped; it needs 2: mend those images (logs/run.log lists them), or leave the class out of \"classes\"");
  std::erase_if(jobs_, [](const Job& job) { return job.normal_class == "ring"; });
  EXPECT_EQ(refusal(), "");
}

/// SPARK 2022 with three training images and one test image; nobody decodes them here.
class PlanOfSpark : public testing::Test {
 protected:
  PlanOfSpark() {
    const std::string header = "filename,class,bbox\n";
    const auto row = [&](const std::string& split, const std::string& name, const std::string& of_class) {
      tests::write_text(folder_ / split / name, "not decoded");
      return name + "," + of_class + ",\"[0, 0, 2, 2]\"\n";
    };
    tests::write_text(folder_ / "train.csv", header + row("train", "a.jpg", "cheops") + row("train", "b.jpg", "soho") +
                                                 row("train", "c.jpg", "debris"));
    tests::write_text(folder_ / "val.csv", header + row("val", "d.jpg", "debris"));
    site_.cache = folder_ / "cache";
    site_.data["spark2022"] = folder_.path();
    open(R"({"dataset": "spark2022", "method": "plad", "epochs": 1})");
  }
  void open(const std::string& block) {
    sweep_ = sweeps::parse_sweep(R"({"version": 1, "name": "s", "blocks": [)" + block + "]}", "s.json");
    plan_ = std::make_unique<FeaturePlan>(sweep_, site_);
  }

  tests::TemporaryFolder folder_;
  Site site_;
  sweeps::Sweep sweep_;
  std::unique_ptr<FeaturePlan> plan_;
};

TEST_F(PlanOfSpark, TrainsOnTheSatellitesTogetherAndNeverOnDebris) {
  const auto normal = plan_->class_names().at("spark2022");
  ASSERT_EQ(normal.sets.size(), 1U);
  EXPECT_EQ(normal.sets[0].name, "satellites");
  EXPECT_EQ(normal.sets[0].classes.size(), 10U);
  EXPECT_THAT(normal.sets[0].classes, testing::Not(testing::Contains("debris")));
  EXPECT_THAT(normal.classes, testing::IsEmpty()) << "one image each";
  const auto plan = sweeps::expand(sweep_, plan_->class_names());
  ASSERT_EQ(plan.jobs.size(), 1U);
  EXPECT_EQ(plan.jobs[0].normal_class, "satellites");
  open(R"({"dataset": "spark2022", "method": "plad", "classes": ["debris"]})");
  EXPECT_THROW(plan_->check_classes(sweep_), storage::UsageError);
}

TEST_F(PlanOfSpark, SaysBeforeAnythingRunsThatAnAurocWillBeUndefined) {
  const auto jobs = sweeps::expand(sweep_, plan_->class_names()).jobs;
  EXPECT_THAT(plan_->untestable_classes(jobs),
              testing::ElementsAre("spark2022: the test split has no normal rows where satellites is the normal class: "
                                   "its AUROC is undefined"));
}

TEST_F(PlanOfSpark, NormalisesThePicturesOfPladWithTheDataSetsStatisticsDebrisIncluded) {
  const auto jobs = sweeps::expand(sweep_, plan_->class_names()).jobs;
  for (const auto& task : plan_->scan_tasks(jobs, [](const std::string&) {})) {
    const auto& scan = std::get<workers::ScanTask>(task.what);
    ASSERT_EQ(scan.square, 512);
    const double pixels = 512.0 * 512.0;
    workers::Scanned scanned;
    for (std::int64_t i = 0; i < scan.count; ++i) {
      // Image i is one flat value, (i + 1) / 4: means 1/4, 1/2 and, of debris, 3/4.
      const double value = static_cast<double>(i + 1) / 4;
      workers::ScannedImage image;
      image.width = image.height = 2;
      image.sums = image.squares = {0, 0, 0};
      image.square_sums = std::vector<double>(3, value * pixels);
      image.square_squares = std::vector<double>(3, value * value * pixels);
      scanned.images.push_back(image);
    }
    plan_->take_scan(task.id, scanned);
  }
  const auto tasks = plan_->tasks_for(jobs, [](const std::string&) {});
  const auto& training = std::get<workers::TrainTask>(tasks.back().what);
  EXPECT_THAT(training.mean, testing::ElementsAre(0.5, 0.5, 0.5));
  EXPECT_THAT(training.std_dev, testing::ElementsAre(0, 0, 0));
}

}  // namespace
}  // namespace runner
