// Where data, weights and cache are.
#include "runner/site.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

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
              AllOf(HasSubstr("\"cifar10\""), HasSubstr("--data cifar10=PATH"), HasSubstr("my-site.json")));
}

/// An environment variable for the length of a test; nullptr: not set.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    set(value);
  }
  ~Variable() { set(before_ ? before_->c_str() : nullptr); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  void set(const char* value) { value != nullptr ? setenv(name_, value, 1) : unsetenv(name_); }
  const char* name_;
  std::optional<std::string> before_;
};

TEST(Site, WeightsLieInTorchsHubFolderWhereTorchItselfLooks) {
  const Variable home("HOME", "/home/me");
  {
    const Variable torch("TORCH_HOME", nullptr), caches("XDG_CACHE_HOME", nullptr);
    EXPECT_EQ(torch_hub_folder(), "/home/me/.cache/torch/hub/checkpoints");
  }
  {
    const Variable torch("TORCH_HOME", nullptr), caches("XDG_CACHE_HOME", "/scratch/caches");
    EXPECT_EQ(torch_hub_folder(), "/scratch/caches/torch/hub/checkpoints");
  }
  const Variable caches("XDG_CACHE_HOME", "/scratch/caches");
  for (const auto& [value, folder] :
       {std::pair{"/models", "/models/hub/checkpoints"}, std::pair{"~/models", "/home/me/models/hub/checkpoints"},
        std::pair{"~", "/home/me/hub/checkpoints"}, std::pair{"/~/models", "/~/models/hub/checkpoints"}}) {
    const Variable torch("TORCH_HOME", value);
    EXPECT_EQ(torch_hub_folder(), folder);
  }
  const Variable torch("TORCH_HOME", "");
  EXPECT_EQ(torch_hub_folder(), std::filesystem::current_path() / "hub/checkpoints") << "as torch takes it";
}

TEST(Site, WeightsAreFoundByFlagThenSiteFileThenHubFolder) {
  const tests::TemporaryFolder folder;
  const Variable torch("TORCH_HOME", folder.path().c_str());
  for (const char* file : {"flag.pth", "site.pth", "hub/checkpoints/published.pth"}) {
    tests::write_text(folder / file, "weights");
  }
  auto flags = with_file(folder, R"({"version":1,"weights":{"resnet50":"site.pth","vgg16":"site.pth"}})");
  flags.weights["resnet50"] = (folder / "flag.pth").string();
  const auto site = read_site(flags);

  const auto by_flag = site.find_weights("resnet50", "published.pth");
  EXPECT_EQ(by_flag.file, folder / "flag.pth");
  EXPECT_EQ(by_flag.by, "--weights");
  const auto by_site = site.find_weights("vgg16", "published.pth");
  EXPECT_EQ(by_site.file, folder / "site.pth");
  EXPECT_EQ(by_site.by, "site file " + (folder / "my-site.json").string());
  const auto by_hub = site.find_weights("convnext-base", "published.pth");
  EXPECT_EQ(by_hub.file, folder / "hub/checkpoints/published.pth");
  EXPECT_EQ(by_hub.by, "its published name in torch's hub folder");
}

TEST(Site, MissingWeightsNameTheFileThatWasSoughtAndEveryWayToGiveIt) {
  const tests::TemporaryFolder folder;
  const Variable torch("TORCH_HOME", folder.path().c_str());
  auto flags = with_file(folder, R"({"version":1,"weights":{"vgg16":"gone.pth"}})");
  flags.weights["efficientnet-lite0"] = (folder / "none.pth").string();
  const auto site = read_site(flags);
  const auto hub = (folder / "hub/checkpoints").string();

  EXPECT_EQ(refusal([&] { site.weights_file("resnet50", "published.pth"); }),
            "weights of resnet50: neither --weights nor " + (folder / "my-site.json").string() + " names a file, and " +
                hub +
                "/published.pth in torch's hub folder is not there; give --weights "
                "resnet50=FILE, or \"weights\": {\"resnet50\": \"FILE\"} in a site file, or put the published file "
                "there; --weights resnet50=random:0 runs it untrained, to try the set-up");
  EXPECT_THAT(refusal([&] { site.weights_file("efficientnet-lite0", "published.pth"); }),
              AllOf(HasSubstr("/none.pth is not there (--weights names it); give --weights efficientnet-lite0=FILE"),
                    HasSubstr("and put published.pth into torch's hub folder " + hub)));
  EXPECT_THAT(refusal([&] { site.weights_file("vgg16", "published.pth"); }),
              HasSubstr((folder / "gone.pth").string() + " is not there (site file " +
                        (folder / "my-site.json").string() + " names it)"));
}

TEST(Site, WhatIsNoReadableFileIsCalledWhatItIs) {
  const tests::TemporaryFolder folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
  tests::write_text(folder / "secret.pth", "weights");
  std::filesystem::permissions(folder / "secret.pth", std::filesystem::perms::none);
  std::filesystem::create_symlink("loop.pth", folder / "loop.pth");
  mkfifo((folder / "pipe.pth").c_str(), 0666);
  const auto site_with = [&](const std::filesystem::path& weights) {
    SiteFlags flags = with_file(folder, R"({"version":1})");
    flags.weights["resnet50"] = weights.string();
    return read_site(flags);
  };
  const auto refusal_of = [&](const Site& site) {
    return refusal([&] { site.weights_file("resnet50", "published.pth"); });
  };

  EXPECT_THAT(refusal_of(site_with(folder.path())), HasSubstr(folder.path().string() + " is a folder, not a file"));
  EXPECT_THAT(refusal_of(site_with(folder / "pipe.pth")), HasSubstr("pipe.pth is not a file"));
  EXPECT_THAT(refusal_of(site_with(folder / "loop.pth")), HasSubstr("loop.pth cannot be looked at: Too many levels"));
  const Site secret = site_with(folder / "secret.pth");
  const auto user = geteuid();
  ASSERT_EQ(seteuid(user == 0 ? 65534 : user), 0);  // root may read everything
  const auto unreadable = refusal_of(secret);
  ASSERT_EQ(seteuid(user), 0);
  EXPECT_THAT(unreadable, HasSubstr("secret.pth cannot be read: Permission denied (--weights names it)"));
}

TEST(Site, WeightsOfTheFileNeedAPathAndABackboneThatIsKnown) {
  const tests::TemporaryFolder folder;
  EXPECT_THAT(refusal([&] { read_site(with_file(folder, R"({"version":1,"weights":{"resnet50":""}})")); }),
              HasSubstr("my-site.json: weights.resnet50: expected the path of a weight file, or random:SEED, found"));
  EXPECT_THAT(refusal([&] { read_site(with_file(folder, R"({"version":1,"weights":{"resent50":"x.pth"}})")); }),
              HasSubstr("my-site.json: weights.resent50: unknown backbone \"resent50\" (did you mean \"resnet50\"?)"));
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
