// Which rows are equal, and what that means for a test.
#include "workers/duplicates.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "storage/digest.hpp"

namespace workers {
namespace {

using datasets::Split;
using testing::ElementsAre;
using testing::IsEmpty;

DataRow train(std::int64_t number) {
  return {Split::train, number};
}
DataRow test(std::int64_t number) {
  return {Split::test, number};
}

/// Contents of the rows of both splits; everybody's checksum is `checksum`.
struct Rows {
  std::vector<std::string> contents[2];
  std::vector<RowChecksum> checksums(std::uint32_t checksum = 7) const {
    std::vector<RowChecksum> rows;
    for (const Split split : {Split::train, Split::test}) {
      for (std::size_t i = 0; i < contents[static_cast<int>(split)].size(); ++i) {
        rows.push_back({{split, static_cast<std::int64_t>(i)}, checksum});
      }
    }
    return rows;
  }
  std::string operator()(const DataRow& row) const {
    return contents[static_cast<int>(row.split)].at(static_cast<std::size_t>(row.number));
  }
};

TEST(EqualRows, OfOneChecksumAreComparedByContent) {
  const Rows rows{{{"a", "b", "a"}, {"c", "b"}}};
  EXPECT_THAT(find_equal_rows(rows.checksums(), rows),
              ElementsAre(ElementsAre(train(0), train(2)), ElementsAre(train(1), test(1))));
}

TEST(EqualRows, AreNotTwoImagesThatShareACrcByChance) {
  std::map<std::uint32_t, std::string> seen;
  Rows rows;
  std::uint32_t shared = 0;
  for (std::uint64_t i = 0; rows.contents[0].empty(); ++i) {
    const auto bytes = storage::sha256(std::to_string(i));
    const std::string content(bytes.begin(), bytes.end());
    shared = storage::crc32c(content);
    const auto [other, is_new] = seen.emplace(shared, content);
    if (!is_new) rows.contents[0] = {other->second, content};
  }
  ASSERT_NE(rows.contents[0][0], rows.contents[0][1]);
  ASSERT_EQ(storage::crc32c(rows.contents[0][0]), storage::crc32c(rows.contents[0][1]));
  EXPECT_THAT(find_equal_rows(rows.checksums(shared), rows), IsEmpty());
}

TEST(EqualRows, AreTheOnlyOnesThatAreRead) {
  std::set<DataRow> read;
  const auto content = [&](const DataRow& row) {
    read.insert(row);
    return std::string("x");
  };
  find_equal_rows({{train(0), 1}, {train(1), 2}, {train(2), 3}, {test(0), 4}, {test(1), 2}}, content);
  EXPECT_THAT(read, ElementsAre(train(1), test(1)));
}

TEST(Duplicates, TellWhatWasTrainedOnFromWhatCountsTwice) {
  const auto found = sort_out({{train(0), train(3), test(1), test(2)}, {test(5), test(6)}}, [](auto&) { return 0; });
  EXPECT_THAT(found.test_of_train, ElementsAre(Duplicate{test(1), train(0)}, Duplicate{test(2), train(0)}));
  EXPECT_THAT(found.within[0], ElementsAre(Duplicate{train(3), train(0)}));
  EXPECT_THAT(found.within[1], ElementsAre(Duplicate{test(2), test(1)}, Duplicate{test(6), test(5)}));
  EXPECT_THAT(found.of_other_class, IsEmpty());
  EXPECT_FALSE(found.none());
  EXPECT_TRUE(sort_out({}, [](auto&) { return 0; }).none());
}

TEST(Duplicates, NameThoseOfTwoClasses) {
  const auto found =
      sort_out({{train(0), train(1), test(0)}}, [](const DataRow& row) { return row.split == Split::test ? 1 : 0; });
  EXPECT_THAT(found.of_other_class, ElementsAre(Duplicate{test(0), train(0)}));
}

}  // namespace
}  // namespace workers
