// Tables beside the paper's, of chosen columns, with the best of an axis; every way to get them wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/error.hpp"
#include "sweeps/sweep.hpp"

namespace sweeps {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

const ClassNames kClasses = {
    {"cifar10", {{"airplane", "cat", "ship"}, {{"pets", {"cat"}, false}}}},
    {"spark2021", {{"Aura", "Terra"}, {{"satellites", {"Aura", "Terra"}, false}}}},
    {"spark2022", {{"Aura", "Terra"}, {{"satellites", {"Aura", "Terra"}, false}}}},
    {"synthetic", {{"ring", "bar"}, {}}},
};
const std::string kBlock = R"({"dataset": "cifar10", "classes": ["airplane", "ship"], "backbone": "resnet50",
    "lambda": [20, 5, 10], "seeds": 2})";
const std::string kPlad =
    R"({"dataset": "cifar10", "classes": ["airplane", "ship"], "method": "plad", "lambda": 5, "seeds": 2})";
const std::string kSpark =
    R"({"dataset": "spark2021", "backbone": ["resnet50", "vgg16", "convnext-base"], "seeds": 2},
       {"dataset": "spark2021", "method": "plad", "seeds": 2})";

Sweep sweep_of(const std::string& blocks, const std::string& table, const Substitutes& substitutes = {}) {
  return parse_sweep(
      R"({"version": 1, "name": "s", "blocks": [)" + blocks + R"(], "tables": [{"id": "t", )" + table + "}]}", "s.json",
      substitutes);
}

PlannedTable planned(const std::string& blocks, const std::string& table, const Substitutes& substitutes = {}) {
  return expand(sweep_of(blocks, table, substitutes), kClasses).tables.at(0);
}

std::string refusal(const std::string& table, const std::string& blocks = kBlock) {
  try {
    planned(blocks, table);
  } catch (const storage::UsageError& error) {
    return error.what();
  }
  return "nothing was refused";
}

std::vector<std::string> names_of(const PlannedTable& table) {
  std::vector<std::string> names;
  for (const PlannedRow& row : table.rows) names.push_back(row.name);
  return names;
}

std::string one_row(const std::string& keys) {
  return R"("rows": [{"name": "r", "where": {"method": "plume"}, )" + keys + "}]";
}

TEST(Tables, TakeTheirRowsAndLayoutFromThePublishedTable) {
  const PlannedTable table = planned(kBlock + "," + kPlad, R"("published": "cifar10-lambda")");
  EXPECT_THAT(names_of(table), ElementsAre("PLAD", "PLAD (re-run)", "PLUME, lambda 5", "PLUME, lambda 10",
                                           "PLUME, lambda 20", "PLUME, lambda best per class"));
  EXPECT_EQ(table.title, "CIFAR-10, effect of lambda, and PLAD published and re-run");
  EXPECT_THAT(table.columns, ElementsAre("airplane", "ship"));
  EXPECT_EQ(table.columns_are, Columns::classes);
  EXPECT_TRUE(table.bold);
  EXPECT_FALSE(table.transposed);
  EXPECT_EQ(table.published, "cifar10-lambda");
  EXPECT_EQ(table.compare.with, Compare::With::pairs);
  const PlannedRow& literature = table.rows[0];
  EXPECT_TRUE(literature.only_printed);
  EXPECT_THAT(literature.cells, IsEmpty());
  const PlannedRow& best = table.rows[5];
  EXPECT_EQ(best.published, "plume-best");
  EXPECT_EQ(best.best_of, "lambda");
  EXPECT_EQ(best.statistic, Statistic::mean);
  EXPECT_EQ(table.rows[2].cells.at(0).jobs.size(), 2U);
}

TEST(Tables, OrderTheJobsOfACellByChoiceThenSeed) {
  const Sweep sweep = sweep_of(kBlock, one_row(R"("best_of": "lambda")"));
  const Plan plan = expand(sweep, kClasses);
  const PlannedCell& cell = plan.tables.at(0).rows.at(0).cells.at(1);
  std::vector<std::string> jobs;
  for (const std::size_t index : cell.jobs) jobs.push_back(describe(plan.jobs[index]).substr(24));
  EXPECT_THAT(jobs, ElementsAre("full lambda 5 seed 0", "full lambda 5 seed 1", "full lambda 10 seed 0",
                                "full lambda 10 seed 1", "full lambda 20 seed 0", "full lambda 20 seed 1"));
  std::vector<std::string> values;
  for (const PlannedChoice& choice : cell.choices) values.push_back(choice.value);
  EXPECT_THAT(values, ElementsAre("5", "10", "20")) << "by number, not by letter, and not as written";
  EXPECT_THAT(cell.choices[1].jobs, ElementsAre(cell.jobs[2], cell.jobs[3]));
}

TEST(Tables, TakeTheBestOfWhatTheRowsWhereLeaves) {
  const PlannedTable table = planned(
      kBlock, R"("rows": [{"name": "r", "where": {"lambda": [10, 5]}, "best_of": "lambda", "statistic": "max"}])");
  ASSERT_EQ(table.rows.at(0).cells.at(0).choices.size(), 2U);
  EXPECT_EQ(table.rows[0].cells[0].choices[0].value, "5");
  EXPECT_EQ(table.rows[0].statistic, Statistic::max);
  const PlannedTable plain = planned(kBlock, R"("rows": [{"name": "r", "where": {"lambda": 5}}])");
  EXPECT_THAT(plain.rows.at(0).cells.at(0).choices, IsEmpty());
}

TEST(Tables, PrintSparkAsFractionsWithBothStatistics) {
  const PlannedTable table = planned(kSpark, R"("published": "spark")");
  EXPECT_THAT(names_of(table), ElementsAre("PLAD", "PLUME, ResNet50", "PLUME, VGG16", "PLUME, ConvNeXt"));
  EXPECT_THAT(table.columns, ElementsAre("satellites"));
  EXPECT_EQ(table.metric, Metric::fraction);
  EXPECT_EQ(table.decimals, 2);
  EXPECT_TRUE(table.transposed);
  for (const PlannedRow& row : table.rows) EXPECT_EQ(row.statistic, Statistic::mean_and_max) << row.name;
}

TEST(Tables, FollowASubstituteToItsClasses) {
  const PlannedTable spark22 = planned(kSpark, R"("published": "spark")", {{"spark2021", "spark2022"}});
  EXPECT_THAT(spark22.datasets, ElementsAre("spark2022"));
  EXPECT_THAT(spark22.columns, ElementsAre("satellites"));
  const PlannedTable synthetic =
      planned(kSpark, R"("published": "spark")",
              {{"spark2021", "synthetic"}, {"vgg16", "efficientnet-lite0"}, {"resnet50", "efficientnet-lite0"}});
  EXPECT_THAT(synthetic.columns, ElementsAre("ring", "bar"));
  EXPECT_EQ(synthetic.published, "spark");
  EXPECT_EQ(synthetic.rows.at(1).cells.at(0).jobs, synthetic.rows.at(2).cells.at(0).jobs);
}

TEST(Tables, HoldOnlyTheMeanWhereThePaperDoes) {
  const std::string blocks = R"({"dataset": "cifar100", "backbone": "resnet50", "seeds": 2},
                                {"dataset": "cifar100", "method": "plad", "seeds": 2})";
  const Sweep sweep = sweep_of(blocks, R"("published": "cifar100-mean")");
  const PlannedTable table = expand(sweep, {{"cifar100", {{"fish", "people"}, {}}}}).tables.at(0);
  EXPECT_EQ(table.columns_are, Columns::mean);
  EXPECT_THAT(table.columns, ElementsAre("fish", "people")) << "which the mean is over";
  EXPECT_EQ(table.rows.at(0).cells.size(), 2U);
  EXPECT_EQ(table.compare.with, Compare::With::one);
  EXPECT_EQ(table.compare.row, "PLUME");
}

TEST(Tables, CompareAnAblationWithTheFullMethod) {
  const PlannedTable table = planned(R"({"dataset": "cifar10", "classes": ["ship"], "backbone": "resnet50", "lambda": 5,
      "perturbation": ["gaussian", "add-mult", "linear-map"], "guidance": ["none", "full", "mean"]})",
                                     R"("published": "cifar10-ablation")");
  EXPECT_EQ(table.rows.size(), 7U);
  EXPECT_EQ(table.compare.with, Compare::With::one);
  EXPECT_EQ(table.compare.row, "LinearMap, guidance");
  EXPECT_FALSE(table.bold) << "the paper prints no bold number in it";
}

TEST(Tables, HaveNothingToCompareAmongMaxima) {
  EXPECT_EQ(planned(kBlock, R"("published": "cifar10-max")").compare.with, Compare::With::none);
  const PlannedTable main = planned(kBlock, R"("published": "cifar10-main")");
  EXPECT_EQ(main.compare.with, Compare::With::none) << "its two rows are of the same runs";
  EXPECT_EQ(main.rows.at(10).statistic, Statistic::max);
}

TEST(Tables, MayHaveRowsOfTheirOwnBesidePublishedOnes) {
  const PlannedTable table = planned(kBlock, R"("published": "cifar10-main", "title": "Mine", "decimals": 2, "rows": [
      {"literature": "adgan", "group": "others"}, {"literature": "hrn", "name": "HRN of 2020", "group": "others"},
      {"published": "plume-best", "name": "ours", "where": {"lambda": [5, 10]}},
      {"name": "lambda 20", "where": {"lambda": 20}, "statistic": "mean-and-max"}])");
  EXPECT_THAT(names_of(table), ElementsAre("ADGAN", "HRN of 2020", "ours", "lambda 20"));
  EXPECT_EQ(table.title, "Mine");
  EXPECT_EQ(table.decimals, 2);
  EXPECT_EQ(table.mean_decimals, 2);
  EXPECT_EQ(table.rows[1].group, "others");
  EXPECT_EQ(table.rows[2].published, "plume-best");
  EXPECT_EQ(table.rows[2].best_of, "lambda") << "as published";
  EXPECT_EQ(table.rows[2].cells.at(0).choices.size(), 2U);
  EXPECT_EQ(table.rows[3].published, "");
  EXPECT_EQ(table.rows[3].statistic, Statistic::mean_and_max);
}

TEST(Tables, GroupTheLiteratureAsPrinted) {
  const PlannedTable table = planned(kBlock, R"("published": "cifar10-all")");
  EXPECT_EQ(table.rows.front().group, "rotation-based");
  EXPECT_EQ(table.rows.back().group, "geometrically-unbiased");
}

TEST(Tables, ShowColumnsByWhatTheySelect) {
  const PlannedTable table = planned(kBlock, R"("columns": [
      {"name": "lambda 5", "where": {"lambda": 5}}, {"name": "ship, lambda 20", "where": {"lambda": 20, "class": "ship"}}],
      "rows": [{"name": "LinearMap", "where": {"perturbation": "linear-map"}}], "compare": "none", "modes": ["gap", "last-10"],
      "metric": "fraction", "bold": true, "transposed": true)");
  EXPECT_EQ(table.columns_are, Columns::chosen);
  EXPECT_THAT(table.columns, ElementsAre("lambda 5", "ship, lambda 20"));
  EXPECT_EQ(table.rows.at(0).cells.at(0).jobs.size(), 4U) << "two classes, two seeds";
  EXPECT_EQ(table.rows[0].cells.at(1).jobs.size(), 2U);
  EXPECT_THAT(table.modes, ElementsAre(Mode::gap, Mode::last_10));
  EXPECT_EQ(table.decimals, 2) << "of a fraction";
  EXPECT_TRUE(table.bold && table.transposed);
}

TEST(Tables, OrderTheJobsOfAChosenColumnByClassFirst) {
  const Plan plan =
      expand(sweep_of(R"({"dataset": "cifar10", "classes": ["ship", "airplane"], "backbone": "resnet50",
                                        "seeds": 2})",
                      R"("columns": [{"name": "all", "where": {}}], "rows": [{"name": "r", "where": {}}])"),
             kClasses);
  std::vector<std::string> jobs;
  for (const std::size_t index : plan.tables.at(0).rows.at(0).cells.at(0).jobs) {
    jobs.push_back(plan.jobs[index].normal_class + std::to_string(plan.jobs[index].seed));
  }
  EXPECT_THAT(jobs, ElementsAre("airplane0", "airplane1", "ship0", "ship1"));
}

TEST(Tables, SubstituteWhatColumnsName) {
  const PlannedTable table = planned(kSpark, R"("rows": [{"name": "r", "where": {"method": "plume"}}],
      "columns": [{"name": "VGG", "where": {"backbone": "vgg16"}}])",
                                     {{"vgg16", "efficientnet-lite0"}});
  EXPECT_EQ(table.rows.at(0).cells.at(0).jobs.size(), 2U);
}

TEST(Tables, CompareWithTheRowThatIsNamed) {
  const std::string rows =
      R"("rows": [{"name": "five", "where": {"lambda": 5}}, {"name": "ten", "where": {"lambda": 10}}])";
  const PlannedTable table = planned(kBlock, rows + R"(, "compare": {"against": "ten"})");
  EXPECT_EQ(table.compare.with, Compare::With::one);
  EXPECT_EQ(table.compare.row, "ten");
  EXPECT_EQ(planned(kBlock, rows).compare.with, Compare::With::pairs);
  EXPECT_EQ(refusal(rows + R"(, "compare": {"against": "tne"})"),
            "s.json: tables[0].compare.against: no row of this table with runs is called \"tne\" (did you mean "
            "\"ten\"?)");
  EXPECT_THAT(refusal(rows + R"(, "compare": "all")"), HasSubstr("unknown comparison \"all\"; expected pairs or none"));
  EXPECT_THAT(refusal(rows + R"(, "compare": 3)"),
              HasSubstr("expected \"pairs\", \"none\" or {\"against\": ROW NAME}"));
}

TEST(Tables, RefuseWhatThePaperDoesNotHave) {
  EXPECT_EQ(refusal(R"("published": "cifar10-lamda")"),
            "s.json: tables[0].published: the paper has no table \"cifar10-lamda\" (did you mean \"cifar10-lambda\"?)");
  EXPECT_EQ(refusal(R"("published": "cifar10-main", "rows": [{"published": "plume-bset"}])"),
            "s.json: tables[0].rows[0].published: the published table cifar10-main has no row \"plume-bset\" (did you "
            "mean \"plume-best\"?)");
  EXPECT_THAT(refusal(R"("rows": [{"name": "r", "where": {}, "published": "plume-best"}])"),
              HasSubstr("rows[0].published: the table stands beside no published one; give it \"published\", e.g."));
  EXPECT_THAT(refusal(R"("published": "cifar10-main", "rows": [{"literature": "plume-best"}])"),
              HasSubstr("is no row of another paper; write \"published\": \"plume-best\""));
  EXPECT_THAT(refusal(R"("published": "cifar10-main", "rows": [{"published": "adgan"}])"),
              HasSubstr("write \"literature\": \"adgan\""));
  EXPECT_THAT(refusal(R"("published": "cifar10-main", "rows": [{"literature": "adgan", "where": {}}])"),
              HasSubstr("rows[0].where: has no meaning beside \"literature\""));
  EXPECT_EQ(refusal(R"("published": "cifar10-main", "rows": [{"literature": "adgan"}])"),
            "s.json: table \"t\": no row has runs; a table needs one row with \"where\"");
}

TEST(Tables, RefusePublishedNumbersBesideOtherDataOrClasses) {
  const std::string rows = R"("published": "cifar10-main", "rows": [{"name": "r", "where": {"lambda": 5}}])";
  EXPECT_EQ(refusal(rows, R"({"dataset": "synthetic", "backbone": "resnet50"})"),
            "s.json: table \"t\": its runs are on data set synthetic, but the published table cifar10-main is over "
            "cifar10; leave \"published\" out, or let the rows name cifar10 and run it with --substitute "
            "cifar10=synthetic");
  EXPECT_THAT(refusal(rows, R"({"dataset": "cifar10", "backbone": "resnet50"})"),
              StartsWith("s.json: table \"t\": columns: \"pets\" is no column of the published table cifar10-main; "));
  EXPECT_THAT(refusal(R"("published": "cifar10-main", "columns": [{"name": "c", "where": {}}])"),
              HasSubstr("tables[0].columns: a published table has classes for columns"));
}

TEST(Tables, RefuseABestOfThatIsNone) {
  EXPECT_EQ(refusal(one_row(R"("best_of": "lamda")")),
            "s.json: tables[0].rows[0].best_of: unknown axis \"lamda\" (did you mean \"lambda\"?)");
  EXPECT_THAT(refusal(one_row(R"("best_of": "seed")")), HasSubstr("is \"statistic\": \"max\""));
  EXPECT_THAT(refusal(one_row(R"("best_of": "k")")),
              HasSubstr("row \"r\": \"best_of\": \"k\", but its jobs of method \"plume\" have no k"));
  EXPECT_EQ(refusal(one_row(R"("best_of": "epochs")")),
            "s.json: table \"t\": row \"r\": its jobs of class \"airplane\" differ in more than the seed and epochs: "
            "lambda is 10, 20 or 5; say in \"where\" which one it shows");
  EXPECT_EQ(refusal(one_row(R"("statistic": "median")")),
            "s.json: tables[0].rows[0].statistic: unknown statistic \"median\" (did you mean \"mean\"?)");
}

TEST(Tables, RefuseAGroupInTwoPieces) {
  EXPECT_EQ(
      refusal(R"("rows": [{"name": "a", "where": {"lambda": 5}, "group": "x"}, {"name": "b", "where": {"lambda": 10}},
                               {"name": "c", "where": {"lambda": 20}, "group": "x"}])"),
      "s.json: tables[0].rows[2].group: rows of the group \"x\" stand above, with others between; put them one "
      "after another");
}

TEST(Tables, RefuseColumnsThatHoldNothing) {
  const std::string rows = R"("rows": [{"name": "r", "where": {"lambda": 5}}], "columns": )";
  EXPECT_EQ(refusal(rows + R"([{"name": "c", "where": {"lambda": 7}}])"),
            "s.json: table \"t\": column \"c\": matches no job: lambda is 7, but the jobs that match the rest have 20, "
            "5 or 10");
  EXPECT_THAT(refusal(rows + R"([{"name": "c", "where": {"lambda": 10}}])"),
              HasSubstr("column \"c\": no row has a job in it"));
  EXPECT_THAT(refusal(rows + R"([{"name": "c", "where": {"class": "shp"}}])"),
              HasSubstr("column \"c\": \"shp\" is no class of its data set (did you mean \"ship\"?)"));
  EXPECT_THAT(refusal(rows + R"([{"name": "c", "where": {}}, {"name": "c", "where": {}}])"),
              HasSubstr("columns[1].name: another column of this table is called \"c\""));
  EXPECT_THAT(refusal(rows + R"([{"name": "c", "where": {}}, "ship"])"), HasSubstr("columns[1]: expected an object"));
  EXPECT_THAT(refusal(rows + R"(["ship", {"name": "c"}])"), HasSubstr("columns[1]: expected a text in quotes"));
}

TEST(Tables, RefuseWrongNumbersAndWords) {
  EXPECT_THAT(refusal(R"("decimals": 7)"), HasSubstr("tables[0].decimals: expected a whole number in 0..6, found 7"));
  EXPECT_THAT(refusal(R"("metric": "percents")"),
              HasSubstr("tables[0].metric: unknown metric \"percents\" (did you mean \"percent\"?)"));
  EXPECT_THAT(refusal(R"("modes": "last10")"),
              HasSubstr("tables[0].modes: unknown mode \"last10\" (did you mean \"last-10\"?)"));
  EXPECT_THAT(refusal(R"("bold": 1)"), HasSubstr("tables[0].bold: expected"));
  EXPECT_THAT(refusal(R"("highlight": true)"), HasSubstr("tables[0].highlight: unknown key"));
}

// --- Over several data sets
// ----------------------------------------------------------------------------------------------------------------------

/// Three columns: all of CIFAR-10, one class of it, all synthetic classes.
const std::string kTwoDataSets = R"({"dataset": ["cifar10", "synthetic"], "classes": "all", "backbone": "resnet50",
    "method": ["plume", "knn"], "seeds": 2})";
const std::string kAcross = R"("columns": [{"name": "shapes", "where": {"dataset": "synthetic"}},
    {"name": "photographs", "where": {"dataset": "cifar10"}},
    {"name": "ships", "where": {"dataset": "cifar10", "class": "ship"}}])";
const ClassNames kOfTwo = {{"cifar10", {{"airplane", "ship"}, {}, {"1 of 9 train images"}}},
                           {"synthetic", {{"ring", "bar"}, {}}}};

PlannedTable across(const std::string& table, const std::string& blocks = kTwoDataSets) {
  return expand(sweep_of(blocks, table), kOfTwo).tables.at(0);
}

std::string refusal_across(const std::string& table) {
  try {
    across(table);
  } catch (const storage::UsageError& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(TablesAcrossDataSets, HaveColumnsOfSeveralWhereEachNamesItsOwn) {
  const PlannedTable table = across(
      R"("rows": [{"name": "PLUME", "where": {"method": "plume"}}, {"name": "kNN", "where": {"method": "knn"}}], )" +
      kAcross);
  EXPECT_THAT(table.datasets, ElementsAre("synthetic", "cifar10")) << "in the order of the columns";
  EXPECT_THAT(table.columns, ElementsAre("shapes", "photographs", "ships"));
  EXPECT_THAT(table.left_out, ElementsAre("cifar10: 1 of 9 train images"));
  const auto jobs = [&](std::size_t row, std::size_t column) {
    return table.rows.at(row).cells.at(column).jobs.size();
  };
  for (const std::size_t column : {0, 1}) {
    EXPECT_EQ(jobs(0, column), 2U * 2U) << "2 classes, 2 seeds";
    EXPECT_EQ(jobs(1, column), 2U);
  }
  EXPECT_EQ(jobs(0, 2), 2U);
  EXPECT_EQ(jobs(1, 2), 1U);
}

TEST(TablesAcrossDataSets, HaveARowForEachSettingWhereNoneAreNamed) {
  const PlannedTable table = across(kAcross);
  EXPECT_THAT(names_of(table), ElementsAre("linear-map + full", "knn raw"));
  for (const PlannedRow& row : table.rows) {
    for (const PlannedCell& cell : row.cells) EXPECT_FALSE(cell.jobs.empty()) << row.name;
  }
}

TEST(TablesAcrossDataSets, MayLeaveOutADataSetOfTheirRows) {
  const PlannedTable table = across(R"("rows": [{"name": "kNN", "where": {"method": "knn"}}],
      "columns": [{"name": "shapes", "where": {"dataset": "synthetic"}}])");
  EXPECT_THAT(table.datasets, ElementsAre("synthetic"));
}

TEST(TablesAcrossDataSets, AreRefusedWhereAColumnDoesNotNameItsOwn) {
  const std::string rows = R"("rows": [{"name": "r", "where": {"method": "knn"}}], )";
  EXPECT_THAT(refusal_across(rows + R"("columns": [{"name": "a", "where": {"dataset": "cifar10"}},
                                                   {"name": "b", "where": {"class": "ring"}}])"),
              HasSubstr("row \"r\": a table is over one data set, but this one has cifar10 and synthetic; add "
                        "\"dataset\": \"cifar10\" to \"where\" of its rows, name a data set in the \"where\" of each "
                        "chosen column, or leave \"tables\" out"));
  EXPECT_THAT(refusal_across(rows + R"("columns": "mean")"), HasSubstr("a table is over one data set"));
  EXPECT_THAT(
      refusal_across(rows + R"("columns": [{"name": "a", "where": {"dataset": ["cifar10", "synthetic"]}}])"),
      HasSubstr("its jobs of column \"a\" differ in more than the seed: dataset is \"cifar10\" or \"synthetic\""));
}

TEST(TablesAcrossDataSets, RefuseColumnsOfNothing) {
  const std::string rows = R"("rows": [{"name": "r", "where": {"method": "knn"}}], )";
  EXPECT_THAT(refusal_across(rows + R"("columns": [{"name": "a", "where": {"dataset": "cifar10"}},
                                                   {"name": "b", "where": {"dataset": "synthetic", "class": "rng"}}])"),
              HasSubstr("column \"b\": "));
  EXPECT_THAT(refusal_across(rows + R"("columns": [{"name": "a", "where": {"dataset": "cifar10"}},
                                                   {"name": "b", "where": {"dataset": "cifar10", "class": "ring"}}])"),
              HasSubstr("column \"b\": \"ring\" is no class of its data set; expected airplane or ship"));
  EXPECT_THAT(refusal_across(rows + R"("columns": [{"name": "a", "where": {"dataset": "cifar10"}},
                                                   {"name": "b", "where": {"dataset": "spark2021"}}])"),
              HasSubstr("column \"b\": "));
  EXPECT_THAT(refusal_across(rows + R"("columns": [{"name": "a", "where": {"dataset": "spark2021"}}])"),
              HasSubstr("no job of its rows is in one of its columns"));
}

TEST(TablesAcrossDataSets, HaveNoPublishedNumbers) {
  EXPECT_THAT(refusal_across(R"("published": "cifar10-main", )" + kAcross),
              HasSubstr("a published table has classes for columns; leave \"published\" out"));
}

}  // namespace
}  // namespace sweeps
