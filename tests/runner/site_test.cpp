// Where data, weights and cache are.
#include "runner/site.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/error.hpp"
#include "tests/temporary_folder.hpp"

namespace runner {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const storage::UsageError& error) {
    return error.what();
  }
  return "(not refused)";
}

SiteFlags with_file(const tests::TemporaryFolder& folder, const std::string& text) {
  tests::write_text(folder / "my-site.json", text);
  SiteFlags flags;
  flags.site = folder / "my-site.json";
  return flags;
}

TEST(Site, PathsOfTheFileAreRelativeToItsFolder) {
  const tests::TemporaryFolder folder;
  const auto site = read_site(
      with_file(folder, R"({"version":1,"cache":"features","data":{"cifar10":"images/c10","far":"/data/far"}})"));
  EXPECT_EQ(site.cache, folder / "features");
  EXPECT_EQ(site.data_root("cifar10"), folder / "images/c10");
  EXPECT_EQ(site.data_root("far"), "/data/far");
}

TEST(Site, FlagsOverrideTheFile) {
  const tests::TemporaryFolder folder;
  auto flags = with_file(folder, R"({"version":1,"data":{"cifar10":"a"}})");
  flags.data["cifar10"] = "/b";
  EXPECT_EQ(read_site(flags).data_root("cifar10"), "/b");
}

TEST(Site, AMissingFolderNamesEveryWayToGiveIt) {
  const tests::TemporaryFolder folder;
  const auto site = read_site(with_file(folder, R"({"version":1})"));
  EXPECT_THAT(refusal([&] { site.data_root("cifar10"); }),
              AllOf(HasSubstr("\"cifar10\""), HasSubstr("--data cifar10=FOLDER"), HasSubstr("my-site.json")));
}

TEST(Site, MissingWeightsNameTheFileThatWasSought) {
  const tests::TemporaryFolder folder;
  auto flags = with_file(folder, R"({"version":1})");
  flags.weights["efficientnet-lite0"] = (folder / "none.pth").string();
  const auto site = read_site(flags);
  EXPECT_THAT(refusal([&] { site.weights_file("efficientnet-lite0", "published.pth"); }),
              AllOf(HasSubstr("none.pth is not there"), HasSubstr("--weights efficientnet-lite0=FILE"),
                    HasSubstr("published.pth")));
}

TEST(Site, RandomWeightsAreNoPath) {
  const tests::TemporaryFolder folder;
  auto flags = with_file(folder, R"({"version":1,"weights":{"resnet50":"random:7","vgg16":"./random:7"}})");
  flags.weights["convnext-base"] = "random:0";
  const auto site = read_site(flags);
  EXPECT_EQ(site.weights_file("resnet50", "published.pth"), "random:7");
  EXPECT_EQ(site.weights_file("convnext-base", "published.pth"), "random:0");
  EXPECT_EQ(site.weights.at("vgg16"), folder / "random:7");
}

TEST(Site, RandomWeightsWithoutASeedNameTheKeyOfTheFile) {
  const tests::TemporaryFolder folder;
  EXPECT_THAT(
      refusal([&] { read_site(with_file(folder, R"({"version":1,"weights":{"resnet50":"random:x"}})")); }),
      AllOf(HasSubstr("my-site.json: weights.resnet50: "), HasSubstr("expected random:SEED"), HasSubstr("0 to 9999")));
}

TEST(Site, AnUnknownKeyIsRefusedWithTheNearestRightOne) {
  const tests::TemporaryFolder folder;
  EXPECT_THAT(refusal([&] { read_site(with_file(folder, R"({"version":1,"weigths":{}})")); }),
              AllOf(HasSubstr("weigths"), HasSubstr("weights")));
  EXPECT_THAT(refusal([&] { read_site(with_file(folder, R"({"version":2})")); }), HasSubstr("version"));
}

TEST(Site, AnAssignmentNeedsBothSides) {
  EXPECT_EQ(split_assignment("--data", "a=b=c"), (std::pair<std::string, std::string>{"a", "b=c"}));
  for (const char* bad : {"a", "=b", "a=", ""}) {
    EXPECT_THAT(refusal([&] { split_assignment("--data", bad); }), HasSubstr("--data: expected NAME=PATH")) << bad;
  }
}

}  // namespace
}  // namespace runner
