// Scans of real files: the same sums whoever takes them, faults where a data set may skip.
#include "workers/row_scan.hpp"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <future>

#include "storage/error.hpp"
#include "tests/datasets/jpeg_writer.hpp"
#include "tests/temporary_folder.hpp"
#include "workers/feature_set.hpp"

namespace workers {
namespace {

using datasets::Split;
using testing::HasSubstr;

/// 30 training images of two classes and many sizes, and two test images.
class ScanOfAFolder : public testing::Test {
 protected:
  ScanOfAFolder() {
    for (int i = 0; i < 30; ++i) {
      const std::string name = "train/" + std::string(i % 2 == 0 ? "cat" : "dog") + "/" + std::to_string(i) + ".jpg";
      tests::write_text(folder_ / name, datasets_test::jpeg(5 + 7 * i, 40 - i, 3 * i));
    }
    for (const char* name : {"test/cat/1.jpg", "test/dog/1.jpg"}) {
      tests::write_text(folder_ / name, datasets_test::jpeg(8, 8, 1));
    }
    task_.data.spec.id = "pets";
    task_.data.spec.kind = "image-folder";
    task_.data.root = folder_.path().string();
    task_.count = 30;
    task_.square = 224;
  }
  Scanned scan(int threads) {
    const auto data = datasets::open_dataset(task_.data.spec, task_.data.root);
    return scan_rows(*data, task_, threads, [this] { ++moved_; });
  }
  tests::TemporaryFolder folder_;
  ScanTask task_;
  int moved_ = 0;
};

TEST_F(ScanOfAFolder, IsTheSameToTheBitForAnyNumberOfThreads) {
  const auto images = scan(1).images;
  ASSERT_EQ(images.size(), 30U);
  EXPECT_EQ(moved_, 30) << "each row is a sign of life";
  for (const int threads : {2, 5}) {
    at::set_num_threads(threads);  // as a trainer that was given so many
    EXPECT_EQ(scan(threads).images, images) << threads;
    EXPECT_EQ(at::get_num_threads(), threads) << "the backbone has them afterwards";
    EXPECT_EQ(std::async(std::launch::async, at::get_num_threads).get(), threads) << "and so has a thread to come";
  }
  at::set_num_threads(1);
}

TEST_F(ScanOfAFolder, TakesASliceAsPartOfTheWhole) {
  const auto all = scan(1).images;
  task_.first = 7;
  task_.count = 11;
  EXPECT_EQ(scan(2).images, (std::vector<ScannedImage>(all.begin() + 7, all.begin() + 18)));
}

TEST_F(ScanOfAFolder, NamesTheFirstFileThatCannotBeReadUnlessItMayBeSkipped) {
  const auto good = scan(1).images;
  tests::write_text(folder_ / "train/dog/11.jpg", "no picture");
  tests::write_text(folder_ / "train/dog/9.jpg", "no picture\n");
  try {
    scan(4);
    ADD_FAILURE() << "no error";
  } catch (const storage::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("train/dog/11.jpg")) << "11 comes before 9: rows are sorted by path";
  }
  task_.data.spec.skip = 0.1;
  auto images = scan(4).images;
  std::size_t faults = 0;
  for (std::size_t i = 0; i < images.size(); ++i) {
    if (images[i].fault.empty()) {
      EXPECT_EQ(images[i], good[i]) << i;
    } else {
      ++faults;
      EXPECT_THAT(images[i].fault, HasSubstr("train/dog/"));
      EXPECT_EQ(images[i].fault.find('\n'), std::string::npos);
    }
  }
  EXPECT_EQ(faults, 2U);
}

/// A data set of one image with a first square.
class OneCrop : public datasets::Images {
 public:
  const std::vector<std::string>& classes() const override { return classes_; }
  std::int64_t size(Split) const override { return 1; }
  int label(Split, std::int64_t) const override { return 0; }
  std::string row_id(Split, std::int64_t) const override { return "crop"; }
  std::string stamp() const override { return ""; }
  datasets::Image read(Split, std::int64_t) const override {
    return {2, 1, {0, 10, 20, 255, 10, 40}};  // red 0 and 255, green 10, blue 20 and 40
  }
  bool may_differ_in_size() const override { return false; }
  int first_square() const override { return 4; }
  datasets::Averaging averaging() const override { return datasets::Averaging::images; }

 private:
  std::vector<std::string> classes_ = {"satellite", "debris"};
};

TEST(ScanOfCrops, SumsTheImageAfterTheResizeToItsFirstSquare) {
  const OneCrop data;
  const auto rule = scan_rule_of(data, 224);
  EXPECT_EQ(rule.square, 4);
  ScanTask task;
  task.count = 1;
  task.square = rule.square;
  const auto image = scan_row(data, task, 0);
  // Two pixels become four: 0, 1/4, 3/4, 1 of the way between them, four times.
  EXPECT_THAT(image.square_sums.at(0), testing::DoubleNear(4 * 2.0, 1e-6));
  EXPECT_THAT(image.square_squares.at(0), testing::DoubleNear(4 * (1.0 / 16 + 9.0 / 16 + 1), 1e-6));
  EXPECT_THAT(image.square_sums.at(2), testing::DoubleNear(16 * 30 / 255.0, 1e-6));
  const auto scan = merge_scan(data.classes(), {0}, {image}, rule);
  const auto statistics = statistics_for(sweeps::Normalisation::dataset, scan, {});
  EXPECT_THAT(statistics.mean[0], testing::DoubleNear(0.5, 1e-7));
  EXPECT_THAT(statistics.std_dev[0], testing::DoubleNear(std::sqrt(26.0 / 64 - 0.25), 1e-7));
  EXPECT_THAT(statistics.std_dev[1], testing::DoubleNear(0, 1e-7));
}

/// The embedded images as an earlier version scanned them: sets in its caches stay what they are.
TEST(ScanOfEmbeddedImages, GivesTheIdentityThatItAlwaysGave) {
  ScanTask task;
  task.data.spec.id = task.data.spec.kind = "synthetic";
  task.data.spec.class_count = 2;
  task.data.spec.train_per_class = 4;
  task.data.spec.test_per_class = 3;
  task.count = 8;
  const auto data = datasets::open_dataset(task.data.spec, "");
  std::vector<int> labels;
  for (int i = 0; i < 8; ++i) labels.push_back(data->label(Split::train, i));
  const auto scan =
      merge_scan(data->classes(), labels, scan_rows(*data, task, 2, [] {}).images, scan_rule_of(*data, 224));
  const auto identity =
      identity_of(scan, Split::train, {}, "efficientnet-lite0", "random:0", sweeps::Normalisation::dataset,
                  statistics_for(sweeps::Normalisation::dataset, scan, {}), 224);
  EXPECT_EQ(identity, R"({"backbone":"efficientnet-lite0","content":"60e7e9d41251f0ed3126b9ee7bb1afb7","format":1,)"
                      R"("mean":[0.5409471698835784,0.519601619944853,0.4719630821078431],"normalisation":"dataset",)"
                      R"("size":224,"split":"train","std":[0.09848629668819814,0.10635527326602878,)"
                      R"(0.11312275515423982],"weights":"random:0"})");
  EXPECT_EQ(feature_set_id(identity), "5ca37bcdd053fdb7af35c1533049596e");
}

}  // namespace
}  // namespace workers
