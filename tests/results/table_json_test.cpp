// JSON and CSV of a table, read back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "results/tables.hpp"
#include "tests/results/made_up_tables.hpp"

namespace {

using nlohmann::json;
using samples::TableWithEverything;
using testing::HasSubstr;
using testing::Not;

TEST(TableJson, HoldsNumbersAtFullPrecisionAndNullForWhatIsAbsent) {
  TableWithEverything made_up;
  made_up.table.rows[1].cells[0].by_mode[0].summary.mean = 79.04000000000001;

  const json table = json::parse(results::to_json(made_up.table));

  EXPECT_EQ(table.at("v"), 1);
  const json& cell = table.at("rows").at(1).at("cells").at(0);
  EXPECT_EQ(cell.at("modes").at("best").at("mean").get<double>(), 79.04000000000001);
  EXPECT_EQ(cell.at("verdict").at("kind"), "inside");
  EXPECT_TRUE(cell.at("verdict").at("max_difference").is_null());
  const json& empty = table.at("rows").at(1).at("cells").at(2);
  EXPECT_TRUE(empty.at("modes").at("last-10").at("mean").is_null());
  EXPECT_EQ(empty.at("runs").at("missing"), 1);
  EXPECT_TRUE(table.at("rows").at(5).at("published").is_null());
}

TEST(TableJson, TakesAnyName) {
  TableWithEverything made_up;
  made_up.table.title = "\"quoted\"\n\\ \xFF";

  EXPECT_EQ(json::parse(results::to_json(made_up.table)).at("title"), "\"quoted\"\n\\ \xEF\xBF\xBD");
}

TEST(TableCsv, HasALineOfItsOwnForThePapersNumberWhereTheBestEpochIsNotAsked) {
  TableWithEverything made_up;
  made_up.table.modes = {sweeps::Mode::last};

  const std::string csv = results::to_csv(made_up.table);

  EXPECT_THAT(csv,
              HasSubstr("\neverything,\"PLAD, re-run\",airplane,,,,1,0,5,0,0,0,0,false,true,,percent,unbiased,mean,"
                        ",,79.9,1.1,5,,-0.86,"));
  EXPECT_THAT(csv, Not(HasSubstr(",best,")));
}

TEST(TableCsv, IsInPercentWhateverIsPrinted) {
  TableWithEverything made_up;
  made_up.table.metric = sweeps::Metric::fraction;

  EXPECT_THAT(results::to_csv(made_up.table),
              HasSubstr("everything,\"PLAD, re-run\",airplane,best,79.04,1,1,5,5,0,0,0,0,false,true,,fraction,"));
}

}  // namespace
