// Text on a terminal, by the columns that it takes there.
#include "storage/columns.hpp"

#include <gtest/gtest.h>

namespace storage {
namespace {

TEST(Columns, CountsWideCharactersTwiceAndCombiningOnesNotAtAll) {
  EXPECT_EQ(columns_of("cat"), 3U);
  EXPECT_EQ(columns_of("猫"), 2U);
  EXPECT_EQ(columns_of("e\u0301t\u00e9"), 3U);  // an accent of its own, and one in its letter
  EXPECT_EQ(columns_of("84.5 ± 1.2"), 10U);
}

TEST(Columns, CutsByColumnsAndNeverWithinACharacter) {
  EXPECT_EQ(cut_to("airplane", 8), "airplane");
  EXPECT_EQ(cut_to("airplane", 5), "airp…");
  EXPECT_EQ(cut_to("猫猫猫", 5), "猫猫…");
  EXPECT_EQ(cut_to("猫猫猫", 4), "猫…");  // the second would need the column of the mark
  EXPECT_EQ(cut_to("airplane", 0), "");
}

TEST(Columns, CutsTheMiddleOfANameSoThatItsEndStays) {
  EXPECT_EQ(cut_middle("cifar10/cat linear-map + full seed 3", 20), "cifar10/cat…l seed 3");
  const auto wide = cut_middle("猫猫猫猫猫猫猫猫猫猫猫 seed 3", 20);
  EXPECT_LE(columns_of(wide), 20U);
  EXPECT_TRUE(wide.ends_with(" seed 3")) << wide;
  EXPECT_EQ(cut_middle("cat seed 3", 20), "cat seed 3");
}

TEST(Columns, FillsToExactlyTheWidth) {
  EXPECT_EQ(filled_to("猫", 4), "猫  ");
  EXPECT_EQ(filled_from_left("12", 4), "  12");
  EXPECT_EQ(columns_of(filled_to("猫猫猫", 4)), 4U);
}

TEST(Columns, ShowsNothingThatATerminalWouldObey) {
  EXPECT_EQ(cut_to("a\033[2Jb\nc", 20), "a?[2Jb?c");
  EXPECT_EQ(columns_of("\xff\t"), 2U);
}

}  // namespace
}  // namespace storage
