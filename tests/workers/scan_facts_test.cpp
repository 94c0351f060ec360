// Sizes and flat images of a scanned split.
#include "workers/scan_facts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/error.hpp"

namespace workers {
namespace {

using testing::ElementsAre;

/// All pixels have this colour, but for one whose red is `other`.
ScannedImage image(int width, int height, double red, double other) {
  ScannedImage i;
  i.width = width;
  i.height = height;
  const double pixels = double(width) * height;
  i.sums = {(pixels - 1) * red + other, pixels * 20, 0};
  i.squares = {(pixels - 1) * red * red + other * other, pixels * 400, 0};
  return i;
}

TEST(ScanFacts, KnowTheRangeOfSizes) {
  const auto facts = facts_of({image(4, 9, 1, 2), image(10, 2, 1, 2), image(4, 9, 1, 2), image(8, 8, 1, 2)});
  EXPECT_EQ(facts.narrowest, 4);
  EXPECT_EQ(facts.widest, 10);
  EXPECT_EQ(facts.lowest, 2);
  EXPECT_EQ(facts.highest, 9);
  EXPECT_EQ(facts.size_count, 3);
  EXPECT_EQ(facts.smallest_row, 1);
  EXPECT_EQ(facts.largest_row, 3);
}

TEST(ScanFacts, FindImagesOfOneColour) {
  // 0, 10, 5 on average: 5 is a whole number, but the image is not flat.
  ScannedImage mean_only = image(2, 1, 0, 10);
  const auto facts = facts_of({image(3, 3, 7, 7), image(3, 3, 7, 8), mean_only, image(1, 1, 255, 255)});
  EXPECT_THAT(facts.flat_rows, ElementsAre(0, 3));
}

TEST(ScanFacts, CallNoRowOfFeaturesFlat) {
  ScannedImage row;
  row.width = 5;
  row.height = 1;
  EXPECT_TRUE(facts_of({row}).flat_rows.empty());
  EXPECT_EQ(facts_of({}), ScanFacts{});
}

TEST(ScanFacts, ReadBackWhatWasWrittenAndRefuseARowThatIsNotThere) {
  const auto facts = facts_of({image(4, 9, 1, 2), image(10, 2, 3, 3)});
  storage::JsonWriter json;
  write_facts(json, facts);
  const auto value = storage::parse_json(json.text(), "facts", storage::Blame::run);
  EXPECT_EQ(read_facts(value, 2), facts);
  EXPECT_THROW(read_facts(value, 1), storage::Error);
}

}  // namespace
}  // namespace workers
