// Columns that fit a width, and lists that fit a room.
#include "runner/status_fit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/columns.hpp"

namespace runner {
namespace {

using testing::ElementsAre;

TEST(FittedColumns, AreAsWideAsTheirTextWhereThereIsRoom) {
  EXPECT_THAT(fitted({{"NAME", "", "n"}, {"cat", "", "12"}}, {{}, {}, {0, true}}, 80),
              ElementsAre("NAME   n", "cat   12"));
}

TEST(FittedColumns, CutWhatMayBeCutThenLeaveOutWhatMattersLeastThenCutMore) {
  const std::vector<FitColumn> columns = {{0, false, 10, 4}, {2}, {1}};
  const std::vector<std::vector<std::string>> rows = {{"a long long name", "speed", "left"}};
  EXPECT_THAT(fitted(rows, columns, 29), ElementsAre("a long long name  speed  left"));
  EXPECT_THAT(fitted(rows, columns, 25), ElementsAre("a long long…  speed  left"));
  EXPECT_THAT(fitted(rows, columns, 20), ElementsAre("a long long n…  left"));
  EXPECT_THAT(fitted(rows, columns, 10), ElementsAre("a long lo…"));
  EXPECT_THAT(fitted(rows, columns, 5), ElementsAre("a lo…"));
}

TEST(FittedColumns, CountColumnsAndNotBytes) {
  const auto lines = fitted({{"猫", "1"}, {"cat", "2"}}, {{}, {}}, 80);
  EXPECT_THAT(lines, ElementsAre("猫   1", "cat  2"));
}

TEST(SharesOfARoom, GiveShortListsAllAndLongOnesTheRest) {
  EXPECT_THAT(shares_of_room({3, 20}, 12), ElementsAre(3, 6));
  EXPECT_THAT(shares_of_room({3, 20}, 100), ElementsAre(3, 20));
  EXPECT_THAT(shares_of_room({0, 5}, 6), ElementsAre(0, 5));
  EXPECT_THAT(shares_of_room({0, 5}, 5), ElementsAre(0, 3)) << "a heading, three, and how many more";
  EXPECT_THAT(shares_of_room({2}, 3), ElementsAre(2)) << "one and a line for the other would take as many";
}

TEST(SharesOfARoom, NeverTakeMoreThanThereIs) {
  for (std::size_t room = 0; room < 40; ++room) {
    const auto shares = shares_of_room({4, 30, 1, 10}, room);
    const std::size_t items[] = {4, 30, 1, 10};
    std::size_t lines = 0;
    bool any = false;
    for (std::size_t i = 0; i < 4; ++i) {
      any = any || shares[i] > 0;
      lines += 1 + shares[i] + (shares[i] < items[i] ? 1 : 0);
    }
    if (any) {
      EXPECT_LE(lines, room);
    }
  }
}

}  // namespace
}  // namespace runner
