// The paper's numbers as the program has them, against the file read by another reader.
#include "sweeps/published_tables.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

namespace sweeps {
namespace {

using ::testing::ElementsAre;
using Json = nlohmann::json;

Json the_file() {
  return Json::parse(std::ifstream(PLUME_SOURCE_DIR "/sweeps/paper/tables.json"));
}

/// How many numbers were compared.
std::size_t compare(const PublishedNumber& ours, const Json& printed, const std::string& where) {
  EXPECT_EQ(ours.mean, printed.at("mean").get<double>()) << where;
  EXPECT_EQ(ours.bold, printed.at("bold").get<bool>()) << where;
  EXPECT_EQ(ours.std_dev.has_value(), !printed.at("std").is_null()) << where;
  if (!ours.std_dev) return 1;
  EXPECT_EQ(*ours.std_dev, printed.at("std").get<double>()) << where;
  return 2;
}

std::size_t compare(const PublishedRow& ours, const Json& printed, const std::string& where) {
  std::size_t compared = 0;
  EXPECT_EQ(ours.cells.size(), printed.at("cells").size()) << where;
  for (const auto& [column, number] : ours.cells) {
    compared += compare(number, printed["cells"].at(column), where + " " + column);
  }
  EXPECT_EQ(ours.row_mean.has_value(), !printed.at("row_mean").is_null()) << where;
  return compared + (ours.row_mean ? compare(*ours.row_mean, printed["row_mean"], where + " mean") : 0);
}

TEST(PublishedTables, HoldEveryNumberOfTheFile) {
  const Json file = the_file();
  const auto& tables = published_tables();
  ASSERT_EQ(tables.size(), file.at("tables").size());
  std::size_t compared = 0;
  for (std::size_t t = 0; t < tables.size(); ++t) {
    const Json& printed = file["tables"][t];
    EXPECT_EQ(tables[t].id, printed.at("id"));
    ASSERT_EQ(tables[t].rows.size(), printed.at("rows").size()) << tables[t].id;
    for (std::size_t r = 0; r < tables[t].rows.size(); ++r) {
      compared += compare(tables[t].rows[r], printed["rows"][r], tables[t].id + " " + tables[t].rows[r].id);
    }
  }
  EXPECT_EQ(compared, 1162U) << "as many as another program counts in the file";
}

TEST(PublishedTables, NameClassesAsTheDataSetsDo) {
  const PublishedTable* cifar = find_published_table("cifar10-main");
  ASSERT_NE(cifar, nullptr);
  EXPECT_EQ(cifar->columns.at(0).id, "plane");
  EXPECT_EQ(cifar->columns[0].name, "Plane");
  EXPECT_EQ(cifar->columns[0].official, "airplane");
  EXPECT_EQ(cifar->find_column("automobile")->id, "car");
  EXPECT_EQ(cifar->find_column("car"), nullptr);
  EXPECT_EQ(find_published_table("cifar100-classes")->columns.at(9).official, "large_man-made_outdoor_things");
  const PublishedTable* spark = find_published_table("spark");
  ASSERT_EQ(spark->columns.size(), 1U);
  EXPECT_EQ(spark->columns[0].official, "satellites");
  EXPECT_EQ(spark->columns[0].name, "AUC");
  EXPECT_TRUE(spark->fraction && spark->transposed && spark->mean_name.empty());
  EXPECT_EQ(find_published_table("cifar10-man"), nullptr);
}

TEST(PublishedTables, KnowARowWithAllThatIsPrintedOfIt) {
  const PublishedTable& table = *find_published_table("cifar10-main");
  const PublishedRow& best = *table.find_row("plume-best");
  EXPECT_EQ(best.kind, PublishedRow::Kind::ours);
  ASSERT_TRUE(best.method && best.row_mean);
  EXPECT_TRUE(best.method->best_per_class);
  EXPECT_THAT(best.method->lambdas, ElementsAre(5, 10, 20));
  EXPECT_THAT(best.method->lambda_by_class.at("plane"), ElementsAre(10));
  EXPECT_EQ(best.method->backbone, "resnet50");
  EXPECT_EQ(best.method->seeds, 5);
  EXPECT_EQ(best.method->epochs, 100);
  EXPECT_EQ(best.cells.at("plane").mean, 89.5);
  EXPECT_EQ(best.cells.at("plane").std_dev, 1.0);
  EXPECT_TRUE(best.cells.at("plane").bold);
  EXPECT_EQ(best.row_mean->mean, 84.5);
  EXPECT_EQ(best.row_mean->std_dev, std::nullopt);
  EXPECT_THAT(table.find_row("plume-max")->method->lambda_by_class.at("frog"), ElementsAre(5, 20));
  const PublishedRow& adgan = *table.find_row("adgan");
  EXPECT_EQ(adgan.kind, PublishedRow::Kind::literature);
  EXPECT_FALSE(adgan.method.has_value());
  EXPECT_EQ(adgan.cite, "ADGAN2019");
  const PublishedRow& plad = *find_published_table("spark")->find_row("plad-rerun");
  EXPECT_EQ(plad.method->backbone, "");
  EXPECT_EQ(plad.cells.at("satellites").mean, 0.69) << "as printed, a fraction";
  EXPECT_THAT(plad.header, ElementsAre("PLAD", "LeNet5", "Raw Images"));
  EXPECT_FALSE(plad.row_mean.has_value());
}

TEST(PublishedTables, ComeTo820JobsNamed2320Times) {
  std::set<std::string> distinct;
  std::size_t named = 0;
  const Json file = the_file();
  std::map<std::string, std::size_t> classes;
  for (const Json& dataset : file.at("datasets")) classes[dataset.at("id")] = dataset.at("classes").size();
  for (const PublishedTable& table : published_tables()) {
    for (const PublishedRow& row : table.rows) {
      if (!row.method) continue;
      const PublishedMethod& m = *row.method;
      named += classes.at(table.dataset) * m.lambdas.size() * static_cast<std::size_t>(m.seeds);
      for (const double lambda : m.lambdas) {
        for (std::size_t k = 0; k < classes.at(table.dataset); ++k) {
          for (int seed = 0; seed < m.seeds; ++seed) {
            distinct.insert(table.dataset + " " + std::to_string(k) + " " + std::string(name_of(m.method)) + " " +
                            m.backbone + " " + std::string(name_of(m.perturbation)) + " " +
                            std::string(name_of(m.guidance)) + " " + std::to_string(lambda) + " " +
                            std::to_string(seed));
          }
        }
      }
    }
  }
  EXPECT_EQ(distinct.size(), 820U);
  EXPECT_EQ(named, 2320U);
}

}  // namespace
}  // namespace sweeps
