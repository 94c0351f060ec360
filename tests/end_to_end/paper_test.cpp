// The whole paper with one command, at --scale quick under mpirun: every job of the plan, every table in every format.
// Real CIFAR-10 and SPARK images from archives that are not part of the tree ($PLUME_IMAGE_ARCHIVES, or ../shared/data
// beside it); CIFAR-100 as a stand-in in its official layout.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tests/end_to_end/cifar100_stand_in.hpp"
#include "tests/end_to_end/program.hpp"
#include "tests/temporary_folder.hpp"

namespace tests {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kTables[] = {"cifar10-main",        "cifar100-mean",  "cifar10-ablation", "spark",
                                   "cifar10-max",         "cifar10-lambda", "cifar100-classes", "cifar10-all",
                                   "cifar10-ablation-all"};
constexpr const char* kCifarClasses[] = {"airplane", "automobile", "bird",  "cat",  "deer",
                                         "dog",      "frog",       "horse", "ship", "truck"};

fs::path archives() {
  const char* given = std::getenv("PLUME_IMAGE_ARCHIVES");
  return given != nullptr ? fs::path(given) : fs::path(PLUME_SOURCE_DIR).parent_path() / "shared" / "data";
}

fs::path sweep_file(const std::string& name) {
  return fs::path(PLUME_SOURCE_DIR) / "sweeps/paper" / (name + ".json");
}

/// The first 30 training and 10 test images of each class, and SPARK's sample.
void unpack_images(const TemporaryFolder& folder) {
  std::vector<std::string> command = {"tar", "-xf", (archives() / "cifar10-jpeg.tar.xz").string(), "--wildcards"};
  for (const std::string name : kCifarClasses) {
    command.push_back("train/" + name + "/00[0-2]?.jpg");
    command.push_back("test/" + name + "/000?.jpg");
  }
  fs::create_directory(folder / "cifar10");
  const auto cifar = Running(command, folder / "cifar10").wait();
  ASSERT_EQ(cifar.status, 0) << cifar.errors;
  const auto spark = Running({"tar", "-xf", (archives() / "spark2022-mini.tar.xz").string()}, folder.path()).wait();
  ASSERT_EQ(spark.status, 0) << spark.errors;
}

std::vector<std::string> arguments(const TemporaryFolder& folder) {
  return {"run",          sweep_file("all").string(),
          "--scale",      "quick",
          "--out",        "out",
          "--cache",      "cache",
          "--substitute", "cifar10=cifar10-jpeg",
          "--substitute", "spark2021=spark2022",
          "--substitute", "resnet50=efficientnet-lite0",
          "--substitute", "convnext-base=efficientnet-lite0",
          "--substitute", "vgg16=resnet50",  // one large network, untrained, is enough, and this is the quickest
          "--data",       "cifar10-jpeg=" + (folder / "cifar10").string(),
          "--data",       "cifar100=" + (folder / "cifar100").string(),
          "--data",       "spark2022=" + (folder / "spark2022-mini").string(),
          "--weights",    "efficientnet-lite0=" + real_weights().string()};
}

TEST(Paper, IsPlannedWithoutAnyData) {
  const TemporaryFolder folder;

  const auto plan =
      run_program({"plan", sweep_file("all").string()}, folder.path(), {"HOME=" + folder.path().string()});

  EXPECT_EQ(plan.status, 0) << plan.errors;
  EXPECT_THAT(plan.output, HasSubstr("820 distinct jobs out of 2,320 named"));
}

TEST(Paper, IsRunWithOneCommandUnderMpirunAndASecondCallDoesNoWork) {
  if (!fs::exists(archives() / "cifar10-jpeg.tar.xz")) GTEST_SKIP() << archives() << " is not part of the tree";
  const TemporaryFolder folder;
  unpack_images(folder);
  fs::create_directory(folder / "cifar100");
  write_cifar100_stand_in(folder / "cifar100");
  const auto command = under_mpirun(3, arguments(folder));

  const auto first = Running(command, folder.path()).wait(std::chrono::seconds(900));

  ASSERT_EQ(first.status, 0) << first.errors;
  const auto log = read_text(folder / "out/logs/run.log");
  EXPECT_THAT(log, AllOf(HasSubstr("worker 1: host"), HasSubstr("worker 2: host"))) << "a world of three";
  for (const std::string table : kTables) {
    const fs::path at = folder / "out/report/tables" / table;
    const auto json = nlohmann::json::parse(read_text(at.string() + ".json"));
    for (const auto& row : json.at("rows")) EXPECT_TRUE(row.contains("name")) << table;
    const auto markdown = read_text(at.string() + ".md");
    EXPECT_THAT(markdown, AllOf(HasSubstr("quick"), Not(HasSubstr("missing")), Not(HasSubstr("failed")))) << table;
    EXPECT_THAT(read_text(at.string() + ".csv"), AllOf(HasSubstr("withheld"), Not(HasSubstr("inside")))) << table;
    EXPECT_THAT(read_text(at.string() + ".tex"), HasSubstr("\\toprule")) << table;
  }
  EXPECT_THAT(read_text(folder / "out/report/tables/spark.md"),
              AllOf(HasSubstr("untrained"), HasSubstr("in place of spark2021"), HasSubstr("resnet50 (in place")));
  const fs::directory_iterator dumps(folder / "out/dumps");
  EXPECT_EQ(std::distance(begin(dumps), end(dumps)), 4) << "of the vector space figures";

  const auto second = Running(command, folder.path()).wait();
  EXPECT_EQ(second.status, 0) << second.errors;
  EXPECT_THAT(second.errors, HasSubstr("0 to run"));
  EXPECT_EQ(second.output, first.output);

  const auto latex =
      Running({"pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"}, folder / "out/report/tables")
          .wait();
  EXPECT_EQ(latex.status, 0) << latex.output;
  EXPECT_TRUE(fs::exists(folder / "out/report/tables/all.pdf"));
}

}  // namespace
}  // namespace tests
