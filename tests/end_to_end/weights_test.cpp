// Whose weights are they, are they whole, and do tables say so? The real program, on real and on made-up weight files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/end_to_end/program.hpp"
#include "tests/end_to_end/weight_files.hpp"
#include "tests/temporary_folder.hpp"

namespace tests {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

std::ptrdiff_t count_of(const std::string& text, const std::string& part) {
  std::ptrdiff_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

class CheckWeights : public testing::Test {
 protected:
  /// plume-bench check weights `backbone` [--weights BACKBONE=`weights`] `more`.
  Ended check(const std::string& backbone, const std::string& weights, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"check", "weights", backbone});
    if (!weights.empty()) more.insert(more.end(), {"--weights", backbone + "=" + weights});
    return run_program(more, folder_.path(), {"TORCH_HOME=" + (folder_ / "torch").string()});
  }
  static void expect_refused(const Ended& ended, int status, const std::string& what) {
    EXPECT_EQ(ended.status, status) << ended.output << ended.errors;
    EXPECT_THAT(ended.errors, AllOf(StartsWith("plume-bench: "), HasSubstr(what)));
    EXPECT_EQ(count_of(ended.errors, "\n"), 1) << ended.errors;
  }
  TemporaryFolder folder_;
};

TEST_F(CheckWeights, SaysEveryFactOfThePublishedFileInOrder) {
  const auto file = real_weights().string();
  const auto ended = check("efficientnet-lite0", file, {"--threads", "1"});

  EXPECT_EQ(ended.status, 0);
  EXPECT_THAT(ended.errors, IsEmpty());
  EXPECT_THAT(ended.output,
              StartsWith("Weights of efficientnet-lite0\n"
                         "  file      " +
                         file +
                         "\n"
                         "            found by --weights\n"
                         "  size      18.0 MiB (18,826,032 bytes)\n"
                         "  SHA-256   579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db\n"
                         "            the published efficientnet-lite0-57934424.pth; no backbone of the paper\n"
                         "  format    PyTorch legacy\n"
                         "  tensors   296 (247 float32, 49 int64), 4,694,073 numbers in all\n"
                         "  used      245 tensors; 51 passed over (2 of the classifier, 49 counters)\n"
                         "  forward   [32, 3, 224, 224] -> [32, 1280] in "));
  EXPECT_THAT(ended.output, ContainsRegex("in [0-9.]+ s: [0-9.]+ images/s on 1 thread\n"
                                          "  outputs   finite, not constant: from 0 to [0-9.]+\n"
                                          "Good: efficientnet-lite0 runs on these weights.\n$"));
}

TEST_F(CheckWeights, ListsEveryTensor) {
  const auto ended = check("efficientnet-lite0", real_weights().string(), {"--list"});

  EXPECT_EQ(ended.status, 0) << ended.errors;
  EXPECT_THAT(ended.output, ContainsRegex("\n            _conv_stem.weight +float32   \\[32, 3, 3, 3\\]\n"
                                          "            _bn0.weight +float32   \\[32\\]\n"));
  EXPECT_THAT(ended.output, ContainsRegex("\n            _bn0.num_batches_tracked +int64     \\[\\]\n"));
  EXPECT_EQ(count_of(ended.output, "float32   ["), 247);
}

TEST_F(CheckWeights, TakesRandomOnes) {
  const auto ended = check("resnet50", "random:0", {"--threads", "2"});

  EXPECT_EQ(ended.status, 0) << ended.errors;
  EXPECT_THAT(ended.output, AllOf(HasSubstr("  file      random:0\n            found by --weights\n"),
                                  HasSubstr("  SHA-256   none: untrained"),
                                  HasSubstr("used      265 tensors; 55 passed over (2 of the classifier, 53 counters)"),
                                  HasSubstr("[32, 3, 224, 224] -> [32, 2048]"), HasSubstr("Good: resnet50 runs")));
}

TEST_F(CheckWeights, SaysWhatItFoundOfATruncatedFileBeforeTheError) {
  auto bytes = read_text(real_weights());
  bytes.resize(9'000'000);
  write_text(folder_ / "efficientnet-lite0-57934424.pth", bytes);
  const auto ended = check("efficientnet-lite0", "efficientnet-lite0-57934424.pth");

  expect_refused(ended, 1, "efficientnet-lite0-57934424.pth: truncated: the file ends in the middle of");
  EXPECT_THAT(ended.output,
              AllOf(HasSubstr("  size      8.6 MiB (9,000,000 bytes)\n"),
                    HasSubstr("\n            not the published ones: those begin with 57934424; no backbone of the "
                              "paper\n            its name promises 57934424: a damaged download, or another file "
                              "under that name\n  format    PyTorch legacy\n"),
                    Not(HasSubstr("tensors"))));
}

TEST_F(CheckWeights, NamesTenTensorsOfAnotherNetworkAndTheirTotal) {
  const auto ended = check("resnet50", real_weights().string());

  expect_refused(ended, 1, "the weights do not fit the network, 512 tensors differ: conv1.weight is missing; ");
  EXPECT_EQ(count_of(ended.errors, " is missing"), 10);
  EXPECT_THAT(ended.errors, HasSubstr("; and 502 more\n"));
  EXPECT_THAT(ended.output,
              AllOf(HasSubstr("\n            not the paper's: those begin with 0676ba61\n            they are the "
                              "published efficientnet-lite0-57934424.pth of efficientnet-lite0\n"),
                    HasSubstr("  tensors   296 ("), Not(HasSubstr("forward"))));
}

TEST_F(CheckWeights, RefusesOnesThatGiveTheSameFeaturesForEveryImage) {
  write_formula_weights(folder_ / "zeros.safetensors", "efficientnet_lite0", 0);
  const auto ended = check("efficientnet-lite0", "zeros.safetensors");

  expect_refused(ended, 1,
                 "zeros.safetensors: efficientnet-lite0 with these weights gives the same outputs for all of "
                 "32 images");
  EXPECT_THAT(ended.output, AllOf(HasSubstr("  format    safetensors\n"), HasSubstr("  tensors   247 (247 bfloat16)"),
                                  HasSubstr("  forward   "), Not(HasSubstr("outputs  ")), Not(HasSubstr("Good"))));
}

TEST_F(CheckWeights, SaysWhatAFileIsThatIsNoWeightFile) {
  write_text(folder_ / "page.pth", "<!DOCTYPE html><title>Sign in</title>");
  expect_refused(check("vgg16", "page.pth"), 1, "page.pth: an HTML or XML page saved in place of the weights");
}

TEST_F(CheckWeights, SaysWhereMissingOnesWereSoughtAndHowToGiveThem) {
  const auto nowhere = check("resnet50", "");
  expect_refused(nowhere, 2,
                 "neither --weights nor a site file names a file, and " +
                     (folder_ / "torch/hub/checkpoints/resnet50-0676ba61.pth").string());
  EXPECT_THAT(nowhere.errors, AllOf(HasSubstr("give --weights resnet50=FILE, or \"weights\": {\"resnet50\": \"FILE\"}"),
                                    HasSubstr("--weights resnet50=random:0 runs it untrained")));
  EXPECT_THAT(nowhere.output, IsEmpty());
  expect_refused(check("resnet50", "none.pth"), 2, (folder_ / "none.pth").string() + " is not there");
  expect_refused(check("resnet50", "."), 2, "is a folder, not a file");
  expect_refused(check("vgg16", "", {"--weights", "vgg16="}), 2, "--weights: expected NAME=PATH, found \"vgg16=\"");
}

TEST_F(CheckWeights, AnswersWrongUsageWithTheRightOne) {
  const auto run = [&](const std::vector<std::string>& arguments) { return run_program(arguments, folder_.path()); };
  expect_refused(run({"check", "weights", "resnet5"}), 2, "unknown backbone \"resnet5\" (did you mean \"resnet50\"?)");
  expect_refused(run({"check", "weights", "raw32"}), 2, "\"raw32\" is no backbone");
  expect_refused(
      run({"check", "weights"}), 2,
      "check weights: whose? Expected a backbone, efficientnet-lite0, resnet50, vgg16 or convnext-base; e.g. "
      "plume-bench check weights resnet50");
  expect_refused(run({"check"}), 2, "check: a word is missing after it: data or weights; see plume-bench check --help");
  expect_refused(run({"check", "wieghts"}), 2, "wieghts: no such command after \"check\" (did you mean \"weights\"?)");
  expect_refused(run({"check", "weights", "resnet50", "--lsit"}), 2, "--lsit (did you mean \"--list\"?)");
  expect_refused(run({"check", "weights", "vgg16", "--weights", "resnet50=x"}), 2,
                 "--weights resnet50=x: only those of vgg16 are checked here; write --weights vgg16=x");
  const auto help = run({"check", "--help"});
  EXPECT_EQ(help.status, 0);
  EXPECT_THAT(help.output, AllOf(HasSubstr("weights"), HasSubstr("plume-bench check weights resnet50")));
}

/// One training and one baseline through ResNet-50, on 2 x (3 + 2) images.
constexpr const char* kTinySweep = R"({"version": 1, "name": "tiny",
  "datasets": {"synthetic": {"kind": "synthetic", "classes": 2, "train_per_class": 3, "test_per_class": 2}},
  "blocks": [
    {"dataset": "synthetic", "backbone": "resnet50", "lr": 0.001, "dimension": 384, "epochs": 1, "guidance": "none"},
    {"dataset": "synthetic", "backbone": "resnet50", "method": "knn", "k": 2}],
  "tables": [{"id": "tiny"}]})";

class MarkedRun : public testing::Test {
 protected:
  MarkedRun() { write_text(folder_ / "sweep.json", kTinySweep); }
  Ended run(const std::vector<std::string>& more, const std::vector<std::string>& environment = {}) {
    std::vector<std::string> arguments = {"run", "sweep.json", "--out", "out", "--cache", "cache", "--workers", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments, folder_.path(), environment);
  }
  std::string report(const std::string& file) const { return read_text(folder_ / ("out/report/" + file)); }
  TemporaryFolder folder_;
};

TEST_F(MarkedRun, CallsRandomWeightsUntrainedInEveryRowOfEveryForm) {
  const auto ended = run({"--weights", "resnet50=random:0"});

  ASSERT_EQ(ended.status, 0) << ended.errors;
  EXPECT_THAT(ended.errors, HasSubstr("backbone resnet50 has random weights, which nobody trained"));
  EXPECT_THAT(ended.output, AllOf(HasSubstr("\nlinear-map (untrained) "), HasSubstr("\nknn raw (untrained) ")));
  EXPECT_THAT(report("tables/tiny.md"),
              AllOf(HasSubstr("| linear-map (untrained) |"), HasSubstr("| knn raw (untrained)    |"),
                    HasSubstr("untrained (resnet50 random:0): not comparable")));
  EXPECT_EQ(count_of(report("tables/tiny.csv"), ",untrained,percent,"), 24) << "2 rows x (2 classes, mean) x 4 modes";
  EXPECT_EQ(count_of(report("epochs.csv"), ",untrained,0,"), 4) << "2 jobs a class";
  EXPECT_EQ(count_of(report("shares.csv"), ",0,untrained,"), 8) << "2 trainings x 2 classes x (best, last)";
  EXPECT_EQ(run_program({"report", "out"}, folder_.path()).output, ended.output) << "from the journal alone";
}

TEST_F(MarkedRun, SaysThatAFileUnderThePublishedNameIsNotThePapers) {
  write_formula_weights(folder_ / "hub/checkpoints/resnet50-0676ba61.pth", "resnet50");
  const auto ended = run({}, {"TORCH_HOME=" + folder_.path().string()});

  ASSERT_EQ(ended.status, 0) << ended.errors;
  EXPECT_THAT(ended.errors, AllOf(HasSubstr("backbone resnet50 does not have the paper's weights"),
                                  HasSubstr("though its name promises 0676ba61: a damaged download, or another file")));
  EXPECT_THAT(
      ended.output,
      AllOf(HasSubstr("\nlinear-map (not the paper's weights) "), HasSubstr("\nknn raw (not the paper's weights) "),
            ContainsRegex("Weights: linear-map; knn raw: not the paper's weights \\(resnet50 [0-9a-f]{8}, the")));
  EXPECT_EQ(count_of(report("tables/tiny.csv"), ",other,percent,"), 24);
}

}  // namespace
}  // namespace tests
