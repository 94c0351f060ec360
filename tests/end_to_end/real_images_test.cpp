// The whole program on real images: CIFAR-10 under mpirun at the paper's width, its statistics, SPARK. Needs archives,
// which are not part of the tree: $PLUME_IMAGE_ARCHIVES, or ../shared/data beside it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "tests/end_to_end/program.hpp"
#include "tests/temporary_folder.hpp"

namespace tests {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

fs::path archive(const char* name) {
  const char* given = std::getenv("PLUME_IMAGE_ARCHIVES");
  return (given != nullptr ? fs::path(given) : fs::path(PLUME_SOURCE_DIR).parent_path() / "shared" / "data") / name;
}
fs::path cifar10_archive() {
  return archive("cifar10-jpeg.tar.xz");
}

TEST(RealImages, TrainUnderMpirunAtThePapersWidthAndASecondCallDoesNoWork) {
  if (!fs::exists(cifar10_archive())) GTEST_SKIP() << cifar10_archive() << " is not there: it is not part of the tree";
  const TemporaryFolder folder;
  // 40 training and 10 test images of three classes.
  const auto unpacked = Running({"tar", "-xf", cifar10_archive().string(), "--wildcards", "train/airplane/00[0-3]?.jpg",
                                 "train/cat/00[0-3]?.jpg", "train/ship/00[0-3]?.jpg", "test/airplane/000?.jpg",
                                 "test/cat/000?.jpg", "test/ship/000?.jpg"},
                                folder.path())
                            .wait();
  ASSERT_EQ(unpacked.status, 0) << unpacked.errors;
  const std::string axes = R"("dataset": "jpegs", "backbone": "efficientnet-lite0")";
  write_text(
      folder / "sweep.json",
      R"({"version": 1, "name": "real", "datasets": {"jpegs": {"kind": "image-folder"}}, "blocks": [
      {)" +
          axes +
          R"(, "perturbation": "linear-map", "guidance": "full", "lambda": 5, "lr": 1e-3, "seeds": 2, "epochs": 2},
      {)" +
          axes + R"(, "method": "knn", "scaling": "l2"}]})");
  const auto command = under_mpirun(
      3, {"run", "sweep.json", "--out", "out", "--cache", "cache", "--data", "jpegs=" + folder.path().string(),
          "--weights", "efficientnet-lite0=" + real_weights().string()});
  const auto first = Running(command, folder.path()).wait();
  ASSERT_EQ(first.status, 0) << first.errors;
  const auto log = read_text(folder / "out/logs/run.log");
  EXPECT_THAT(log, AllOf(HasSubstr("worker 1: host"), HasSubstr("worker 2: host"))) << "a world of three";
  const auto table = read_text(folder / "out/report/tables/jpegs.csv");
  EXPECT_THAT(table, HasSubstr("jpegs,linear-map + full,mean,last,"));
  EXPECT_THAT(read_text(folder / "out/report/tables/jpegs.md"), AllOf(HasSubstr("6/6"), HasSubstr("3/3")));

  const auto second = Running(command, folder.path()).wait();
  EXPECT_EQ(second.status, 0) << second.errors;
  EXPECT_THAT(second.errors, HasSubstr("9 done, 0 to run"));
  EXPECT_EQ(second.output, first.output);
}

/// "0.49137 0.48202 0.44635", as `check data` prints three channels.
std::string five_digits(const nlohmann::json& channels) {
  std::string text;
  for (const auto& value : channels) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.5f", value.get<double>());
    text += (text.empty() ? "" : " ") + std::string(digits);
  }
  return text;
}

TEST(RealImages, HaveTheStatisticsOfTheFixture) {
  if (!fs::exists(cifar10_archive())) GTEST_SKIP() << cifar10_archive() << " is not there: it is not part of the tree";
  const TemporaryFolder folder;
  ASSERT_EQ(Running({"tar", "-xf", cifar10_archive().string()}, folder.path()).wait().status, 0);
  const auto fixture = nlohmann::json::parse(
      read_text(fs::path(PLUME_SOURCE_DIR) / "tests/golden/backbones/preprocess/preprocess.json"));
  const auto& expected = fixture.at("cifar10_statistics");

  const auto ended = run_program({"check", "data", "cifar10-jpeg", "--kind", "image-folder", "--no-sheet", "--data",
                                  "cifar10-jpeg=" + folder.path().string(), "--cache", "cache"},
                                 folder.path());

  ASSERT_EQ(ended.status, 0) << ended.errors;
  EXPECT_THAT(ended.output, HasSubstr("mean " + five_digits(expected.at("dataset_mean")) + ", std " +
                                      five_digits(expected.at("dataset_std"))));
}

TEST(RealImages, OfSparkRunASweepOfThePapersDataSetAndBackbone) {
  const auto sample = archive("spark2022-mini.tar.xz");
  if (!fs::exists(sample)) GTEST_SKIP() << sample << " is not there: it is not part of the tree";
  const TemporaryFolder folder;
  ASSERT_EQ(Running({"tar", "-xf", sample.string()}, folder.path()).wait().status, 0);
  write_text(folder / "sweep.json", R"({"version": 1, "name": "spark", "blocks": [
    {"dataset": "spark2021", "backbone": "resnet50", "train_rows": 4, "test_rows": 3,
     "dimension": 12, "lr": 1e-3, "seeds": 2, "epochs": 1},
    {"dataset": "spark2021", "backbone": "resnet50", "train_rows": 4, "test_rows": 3, "method": "knn", "scaling": "l2"},
    {"dataset": "spark2021", "train_rows": 4, "test_rows": 3, "method": "plad", "lr": 1e-3, "epochs": 1}]})");

  const auto ended = run_program(
      {"run", "sweep.json", "--out", "out", "--cache", "cache", "--threads", "1", "--substitute", "spark2021=spark2022",
       "--substitute", "resnet50=efficientnet-lite0", "--data", "spark2022=" + (folder / "spark2022-mini").string(),
       "--weights", "efficientnet-lite0=" + real_weights().string()},
      folder.path());

  ASSERT_EQ(ended.status, 0) << ended.errors;
  const auto table = read_text(folder / "out/report/tables/spark2022.md");
  EXPECT_THAT(table,
              AllOf(HasSubstr("data set spark2022 (in place of spark2021), size 512; normal set satellites (proba_2, "),
                    HasSubstr("backbone efficientnet-lite0 (in place of resnet50)"), HasSubstr("2/2")));
  EXPECT_THAT(table, AllOf(HasSubstr("satellites |"), testing::Not(HasSubstr("debris"))));
}

}  // namespace
}  // namespace tests
