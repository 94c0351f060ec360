// What a run says at its start of weights that are not what a reader would take them for.
#include "runner/weights_warning.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runner {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::Optional;

const std::string kMine = "1a2b3c4d" + std::string(56, '0');
const std::string kPapers = "0676ba61" + std::string(56, '0');

TEST(WeightsWarning, IsNoneForThePublishedFileUnderAnyName) {
  EXPECT_EQ(warning_about_weights("resnet50", "/w/resnet50-0676ba61.pth", kPapers), std::nullopt);
  EXPECT_EQ(warning_about_weights("resnet50", "/w/mine.safetensors", kPapers), std::nullopt);
}

TEST(WeightsWarning, SaysThatAnotherFileIsNotThePapers) {
  EXPECT_THAT(warning_about_weights("resnet50", "/w/mine.pth", kMine),
              Optional(std::string("backbone resnet50 does not have the paper's weights (resnet50-0676ba61.pth): the "
                                   "SHA-256 of /w/mine.pth begins with 1a2b3c4d; its rows are marked \"not the paper's "
                                   "weights\" and are not comparable with the paper's numbers")));
}

TEST(WeightsWarning, SaysThatAFileIsNotWhatItsNamePromises) {
  EXPECT_THAT(
      warning_about_weights("resnet50", "/w/resnet50-0676ba61.pth", kMine),
      Optional(AllOf(HasSubstr("begins with 1a2b3c4d, though its name promises 0676ba61: a damaged download, or "
                               "another file under that name; its rows are marked"))));
  EXPECT_THAT(warning_about_weights("efficientnet-lite0", "/w/efficientnet-lite0-57934424.pth", kMine),
              Optional(AllOf(HasSubstr("backbone efficientnet-lite0: the SHA-256 of /w/efficientnet-lite0-57934424.pth "
                                       "begins with 1a2b3c4d, though its name promises 57934424"),
                             Not(HasSubstr("paper")))));
  EXPECT_EQ(warning_about_weights("efficientnet-lite0", "/w/mine.pth", kMine), std::nullopt);
}

TEST(WeightsWarning, SaysThatRandomWeightsAreUntrained) {
  EXPECT_THAT(warning_about_weights("vgg16", "random:0", "random:0"),
              Optional(AllOf(HasSubstr("backbone vgg16 has random weights, which nobody trained"),
                             HasSubstr("marked \"untrained\""))));
}

TEST(WeightsWarning, NamesTheFileThatIsNowhereAndHowToGiveIt) {
  EXPECT_EQ(
      warning_about_missing_weights("resnet50", "quick", "WHY"),
      "backbone resnet50 runs untrained on random:0, because the scale is quick and its weights "
      "(resnet50-0676ba61.pth) are nowhere: WHY; its rows are marked \"untrained\"; give --weights resnet50=FILE, "
      "or \"weights\": {\"resnet50\": \"FILE\"} in a site file");
}

}  // namespace
}  // namespace runner
