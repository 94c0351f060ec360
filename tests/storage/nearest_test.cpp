// The nearest right word.
#include "storage/nearest.hpp"

#include <gtest/gtest.h>

namespace storage {
namespace {

TEST(Nearest, FindsAMistypedWord) {
  EXPECT_EQ(nearest("lamda", {"gamma", "lambda", "nu"}), "lambda");
  EXPECT_EQ(nearest("linear_map", {"linear-map", "add-mult"}), "linear-map");
  EXPECT_EQ(nearest("lambda", {"lambda"}), "lambda");
}

TEST(Nearest, CountsASwapOfNeighboursAsOneMistake) {
  EXPECT_EQ(nearest("uax", {"aux"}), "aux") << "1 of 3";
  EXPECT_EQ(nearest("xyz", {"aux"}), std::nullopt) << "3 of 3";
}

TEST(Nearest, AllowsAThirdOfTheLongerWordRoundedUp) {
  EXPECT_EQ(nearest("abcx", {"abcdef"}), std::nullopt) << "3 of 6, 2 allowed";
  EXPECT_EQ(nearest("abcd", {"abcdef"}), "abcdef") << "2 of 6";
  EXPECT_EQ(nearest("abxyefg", {"abcdefg"}), "abcdefg") << "2 of 7, 3 allowed";
  EXPECT_EQ(nearest("", {"a"}), "a") << "1 of 1";
  EXPECT_EQ(nearest("x", {}), std::nullopt);
}

TEST(Nearest, PrefersTheNearerAndTheFirstOfEquals) {
  EXPECT_EQ(nearest("tau", {"taus", "tau"}), "tau");
  EXPECT_EQ(nearest("gammb", {"gamma", "gammc"}), "gamma");
}

TEST(Nearest, SurvivesAWordOfAnyLength) {
  EXPECT_EQ(nearest(std::string(1'000'000, 'a'), {"a"}), std::nullopt);
}

TEST(Listed, JoinsWithCommasAndOr) {
  EXPECT_EQ(listed({}), "");
  EXPECT_EQ(listed({"a"}), "a");
  EXPECT_EQ(listed({"a", "b"}), "a or b");
  EXPECT_EQ(listed({"a", "b", "c"}), "a, b or c");
}

TEST(Suggestion, NamesTheNearestOrAll) {
  EXPECT_EQ(suggestion("lamda", {"lambda", "nu"}), " (did you mean \"lambda\"?)");
  EXPECT_EQ(suggestion("quux", {"lambda", "nu"}), "; expected lambda or nu");
  EXPECT_EQ(suggestion("quux", {}), "");
}

}  // namespace
}  // namespace storage
