// The whole program on real CIFAR-10 images, under mpirun, at the paper's width. Needs the archive of JPEG files, which
// is not part of the tree: $PLUME_IMAGE_ARCHIVES, or ../shared/data beside it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/end_to_end/program.hpp"
#include "tests/temporary_folder.hpp"

namespace tests {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

fs::path cifar10_archive() {
  const char* given = std::getenv("PLUME_IMAGE_ARCHIVES");
  return (given != nullptr ? fs::path(given) : fs::path(PLUME_SOURCE_DIR).parent_path() / "shared" / "data") /
         "cifar10-jpeg.tar.xz";
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

}  // namespace
}  // namespace tests
