// Identities of feature sets.
#include "workers/feature_set.hpp"

#include <gtest/gtest.h>

#include <set>

#include "tests/workers/scanned_images.hpp"

namespace workers {
namespace {

using sweeps::Normalisation;

const std::vector<std::string> kClasses = {"cat", "dog"};

TEST(Identity, ChangesWithEverythingThatTheRowsDependOn) {
  const auto scan = merge_scan(kClasses, {0, 1}, {image(0, 10, 1), image(20, 30, 2)}, {});
  const auto other_pixels = merge_scan(kClasses, {0, 1}, {image(0, 10, 1), image(20, 30, 3)}, {});
  const auto other_labels = merge_scan(kClasses, {1, 0}, {image(0, 10, 1), image(20, 30, 2)}, {});
  const ChannelStatistics s{{0.1, 0.2, 0.3}, {1, 1, 1}};
  const ChannelStatistics t{{0.1, 0.2, 0.4}, {1, 1, 1}};
  const auto id = [](const SplitScan& scanned, datasets::Split split, std::optional<std::int64_t> rows,
                     const std::string& backbone, const std::string& weights, const ChannelStatistics& numbers,
                     int size) {
    return feature_set_id(identity_of(scanned, split, rows, backbone, weights, Normalisation::dataset, numbers, size));
  };
  using datasets::Split;
  const std::set<std::string> ids = {
      id(scan, Split::train, {}, "b", "w", s, 224),
      id(other_pixels, Split::train, {}, "b", "w", s, 224),
      id(other_labels, Split::train, {}, "b", "w", s, 224),
      id(scan, Split::test, {}, "b", "w", s, 224),
      id(scan, Split::train, 5, "b", "w", s, 224),
      id(scan, Split::train, {}, "c", "w", s, 224),
      id(scan, Split::train, {}, "b", "x", s, 224),
      id(scan, Split::train, {}, "b", "w", t, 224),
      id(scan, Split::train, {}, "b", "w", s, 256),
      feature_set_id(identity_of(scan, Split::train, {}, "b", "w", Normalisation::dataset, s, 224, 512)),
  };
  EXPECT_EQ(ids.size(), 10U);
  EXPECT_EQ(ids.begin()->size(), 32U);
}

TEST(Identity, OfImagesHoldsWhatTheBytesDependOnAndNothingElse) {
  auto scan = merge_scan(kClasses, {0, 1}, {image(0, 10, 1), image(20, 30, 2)}, {});
  scan.content_digest = "c0ffee";
  EXPECT_EQ(identity_of_images(scan, datasets::Split::test, 5),
            R"({"backbone":"raw32","content":"c0ffee","format":1,"rows_per_class":5,"size":32,"split":"test"})");
  EXPECT_EQ(identity_of_features(scan, datasets::Split::test, 5, 768),
            R"({"backbone":"features","content":"c0ffee","format":1,"length":768,"rows_per_class":5,"split":"test"})");
  EXPECT_EQ(identity_of_images(scan, datasets::Split::train, {}),
            R"({"backbone":"raw32","content":"c0ffee","format":1,"size":32,"split":"train"})");
}

/// Sets in the caches of earlier versions stay what they are.
TEST(Identity, OfADataSetWithoutAFirstSquareIsWhatItAlwaysWas) {
  auto scan = merge_scan(kClasses, {0, 1}, {image(0, 10, 1), image(20, 30, 2)}, {});
  EXPECT_EQ(scan.content_digest, "a3bc1ca1673243ae5f3232cf071f1d48");
  const auto text = identity_of(scan, datasets::Split::train, 5, "resnet50", "random:7", Normalisation::normal_class,
                                statistics_for(Normalisation::normal_class, scan, {1}), 224);
  EXPECT_EQ(
      text,
      R"({"backbone":"resnet50","content":"a3bc1ca1673243ae5f3232cf071f1d48","format":1,"mean")"
      R"(:[0.09803921568627451,0.0392156862745098,0.5],"normalisation":"normal-class","rows_per_class":5,"size":224,"split":"train","std":[0.0196078431372549,0,0.5],"weights":"random:7"})");
  EXPECT_EQ(feature_set_id(text), "dc665eb54dc10ecc6f333c7f1a5ae2a0");
}

TEST(Identity, NamesTheFirstSquareBetweenItsOtherKeys) {
  auto scan = merge_scan(kClasses, {0}, {image(0, 10)}, {});
  scan.content_digest = "c0ffee";
  EXPECT_EQ(identity_of_images(scan, datasets::Split::train, {}, 512),
            R"({"backbone":"raw32","content":"c0ffee","first_square":512,"format":1,"size":32,"split":"train"})");
  EXPECT_EQ(identity_of(scan, datasets::Split::train, {}, "b", "w", Normalisation::imagenet, {}, 224, 512),
            R"({"backbone":"b","content":"c0ffee","first_square":512,"format":1,"mean":[0,0,0],)"
            R"("normalisation":"imagenet","size":224,"split":"train","std":[0,0,0],"weights":"w"})");
}

TEST(RowKind, IsImagesForRaw32AndFeaturesForEveryBackbone) {
  EXPECT_EQ(row_kind_of("raw32"), storage::RowKind::images);
  EXPECT_EQ(row_kind_of("efficientnet-lite0"), storage::RowKind::features);
}

TEST(Identity, SaysWhichWeightsMadeTheRows) {
  const auto scan = merge_scan(kClasses, {0}, {image(0, 10)}, {});
  const auto through = [&](const std::string& weights) {
    return identity_of(scan, datasets::Split::train, 5, "resnet50", weights, Normalisation::dataset, {}, 224);
  };

  EXPECT_EQ(weights_of(through("random:7")), "random:7");
  EXPECT_EQ(weights_of(through(std::string(64, 'a'))), std::string(64, 'a'));
  EXPECT_EQ(weights_of(identity_of_images(scan, datasets::Split::train, 5)), "");
}

}  // namespace
}  // namespace workers
