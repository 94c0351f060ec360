// The sweeps of the paper's tables name the jobs that its reference file says, as another reader expands it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "sweeps/sweep.hpp"

namespace sweeps {
namespace {

using Json = nlohmann::json;
using Jobs = std::set<std::string>;

const Json& reference() {
  static const Json file = Json::parse(std::ifstream(PLUME_SOURCE_DIR "/sweeps/paper/tables.json"));
  return file;
}

/// As the data sets of this program call them: SPARK's is a normal set.
ClassNames classes() {
  ClassNames names;
  for (const Json& dataset : reference().at("datasets")) {
    NormalClasses& normal = names[dataset.at("id")];
    for (const Json& one : dataset.at("classes")) {
      if (one.at("official") != "") normal.classes.push_back(one.at("official"));
    }
  }
  names["spark2021"] = {{"Aura", "Terra"}, {{"satellites", {"Aura", "Terra"}, false}}};
  return names;
}

std::string job_text(const std::string& dataset, const std::string& class_name, const std::string& method,
                     const std::string& backbone, const std::string& perturbation, const std::string& guidance,
                     double lambda, std::uint64_t seed) {
  std::string text = dataset + " " + class_name + " " + method + " " + backbone + " " + perturbation + " " + guidance;
  if (perturbation != "gaussian") text += " " + std::to_string(lambda);
  return text + " " + std::to_string(seed);
}

Jobs jobs_in_reference(const Json& row) {
  Jobs jobs;
  if (row.at("jobs").is_null()) return jobs;
  const Json& method = row.at("method");
  for (const Json& dataset : reference().at("datasets")) {
    if (dataset.at("id") != row["jobs"].at("dataset")) continue;
    for (const Json& one : dataset.at("classes")) {
      const std::string name = one.at("official") == "" ? one.at("id") : one.at("official");
      for (const double lambda : method.at("lambda")) {
        for (std::uint64_t seed = 0; seed < row["jobs"].at("seeds"); ++seed) {
          jobs.insert(job_text(dataset.at("id"), name, method.at("name"), method.at("backbone"),
                               method.at("perturbation"), method.at("guidance"), lambda, seed));
        }
      }
    }
  }
  return jobs;
}

std::string text_of(const Job& job) {
  const bool plad = job.method == Method::plad;
  EXPECT_EQ(job.training.epochs, 100);
  EXPECT_FALSE(job.training.learning_rate.has_value()) << "found by the range test";
  EXPECT_EQ(job.training.dimension, kPaperDimension);
  return job_text(job.dataset, job.normal_class, std::string(name_of(job.method)), plad ? "none" : job.backbone,
                  plad ? "add-mult" : std::string(name_of(job.training.perturbation)),
                  plad ? "none" : std::string(name_of(job.training.guidance)), job.training.lambda, job.seed);
}

Jobs jobs_of(const Plan& plan, const PlannedRow& row) {
  Jobs jobs;
  for (const PlannedCell& cell : row.cells) {
    for (const std::size_t index : cell.jobs) jobs.insert(text_of(plan.jobs[index]));
  }
  return jobs;
}

std::size_t named_jobs(const PlannedTable& table) {
  std::size_t named = 0;
  for (const PlannedRow& row : table.rows) {
    for (const PlannedCell& cell : row.cells) named += cell.jobs.size();
  }
  return named;
}

Plan plan_of(const std::string& name) {
  return expand(read_sweep(PLUME_SOURCE_DIR "/sweeps/paper/" + name + ".json"), classes());
}

TEST(PaperSweeps, NameTheJobsOfEveryRowAndNoOther) {
  const Plan plan = plan_of("all");
  ASSERT_EQ(plan.tables.size(), reference().at("tables").size());
  Jobs all;
  for (std::size_t t = 0; t < plan.tables.size(); ++t) {
    const Json& table = reference()["tables"][t];
    EXPECT_EQ(plan.tables[t].id, table.at("id")) << "in the order of the paper";
    ASSERT_EQ(plan.tables[t].rows.size(), table.at("rows").size());
    for (std::size_t r = 0; r < plan.tables[t].rows.size(); ++r) {
      const Jobs expected = jobs_in_reference(table["rows"][r]);
      EXPECT_EQ(jobs_of(plan, plan.tables[t].rows[r]), expected) << plan.tables[t].rows[r].name;
      all.insert(expected.begin(), expected.end());
    }
  }
  EXPECT_EQ(plan.jobs.size(), 820U);
  EXPECT_EQ(all.size(), plan.jobs.size()) << "no job that no row names";
}

TEST(PaperSweeps, ComeToTheNumbersOfJobsThatThePaperCounts) {
  const Plan plan = plan_of("all");
  std::vector<std::size_t> named;
  for (const PlannedTable& table : plan.tables) named.push_back(named_jobs(table));
  EXPECT_THAT(named, ::testing::ElementsAre(300, 200, 350, 20, 300, 350, 200, 150, 450)) << "2,320 together";
}

TEST(PaperSweeps, OfSingleTablesAreThoseOfAll) {
  const Plan all = plan_of("all");
  for (const PlannedTable& table : all.tables) {
    const Plan single = plan_of(table.id);
    ASSERT_EQ(single.tables.size(), 1U) << table.id;
    const PlannedTable& own = single.tables[0];
    EXPECT_EQ(own.columns, table.columns) << table.id;
    EXPECT_EQ(own.published, table.id);
    ASSERT_EQ(own.rows.size(), table.rows.size()) << table.id;
    Jobs of_rows, of_plan;
    for (std::size_t r = 0; r < own.rows.size(); ++r) {
      EXPECT_EQ(own.rows[r].name, table.rows[r].name);
      const Jobs jobs = jobs_of(single, own.rows[r]);
      EXPECT_EQ(jobs, jobs_of(all, table.rows[r])) << table.id << " " << own.rows[r].name;
      of_rows.insert(jobs.begin(), jobs.end());
    }
    for (const Job& job : single.jobs) of_plan.insert(text_of(job));
    EXPECT_EQ(of_rows, of_plan) << table.id << ": a single sweep runs what its table needs";
  }
}

/// Supplement, "Vector Space Analysis": figures of features of Bird, of embeddings of Truck.
TEST(PaperSweeps, DumpTheFourTrainingsOfItsVectorSpaceFigures) {
  for (const char* name : {"all", "cifar10-ablation", "cifar10-ablation-all"}) {
    const Plan plan = plan_of(name);
    std::set<std::string> dumped;
    for (std::size_t i = 0; i < plan.jobs.size(); ++i) {
      if (plan.keep[i].anything()) dumped.insert(describe(plan.jobs[i]) + ": " + std::to_string(plan.keep[i].dump));
    }
    EXPECT_THAT(dumped, ::testing::UnorderedElementsAre("cifar10/bird add-mult+full lambda 5 seed 0: 666",
                                                        "cifar10/bird linear-map+full lambda 5 seed 0: 666",
                                                        "cifar10/truck add-mult+none lambda 5 seed 0: 666",
                                                        "cifar10/truck linear-map+full lambda 5 seed 0: 666"))
        << name;
  }
}

}  // namespace
}  // namespace sweeps
