// Scores of files by a saved detector: those that its training had, and what cannot be scored.
#include "workers/scoring.hpp"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "datasets/dataset.hpp"
#include "datasets/png_encoder.hpp"
#include "plume/method.hpp"
#include "plume/threshold.hpp"
#include "plume/training.hpp"
#include "storage/error.hpp"
#include "storage/feature_file.hpp"
#include "sweeps/backbones.hpp"
#include "tests/datasets/jpeg_writer.hpp"
#include "tests/end_to_end/npy_bytes.hpp"
#include "tests/storage/plain_files.hpp"
#include "tests/workers/small_models.hpp"
#include "workers/checksums.hpp"
#include "workers/feature_parts.hpp"
#include "workers/raw_images.hpp"
#include "workers/row_maker.hpp"
#include "workers/row_scan.hpp"
#include "workers/saved_model.hpp"
#include "workers/score_inputs.hpp"

namespace workers {
namespace {

namespace fs = std::filesystem;
using storage_test::message_of;
using storage_test::TemporaryFolder;
using storage_test::write_plainly;
using testing::AllOf;
using testing::HasSubstr;

/// Trains on `data`, saves the last epoch as `file`, and gives the scores that it had on the test split.
std::vector<double> train_and_save(ModelFacts facts, const plume::JobData& data, const fs::path& file) {
  std::vector<double> scores;
  plume::Observer observer;
  observer.keep = plume::ModelParts::classifier;
  observer.on_finished = [&](const plume::FinishedTraining& finished) {
    facts.which = "last";
    facts.epoch = finished.last.epoch.epoch;
    facts.auroc = finished.last.epoch.auc();
    facts.threshold = finished.last.epoch.threshold;
    if (finished.statistics) {
      facts.mean.assign(finished.statistics->mean.begin(), finished.statistics->mean.end());
      facts.std_dev.assign(finished.statistics->std_dev.begin(), finished.statistics->std_dev.end());
    }
    facts.contents = "classifier";
    write_model(file, facts, finished.last.model);
    scores = plume::scores_of(finished.last.model, finished.test, [] {});
  };
  const auto result = plume::run_job(facts.job, data, observer);
  EXPECT_EQ(result.outcome, results::Outcome::finished);
  return scores;
}

ScoreTask task_of(const fs::path& model, std::vector<std::string> paths) {
  return {model.string(), std::move(paths), 1,
          [](const std::string&) -> std::string { throw storage::UsageError("nowhere"); }};
}

/// Faults must be told as they are kept.
Scored score(const ScoreTask& task) {
  std::vector<std::string> told, kept;
  auto scored = score_files(task, [&](const std::string& line) { told.push_back(line); });
  for (const auto& row : scored.rows) {
    if (!row.fault.empty()) kept.push_back(row.fault);
  }
  EXPECT_EQ(told, kept);
  return scored;
}

std::string refusal(const ScoreTask& task) {
  return message_of<storage::UsageError>([&] { score(task); });
}

void expect_scores(const std::vector<ScoredRow>& rows, const std::vector<double>& wanted) {
  ASSERT_EQ(rows.size(), wanted.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].fault, "");
    EXPECT_NEAR(rows[i].score, wanted[i], 1e-6) << rows[i].path;
  }
}

/// Verdicts are those that the shares of a training count.
void expect_verdicts_of_training(const Scored& scored, const std::vector<double>& scores) {
  const plume::Threshold threshold{static_cast<float>(*scored.facts.threshold), 0};
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const bool accepted = *plume::shares_on_the_right_side(threshold, {scores[i]}, {0}, {0}, 1)[0] == 1;
    EXPECT_EQ(scored.rows[i].is_normal, accepted) << scores[i];
    EXPECT_EQ(scored.rows[i].score > *scored.threshold, accepted) << "the columns can be compared";
  }
}

// ---- features of another program

class ScoringOfFeatures : public testing::Test {
 protected:
  ScoringOfFeatures() {
    plume::JobData data;
    data.train = at::linspace(-1, 1, 20 * 8).sin().view({20, 8});
    data.test = at::linspace(-2, 3, 12 * 8).cos().view({12, 8});
    data.classes = {"bad", "good", "it's \"so,so\""};
    data.normal_classes = {1};
    for (int i = 0; i < 12; ++i) data.test_labels.push_back(1 - i % 2);
    auto facts = tests::facts_of_features();
    facts.job.training.batch_size = 8;
    scores_ = train_and_save(facts, data, model_);
    bytes_.assign(static_cast<const char*>(data.test.const_data_ptr()), data.test.nbytes());
    write_plainly(folder_ / "test.npy", tests::npy("<f4", "(12, 8)", bytes_));
  }
  std::string file(const char* name) const { return (folder_ / name).string(); }

  TemporaryFolder folder_;
  fs::path model_ = folder_ / "m.safetensors";
  std::vector<double> scores_;
  std::string bytes_;
};

TEST_F(ScoringOfFeatures, AreThoseOfTheTraining) {
  const auto scored = score(task_of(model_, {file("test.npy")}));
  expect_scores(scored.rows, scores_);
  expect_verdicts_of_training(scored, scores_);
  EXPECT_EQ(scored.rows.back().path, file("test.npy#11"));
  EXPECT_EQ(scored.source.backbone, "features");
}

TEST_F(ScoringOfFeatures, PassOverARowThatIsNotFinite) {
  bytes_.replace(32 * 3, 4, "\xff\xff\xff\x7f", 4);  // NaN
  write_plainly(folder_ / "some.npy", tests::npy("<f4", "(12, 8)", bytes_));
  const auto scored = score(task_of(model_, {file("some.npy")}));
  EXPECT_EQ(scored.rows.size(), 12U);
  EXPECT_EQ(scored.rows[0].path, file("some.npy#3"));
  EXPECT_THAT(scored.rows[0].fault, HasSubstr("some.npy#3: has a feature that is not finite"));
  EXPECT_NEAR(scored.rows[4].score, scores_[4], 1e-6);
}

TEST_F(ScoringOfFeatures, RefuseImagesAndOtherLengths) {
  EXPECT_THAT(refusal(task_of(model_, {file("a.jpg")})),
              AllOf(HasSubstr("a.jpg"), HasSubstr("give .npy matrices [n, 8], no images")));
  write_plainly(folder_ / "long.npy", tests::npy("<f4", "(1, 9)", std::string(36, '\0')));
  EXPECT_THAT(refusal(task_of(model_, {file("test.npy"), file("long.npy")})),
              AllOf(HasSubstr("long.npy: has rows of 9 features"), HasSubstr("trained on rows of 8")));
  EXPECT_THAT(refusal(task_of(model_, {file("none.npy")})), HasSubstr("none.npy"));
}

// ---- images, as plad takes them

/// Trained once for all tests: what it left is only read.
struct TrainedOnImages {
  TrainedOnImages() {
    const auto data = datasets::open_images(
        {.id = "s", .kind = "synthetic", .seed = 1, .train_per_class = 12, .test_per_class = 3, .class_count = 3}, "");
    plume::JobData job;
    job.classes = data->classes();
    job.normal_classes = {0, 1};
    std::vector<std::uint8_t> train, test;
    for (std::int64_t i = 0; i < data->size(datasets::Split::train); ++i) {
      if (data->label(datasets::Split::train, i) < 2) append_raw_image(data->read(datasets::Split::train, i), 0, train);
    }
    for (std::int64_t i = 0; i < data->size(datasets::Split::test); ++i) {
      const auto image = data->read(datasets::Split::test, i);
      append_raw_image(image, 0, test);
      write_plainly(folder_ / ("images/" + std::to_string(i) + ".png"), datasets::encode_png(image));
      job.test_labels.push_back(data->label(datasets::Split::test, i));
    }
    const auto tensor = [](std::vector<std::uint8_t>& bytes) {
      return at::from_blob(bytes.data(), {static_cast<std::int64_t>(bytes.size()) / 3072, 3, 32, 32}, at::kByte)
          .clone();
    };
    job.train = tensor(train);
    job.test = tensor(test);
    auto facts = tests::facts_of_images();
    facts.classes = job.classes;
    facts.job.members = facts.normal_classes = {job.classes[0], job.classes[1]};
    scores_ = train_and_save(facts, job, model_);
  }

  TemporaryFolder folder_;
  fs::path model_ = folder_ / "m.safetensors";
  std::vector<double> scores_;
};

class ScoringOfImages : public testing::Test {
 protected:
  static void SetUpTestSuite() { trained = new TrainedOnImages; }
  static void TearDownTestSuite() { delete trained; }
  static std::string images(const std::string& number) {
    return (trained->folder_ / ("images/" + number + ".png")).string();
  }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }

  static TrainedOnImages* trained;
  TemporaryFolder folder_;
};
TrainedOnImages* ScoringOfImages::trained = nullptr;

TEST_F(ScoringOfImages, AreThoseOfTheTraining) {
  const auto scored = score(task_of(trained->model_, {(trained->folder_ / "images").string()}));
  expect_scores(scored.rows, trained->scores_);
  expect_verdicts_of_training(scored, trained->scores_);
  EXPECT_EQ(scored.source.backbone, sweeps::kRawImages);
}

TEST_F(ScoringOfImages, GoOnAfterWhatCannotBeRead) {
  fs::create_directory(folder_ / "mixed");
  fs::copy_file(images("2"), folder_ / "mixed/2.png");
  write_plainly(folder_ / "mixed/1.jpg", "no picture");
  write_plainly(folder_ / "mixed/3.jpg", datasets_test::jpeg(48, 40, 10).substr(0, 300));
  const auto scored = score(task_of(trained->model_, {file("mixed")}));
  ASSERT_EQ(scored.rows.size(), 3U);
  EXPECT_THAT(scored.rows[0].fault, HasSubstr("1.jpg: is neither a JPEG nor a PNG"));
  EXPECT_THAT(scored.rows[1].fault, HasSubstr("3.jpg: "));
  EXPECT_NEAR(scored.rows[2].score, trained->scores_[2], 1e-6);
}

TEST_F(ScoringOfImages, RefuseWhatIsNotThereIsEmptyOrAMatrix) {
  fs::create_directories(folder_ / "empty/deeper");
  write_plainly(folder_ / "empty/deeper/notes.txt", "notes");
  EXPECT_THAT(refusal(task_of(trained->model_, {file("nowhere")})),
              HasSubstr("nowhere: is not there; give image files"));
  EXPECT_THAT(refusal(task_of(trained->model_, {file("empty")})), HasSubstr("empty: no JPEG or PNG image is in it"));
  EXPECT_THAT(refusal(task_of(trained->model_, {file("x.npy")})), HasSubstr("x.npy"));
  EXPECT_THAT(refusal(task_of(trained->model_, {"/dev/null"})), HasSubstr("/dev/null: is neither a file nor a folder"));
}

// ---- images through a backbone

constexpr const char* kThroughBackbone =
    R"({"backbone":"efficientnet-lite0","content":"c0ffee","format":1,"mean":[0.4,0.5,0.6],"normalisation":"dataset",)"
    R"("size":224,"split":"train","std":[0.2,0.25,0.3],"weights":"random:1"})";

ModelFacts facts_through_backbone() {
  auto facts = tests::facts_of_features();
  facts.job.backbone = "efficientnet-lite0";
  facts.job.training.batch_size = 8;
  facts.features_identity = kThroughBackbone;
  facts.row_length = 1280;
  return facts;
}

/// Forty images of four sizes, their features by an extraction, and a detector that was trained on them.
class ScoringThroughABackbone : public testing::Test {
 protected:
  ScoringThroughABackbone() {
    for (int i = 0; i < 40; ++i) {
      files_.push_back((folder_ / ("good/" + std::to_string(100 + i) + ".jpg")).string());
      write_plainly(files_.back(), datasets_test::jpeg(20 + 9 * (i % 4), 30 - 5 * (i % 4), 6 * i));
    }
    const ListedImages images(files_, 0);
    ExtractTask task;
    task.recipe.backbone = "efficientnet-lite0";
    task.recipe.weights = "random:1";
    task.recipe.mean = {0.4, 0.5, 0.6};
    task.recipe.std_dev = {0.2, 0.25, 0.3};
    task.recipe.identity = kThroughBackbone;
    task.recipe.id = std::string(32, 'a');
    task.recipe.cache = (folder_ / "cache").string();
    task.recipe.row_length = 1280;
    for (int i = 0; i < 40; ++i) {
      task.rows.push_back(i);
      const auto scanned = scan_row(images, {{}, datasets::Split::train, i, 1, 224}, i).crc32c;
      task.checksums.push_back(checksum_with_class(scanned, "unseen"));
    }
    task.recipe.row_count = task.count = 40;
    RowMaker maker;
    extract_part(
        task, [&]() -> const datasets::Dataset& { return images; }, maker, 1, [] {});
    auto table = storage::read_feature_file(part_file(task.recipe.cache, task.recipe.id, 0), storage::RowKind::features,
                                            task.recipe.identity + "#rows 0+40");
    auto& numbers = std::get<std::vector<float>>(table.rows);
    plume::JobData data;
    data.train = data.test = at::from_blob(numbers.data(), {40, 1280}, at::kFloat);
    data.classes = {"bad", "good", "it's \"so,so\""};
    data.normal_classes = {1};
    data.test_labels.assign(40, 1);
    scores_ = train_and_save(facts_through_backbone(), data, model_);
  }

  TemporaryFolder folder_;
  std::vector<std::string> files_;
  fs::path model_ = folder_ / "m.safetensors";
  std::vector<double> scores_;
};

TEST_F(ScoringThroughABackbone, IsThatOfTheTrainingInAnyOrderAndBesideAnythingElse) {
  expect_scores(score(task_of(model_, {(folder_ / "good").string()})).rows, scores_);
  auto files = files_;
  std::reverse(files.begin(), files.end());
  std::reverse(scores_.begin(), scores_.end());
  expect_scores(score(task_of(model_, files)).rows, scores_);
  write_plainly(folder_ / "bad.jpg", "no picture");
  files.insert(files.begin() + 20, (folder_ / "bad.jpg").string());
  auto rows = score(task_of(model_, files)).rows;
  EXPECT_THAT(rows.at(0).fault, HasSubstr("bad.jpg"));
  rows.erase(rows.begin());
  expect_scores(rows, scores_);
}

TEST_F(ScoringThroughABackbone, TakesNoWeightsButThoseOfItsHash) {
  auto facts = facts_through_backbone();
  const std::string hash(64, 'a');
  facts.features_identity.replace(facts.features_identity.find("random:1"), 8, hash);
  const auto model = *read_model(model_).model;
  write_model(model_, facts, model);
  auto task = task_of(model_, {files_[0]});
  EXPECT_EQ(refusal(task), "nowhere") << "where the weights are is asked for";
  write_plainly(folder_ / "abc.pth", "abc");
  task.find_weights = [&](const std::string& backbone) {
    EXPECT_EQ(backbone, "efficientnet-lite0");
    return (folder_ / "abc.pth").string();
  };
  EXPECT_THAT(refusal(task), AllOf(HasSubstr("abc.pth: these are not the weights of efficientnet-lite0"),
                                   HasSubstr("begins with ba7816bf, not with aaaaaaaa"),
                                   HasSubstr("--weights efficientnet-lite0=FILE")));
  task.find_weights = [](const std::string&) { return "random:1"; };
  EXPECT_THAT(refusal(task), HasSubstr("random:1: these are not the weights"));
}

}  // namespace
}  // namespace workers
