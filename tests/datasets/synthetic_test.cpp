#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <thread>

#include "datasets/dataset.hpp"
#include "datasets/shapes.hpp"
#include "storage/digest.hpp"
#include "storage/error.hpp"
#include "tests/storage/plain_files.hpp"

namespace {

using datasets::open_images;
using datasets::Split;
using sweeps::DatasetSpec;
using testing::ElementsAre;
using testing::HasSubstr;

DatasetSpec small_spec() {
  return {
      .id = "synthetic", .kind = "synthetic", .seed = 5, .train_per_class = 4, .test_per_class = 2, .class_count = 3};
}

std::string digest_of(const datasets::Images& data, Split split) {
  storage::Sha256 digest;
  for (std::int64_t i = 0; i < data.size(split); ++i) {
    const datasets::Image image = data.read(split, i);
    digest.update(image.rgb.data(), image.rgb.size());
  }
  return storage::hex(digest.finish(), 8);
}

TEST(Synthetic, AlternatesBetweenItsClasses) {
  const auto data = open_images(small_spec(), "");
  EXPECT_THAT(data->classes(), ElementsAre("ring", "cross", "bar"));
  EXPECT_EQ(data->size(Split::train), 12);
  EXPECT_EQ(data->size(Split::test), 6);
  EXPECT_EQ(data->label(Split::train, 7), 1);
  EXPECT_EQ(data->row_id(Split::train, 7), "train/cross#2");
  EXPECT_EQ(data->read(Split::test, 5).rgb.size(), 3072u);
  EXPECT_FALSE(data->may_differ_in_size());
}

TEST(Synthetic, HasTheSameBytesOnEveryMachine) {
  DatasetSpec spec = small_spec();
  spec.class_count = 8;
  const auto data = open_images(spec, "");
  EXPECT_EQ(digest_of(*data, Split::train), "0bc4a94d6aa0496f");
  EXPECT_EQ(digest_of(*data, Split::test), "de0ff79f918bb6f1");
}

TEST(Synthetic, GivesARowThatDependsOnNothingElse) {
  const auto data = open_images(small_spec(), "");
  DatasetSpec larger = small_spec();
  larger.train_per_class = 100;
  larger.class_count = 5;
  const auto more = open_images(larger, "");
  EXPECT_EQ(data->read(Split::train, 3 * 3 + 1).rgb, more->read(Split::train, 3 * 5 + 1).rgb);  // cross number 3
  EXPECT_NE(data->read(Split::train, 0).rgb, data->read(Split::test, 0).rgb);
  EXPECT_NE(data->read(Split::train, 0).rgb, data->read(Split::train, 3).rgb);
  larger.seed = 6;
  EXPECT_NE(more->read(Split::train, 0).rgb, open_images(larger, "")->read(Split::train, 0).rgb);
}

/// How much the brightness of rows, or of columns, of a picture varies.
double spread_of_lines(const datasets::Image& image, bool rows) {
  std::array<double, 32> lines{};
  for (std::size_t i = 0; i < image.rgb.size(); ++i) lines[rows ? i / 96 : i / 3 % 32] += image.rgb[i];
  const auto [least, most] = std::minmax_element(lines.begin(), lines.end());
  return *most - *least;
}

TEST(Synthetic, StandsUprightIfAskedTo) {
  DatasetSpec spec = small_spec();
  spec.train_per_class = 20;
  const auto turned = open_images(spec, "");
  spec.upright = true;
  const auto upright = open_images(spec, "");
  int lying = 0;
  for (std::int64_t k = 0; k < 20; ++k) {
    const std::int64_t bar = 3 * k + 2;  // long and flat when it is upright
    const datasets::Image image = upright->read(Split::train, bar);
    EXPECT_GT(spread_of_lines(image, true), spread_of_lines(image, false)) << k;
    const datasets::Image other = turned->read(Split::train, bar);
    lying += spread_of_lines(other, true) > spread_of_lines(other, false) ? 1 : 0;
    // Only the object is turned: the background around it has the same bytes.
    std::size_t same = 0;
    for (std::size_t i = 0; i < image.rgb.size(); ++i) same += image.rgb[i] == other.rgb[i] ? 1 : 0;
    EXPECT_GT(same, image.rgb.size() / 2) << k;
    EXPECT_LT(same, image.rgb.size()) << k;
  }
  EXPECT_LT(lying, 15);
  spec.class_count = 8;
  EXPECT_EQ(digest_of(*open_images(spec, ""), Split::test), "ed5c0fd7c3987aad");
}

TEST(Synthetic, IsDrawnByManyThreadsAtOnce) {
  const auto data = open_images(small_spec(), "");
  const std::string alone = digest_of(*data, Split::train);
  std::vector<std::string> together(4);
  {
    std::vector<std::jthread> threads;
    for (std::string& mine : together) threads.emplace_back([&] { mine = digest_of(*data, Split::train); });
  }
  EXPECT_THAT(together, testing::Each(alone));
}

TEST(Synthetic, RefusesImpossibleSizesByName) {
  const auto refusal = [](auto change) {
    DatasetSpec spec = small_spec();
    change(spec);
    return storage_test::message_of<storage::UsageError>([&] { datasets::open_dataset(spec, ""); });
  };
  EXPECT_EQ(refusal([](DatasetSpec& s) { s.class_count = 9; }),
            "data set synthetic: class_count is 9, expected 2 to 8");
  EXPECT_THAT(refusal([](DatasetSpec& s) { s.class_count = 1; }), HasSubstr("class_count is 1"));
  EXPECT_THAT(refusal([](DatasetSpec& s) { s.train_per_class = 0; }), HasSubstr("train_per_class"));
  EXPECT_EQ(refusal([](DatasetSpec& s) { s.kind = "cifar"; }),
            "data set synthetic: unknown kind \"cifar\" (did you mean \"cifar10\"?)");
}

TEST(Synthetic, HasAStampOfItsSettings) {
  DatasetSpec spec = small_spec();
  const std::string stamp = open_images(spec, "")->stamp();
  EXPECT_EQ(open_images(spec, "/anywhere")->stamp(), stamp);
  spec.seed = 6;
  EXPECT_NE(open_images(spec, "")->stamp(), stamp);
  spec.seed = 5;
  spec.upright = true;
  EXPECT_NE(open_images(spec, "")->stamp(), stamp);
}

TEST(Shapes, AreWhatTheyAreCalled) {
  const auto contains = [](const std::string& name, double x, double y) {
    const auto& names = datasets::shape_names();
    const auto index = std::find(names.begin(), names.end(), name) - names.begin();
    return datasets::shape_contains(static_cast<int>(index), x, y);
  };
  EXPECT_FALSE(contains("ring", 0, 0));
  EXPECT_TRUE(contains("ring", 0, -0.7));
  EXPECT_TRUE(contains("cross", 0, 0.9));
  EXPECT_FALSE(contains("cross", 0.6, 0.6));
  EXPECT_TRUE(contains("bar", 0.9, 0.2));
  EXPECT_FALSE(contains("bar", 0, 0.5));
  EXPECT_TRUE(contains("triangle", 0, 0.9));
  EXPECT_FALSE(contains("triangle", 0, -0.6));
  EXPECT_TRUE(contains("square", 0.6, -0.6));
  EXPECT_FALSE(contains("square", 0, 0.8));
  EXPECT_TRUE(contains("ell", -0.5, 0.8));
  EXPECT_FALSE(contains("ell", 0.5, 0.5));
  EXPECT_TRUE(contains("star", 0, 0.95));
  EXPECT_FALSE(contains("star", 0, -0.6));
  EXPECT_TRUE(contains("arc", 0, 0.7));
  EXPECT_FALSE(contains("arc", 0, -0.7));
}

TEST(FirstOfEachClass, TakesThemInTheOrderOfTheSplit) {
  const auto data = open_images(small_spec(), "");  // labels 0 1 2 0 1 2 ...
  EXPECT_THAT(datasets::first_of_each_class(*data, Split::train, 2), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(datasets::first_of_each_class(*data, Split::test, 100), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_EQ(datasets::first_of_each_class(*data, Split::train, std::nullopt).size(), 12u);
  EXPECT_TRUE(datasets::first_of_each_class(*data, Split::train, 0).empty());
}

}  // namespace
