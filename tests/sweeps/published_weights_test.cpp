// Whose weights are these? The hash decides, not the name.
#include "sweeps/published_weights.hpp"

#include <gtest/gtest.h>

namespace sweeps {
namespace {

/// A SHA-256 that begins so.
std::string sha(const std::string& begin) {
  return begin + std::string(64 - begin.size(), 'e');
}

TEST(PublishedWeights, AreThePapersByTheBeginningOfTheirHash) {
  EXPECT_EQ(kind_of_weights("resnet50", sha("0676ba61")), WeightsKind::paper);
  EXPECT_EQ(kind_of_weights("vgg16", sha("397923af")), WeightsKind::paper);
  EXPECT_EQ(kind_of_weights("convnext-base", sha("6075fbad")), WeightsKind::paper);
  EXPECT_EQ(kind_of_weights("resnet50", sha("0676ba60")), WeightsKind::other);
  EXPECT_EQ(kind_of_weights("resnet50", sha("397923af")), WeightsKind::other) << "VGG16's";
  EXPECT_EQ(kind_of_weights("resnet50", "random:0"), WeightsKind::untrained);
  EXPECT_EQ(kind_of_weights("", ""), WeightsKind::none) << "no backbone, no weights";
}

TEST(PublishedWeights, OfAnotherBackboneAreNotThePapers) {
  const std::string all = "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db";
  EXPECT_EQ(kind_of_weights("efficientnet-lite0", all), WeightsKind::other);
  EXPECT_TRUE(is_published(backbone_facts("efficientnet-lite0"), all));
  EXPECT_FALSE(is_published(backbone_facts("efficientnet-lite0"), sha("57934424"))) << "all of its hash is known";
}

TEST(PublishedWeights, AreNamedByTheTableWithTheHashThatTheyHave) {
  for (const auto& facts : known_backbones()) {
    EXPECT_TRUE(facts.weights_file.ends_with("-" + facts.weights_hash.substr(0, 8) + ".pth")) << facts.name;
    EXPECT_EQ(facts.in_paper, facts.name != "efficientnet-lite0");
  }
}

TEST(PublishedWeights, AreRecordedAsAHashASeedOrNothing) {
  for (const auto& good : {sha("0"), std::string("random:0"), std::string("random:9999"), std::string()}) {
    EXPECT_TRUE(is_weights_identity(good)) << good;
  }
  for (const auto& bad : {sha("0") + "0", sha("0").substr(1), sha("A"), std::string("random:"),
                          std::string("random:01"), std::string("resnet50")}) {
    EXPECT_FALSE(is_weights_identity(bad)) << bad;
  }
  EXPECT_EQ(short_name_of_weights(sha("1a2b3c4d")), "1a2b3c4d");
  EXPECT_EQ(short_name_of_weights("random:9999"), "random:9999");
}

TEST(PublishedWeights, DoNotKeepWhatTheNameOfADamagedFilePromises) {
  const auto& resnet = backbone_facts("resnet50");
  const std::string broken = "its name promises 0676ba61: a damaged download, or another file under that name";

  EXPECT_EQ(broken_promise(resnet, "resnet50-0676ba61.pth", sha("1")), broken);
  EXPECT_EQ(broken_promise(resnet, "resnet50-0676ba61.pth", sha("0676ba61")), "");
  EXPECT_EQ(broken_promise(resnet, "mine-0676ba61.pth", sha("1")), broken) << "torchvision's form of names";
  EXPECT_EQ(broken_promise(backbone_facts("efficientnet-lite0"), "efficientnet-lite0-57934424.pth", sha("1")),
            "its name promises 57934424: a damaged download, or another file under that name");
  for (const char* name : {"resnet50.pth", "resnet50-20240131.pth", "resnet50-0676BA61.pth", "resnet50-0676ba6.pth",
                           "resnet50_0676ba61.pth", "-0676ba61.pth", "resnet50-0676ba61.safetensors", ""}) {
    EXPECT_EQ(broken_promise(resnet, name, sha("1")), "") << name;
  }
}

}  // namespace
}  // namespace sweeps
