// Images that cannot be read, through the real binary: skipped where the sweep allows it, never without a word.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/feature_file.hpp"
#include "tests/datasets/jpeg_writer.hpp"
#include "tests/end_to_end/program.hpp"
#include "tests/temporary_folder.hpp"

namespace tests {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Two classes of ten training images and two test images.
class UnreadableImages : public testing::Test {
 protected:
  UnreadableImages() {
    for (int i = 0; i < 10; ++i) {
      for (const char* name : {"cat", "dog"}) write_text(file("train", name, i), picture(i));
    }
    for (int i = 0; i < 2; ++i) {
      for (const char* name : {"cat", "dog"}) write_text(file("test", name, i), picture(10 + i));
    }
  }
  static std::string picture(int i) { return datasets_test::jpeg(16, 12 + i, 10 * i); }
  fs::path file(const std::string& split, const std::string& name, int i) const {
    return folder_ / ("pets/" + split + "/" + name + "/" + std::to_string(i) + ".jpg");
  }
  Ended run(const std::string& skip) {
    write_text(
        folder_ / "sweep.json",
        R"({"version": 1, "name": "s", "datasets": {"pets": {"kind": "image-folder", "skip": )" + skip +
            R"(}}, "blocks": [{"dataset": "pets", "backbone": "efficientnet-lite0", "method": "knn", "k": 1}]})");
    return run_program({"run", "sweep.json", "--out", "out", "--cache", "cache", "--workers", "1", "--threads", "1",
                        "--data", "pets=" + (folder_ / "pets").string(), "--weights", "efficientnet-lite0=random:0"},
                       folder_.path());
  }
  std::string log() const { return read_text(folder_ / "out/logs/run.log"); }
  std::vector<std::int64_t> rows_in_cache() const {
    std::vector<std::int64_t> rows;
    for (const auto& entry : fs::directory_iterator(folder_ / "cache")) {
      if (entry.path().extension() == ".h5") rows.push_back(storage::read_feature_header(entry.path()).row_count);
    }
    return rows;
  }
  TemporaryFolder folder_;
};

TEST_F(UnreadableImages, AreSkippedAndNamedUpToTheShareThatTheSweepAllows) {
  write_text(file("train", "cat", 3), "no picture");
  write_text(file("train", "dog", 5), picture(5).substr(0, 300));
  const std::string why = file("train", "cat", 3).string();
  const auto refused = run("0.05");
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.errors, HasSubstr("plume-bench: pets: 2 of 20 train images cannot be read, and \"skip\": 0.05 of "
                                        "its entry under \"datasets\" allows fewer; first: " +
                                        why));
  const auto done = run("0.1");
  EXPECT_EQ(done.status, 0) << done.errors;
  EXPECT_THAT(done.output, HasSubstr("- Left out, because they cannot be read: 2 of 20 train images."));
  EXPECT_EQ(run_program({"report", "out"}, folder_.path()).output, done.output);
  EXPECT_EQ(run("0.1").output, done.output) << "with a scan that is kept";
  EXPECT_THAT(done.errors, HasSubstr("pets: 2 of 20 train images are skipped: 1 cat, 1 dog; first: " + why));
  EXPECT_THAT(done.errors, Not(HasSubstr("scan: 0"))) << "the images were scanned by the run that was refused";
  EXPECT_THAT(log(), AllOf(HasSubstr("pets: skipped train/cat/3.jpg: " + why),
                           HasSubstr("pets: skipped train/dog/5.jpg: " + file("train", "dog", 5).string())));
  EXPECT_THAT(rows_in_cache(), testing::UnorderedElementsAre(18, 4));
}

TEST_F(UnreadableImages, EndARunThatMaySkipNone) {
  write_text(file("test", "dog", 0), "no picture");
  const auto ended = run("0");
  EXPECT_EQ(ended.status, 1);
  const auto named = file("test", "dog", 0).string();
  EXPECT_THAT(ended.errors, HasSubstr("plume-bench: " + named));
  // No run.json yet: what is known is what the run said of its end.
  EXPECT_THAT(run_program({"status", "out"}, folder_.path()).output,
              AllOf(HasSubstr(": broke "), HasSubstr("because: " + named), HasSubstr("once that is mended, the same "),
                    HasSubstr("plume-bench run sweep.json --out out")));
  const auto explained = run_program({"explain", "out", "knn/pets/cat"}, folder_.path());
  EXPECT_EQ(explained.status, 2);
  EXPECT_THAT(explained.errors, AllOf(HasSubstr("no job of out is known yet"), HasSubstr("because: " + named),
                                      HasSubstr("plume-bench run sweep.json --out out")));
}

TEST_F(UnreadableImages, ThatLeaveAClassWithoutRowsToTrainOnEndTheRunInOneLine) {
  for (int i = 0; i < 9; ++i) write_text(file("train", "cat", i), "no picture");
  const auto ended = run("0.5");
  EXPECT_EQ(ended.status, 1);
  EXPECT_THAT(ended.errors, HasSubstr("plume-bench: pets: normal class \"cat\" has 1 training row(s) left"));
}

}  // namespace
}  // namespace tests
