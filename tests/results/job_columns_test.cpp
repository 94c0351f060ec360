// jobs.csv: a line a job whatever came of it, and what is absent where.
#include "results/job_columns.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "storage/json.hpp"
#include "tests/results/samples.hpp"

namespace {

using results::Ledger;
using samples::add;
using samples::done;
using samples::finished;
using samples::training;
using testing::ElementsAre;
using testing::HasSubstr;

using Line = std::map<std::string, std::string>;  ///< column -> what stands in it, as written

/// Fields of a CSV text, quotes kept.
std::vector<std::vector<std::string>> fields_of(const std::string& csv) {
  std::vector<std::vector<std::string>> lines(1, {""});
  bool quoted = false;
  for (const char c : csv) {
    quoted ^= c == '"';
    if (c == ',' && !quoted) {
      lines.back().emplace_back();
    } else if (c == '\n' && !quoted) {
      lines.push_back({""});
    } else {
      lines.back().back() += c;
    }
  }
  lines.pop_back();
  return lines;
}

class JobColumns : public testing::Test {
 protected:
  std::string csv() const {
    std::string text;
    results::write_jobs(results::planned_runs(plans, ledger), [&](std::string_view lines) { text += lines; });
    return text;
  }
  std::vector<Line> lines() const {
    const auto all = fields_of(csv());
    std::vector<Line> named;
    for (std::size_t i = 1; i < all.size(); ++i) {
      EXPECT_EQ(all[i].size(), all[0].size());
      named.emplace_back();
      for (std::size_t k = 0; k < all[0].size(); ++k) named.back()[all[0][k]] = all[i].at(k);
    }
    return named;
  }
  Line line(const sweeps::Job& job) {
    plans.assign(1, {});
    add(plans[0], job);
    return lines().at(0);
  }

  std::vector<sweeps::Plan> plans = std::vector<sweeps::Plan>(1);
  Ledger ledger;
};

/// The columns that are not empty.
std::set<std::string> filled(const Line& line) {
  std::set<std::string> names;
  for (const auto& [name, text] : line) {
    if (!text.empty()) names.insert(name);
  }
  return names;
}

results::JobResult full_result() {
  results::JobResult result = finished({0.5, 0.75, 0.25});
  result.classes = {"airplane"};
  result.epochs[1].ranking->auc_std_error = 0;
  result.epochs[2].ranking = results::Ranking{0.25, 0.125, 1.0 / 3, 0.875, 0.005};
  result.epochs[1].threshold = 0.1 + 0.2;
  result.epochs[2].threshold = 0.5;
  result.found_learning_rate = 6e-05;
  result.threads = 3;
  return result;
}

TEST_F(JobColumns, AreWholeLinesAtFullPrecision) {
  const auto job = training("airplane", 7);
  add(plans[0], job);
  ledger.apply(done(job, full_result()));

  EXPECT_EQ(csv(),
            "key,dataset,class,members,method,setting,seed,backbone,weights,normalisation,train_rows_per_class,"
            "test_rows_per_class,perturbation,guidance,semantics,classifier_passes,dimension,epochs,batch_size,"
            "learning_rate,found_learning_rate,weight_decay,lambda,nu,gamma,tau,sigma,scaling,k,clusters,outcome,"
            "diverged_epoch,cause,message,epochs_recorded,best_epoch,auc_best,auc_best_low,auc_best_high,"
            "ap_normal_best,ap_anomalous_best,fpr95_best,threshold_best,auc_last,auc_last_low,auc_last_high,"
            "ap_normal_last,ap_anomalous_last,fpr95_last,threshold_last,train_rows,test_rows,device,threads,"
            "engine_version,wall_seconds,host,started,gpu,processor\n" +
                sweeps::key_of(job).hex +
                ",cifar10,airplane,,plume,linear-map + full,7,efficientnet-lite0,other,dataset,1000,,linear-map,full,"
                "released,,384,2,32,5e-04,6e-05,0.01,5,1,1,0.5,,,,,finished,,,,3,1,0.75,0.75,0.75,0.75,0.75,0.25,"
                "0.30000000000000004,0.25,0.24020018007729974,0.2597998199227003,0.125,0.3333333333333333,0.875,0.5,"
                "1000,10000,cpu,3,6,12.5,node7,2026-11-27T20:15:03Z,,\n");
}

TEST_F(JobColumns, LeaveEmptyWhatHasNoEffectOnAJob) {
  const std::set<std::string> every = {"key",     "dataset",         "class",   "method",
                                       "setting", "epochs_recorded", "outcome", "train_rows_per_class"};
  const auto and_more = [&](std::set<std::string> more) {
    more.insert(every.begin(), every.end());
    return more;
  };
  EXPECT_EQ(filled(line(samples::neighbours("cat"))), and_more({"backbone", "normalisation", "scaling", "k"}));
  EXPECT_EQ(filled(line(samples::k_means("cat", 0))),
            and_more({"backbone", "normalisation", "scaling", "clusters", "seed"}));
  EXPECT_EQ(filled(line(samples::plad("cat", 0))),
            and_more({"seed", "semantics", "epochs", "batch_size", "learning_rate", "weight_decay", "lambda", "nu"}));
  sweeps::Job gaussian = training("cat", 0);
  gaussian.training.perturbation = sweeps::Perturbation::gaussian;
  gaussian.training.guidance = sweeps::Guidance::none;
  gaussian.training.learning_rate.reset();
  gaussian.train_rows.reset();
  const Line found = line(gaussian);
  EXPECT_EQ(found.at("lambda") + found.at("nu") + found.at("gamma") + found.at("tau") + found.at("learning_rate") +
                found.at("train_rows_per_class"),
            "");
  EXPECT_EQ(found.at("sigma"), "1");
}

TEST_F(JobColumns, SayWhatBecameOfJobsWithoutAResult) {
  const auto failed = training("cat", 0), missing = training("cat", 1), at_work = training("cat", 2);
  for (const auto& job : {failed, missing, at_work}) add(plans[0], job);
  ledger.apply(results::Failed{failed, 2, "oom", "out of memory, \"again\""});
  ledger.apply(results::AttemptStarted{sweeps::key_of(at_work), 1, "worker 1 (node7)", "2026-11-27T20:15:03Z"});

  const auto all = lines();
  EXPECT_EQ(all[0].at("outcome"), "failed");
  EXPECT_EQ(all[0].at("cause"), "oom");
  EXPECT_EQ(all[0].at("message"), "\"out of memory, \"\"again\"\"\"");
  EXPECT_EQ(all[0].at("auc_last") + all[0].at("weights") + all[0].at("device") + all[0].at("wall_seconds"), "");
  EXPECT_EQ(all[1].at("outcome"), "missing");
  EXPECT_EQ(all[2].at("outcome"), "missing") << "no result yet";
  EXPECT_EQ(all[1].at("cause") + all[1].at("message"), "");
  EXPECT_EQ(all[1].at("epochs_recorded"), "0");
}

TEST_F(JobColumns, GiveADivergedJobNoBestAndNoLastEpoch) {
  const auto job = training("cat", 0);
  add(plans[0], job);
  results::JobResult diverged = samples::diverged(1);
  diverged.epochs = finished({0.5}).epochs;
  ledger.apply(done(job, diverged));

  const Line line = lines().at(0);
  EXPECT_EQ(line.at("outcome"), "diverged");
  EXPECT_EQ(line.at("diverged_epoch"), "1");
  EXPECT_EQ(line.at("epochs_recorded"), "1");
  EXPECT_EQ(line.at("best_epoch") + line.at("auc_best") + line.at("auc_last") + line.at("threshold_last"), "");
  EXPECT_EQ(line.at("train_rows"), "1000");
}

TEST_F(JobColumns, HaveNoBestEpochWhereNoRankingIsDefined) {
  const auto job = training("cat", 0);
  add(plans[0], job);
  results::JobResult undefined = full_result();
  for (auto& record : undefined.epochs) record.ranking.reset();
  ledger.apply(done(job, undefined));

  const Line line = lines().at(0);
  EXPECT_EQ(line.at("outcome"), "finished");
  EXPECT_EQ(line.at("best_epoch") + line.at("auc_best") + line.at("auc_last") + line.at("threshold_best"), "");
  EXPECT_EQ(line.at("threshold_last"), "0.5");
}

TEST_F(JobColumns, QuoteNamesAsEveryCsvDoes) {
  sweeps::Job hostile = samples::neighbours("a,b \"c\"\nd");
  hostile.members = {"=1+1", "x\"y"};
  ledger.apply(results::Failed{hostile, 1, "exception", "=cmd|' /C calc'!A0"});
  const Line found = line(hostile);
  EXPECT_EQ(found.at("class"), "\"a,b \"\"c\"\"\nd\"");
  EXPECT_EQ(found.at("members"), R"("[""=1+1"",""x\""y""]")");
  EXPECT_EQ(found.at("message"), "=cmd|' /C calc'!A0") << "as it is: what a spreadsheet does is its own business";
  EXPECT_EQ(line(samples::neighbours(" cat ")).at("class"), "\" cat \"");
}

TEST_F(JobColumns, ListAJobThatTwoPlansShareOnceInTheirOrder) {
  plans.emplace_back();
  for (const int seed : {1, 0}) add(plans[0], training("cat", static_cast<std::uint64_t>(seed)));
  for (const int seed : {0, 2}) add(plans[1], training("cat", static_cast<std::uint64_t>(seed)));
  std::vector<std::string> seeds;
  for (const Line& one : lines()) seeds.push_back(one.at("seed"));
  EXPECT_THAT(seeds, ElementsAre("1", "0", "2"));
}

TEST_F(JobColumns, HaveAColumnForEverySettingOfAJob) {
  std::set<std::string> names;
  for (const auto& column : results::job_columns()) {
    EXPECT_TRUE(names.insert(column.name).second) << column.name << " is there twice";
    EXPECT_NE(column.description, "") << column.name;
  }
  const std::map<std::string, std::string> called = {
      {"lr", "learning_rate"}, {"train_rows", "train_rows_per_class"}, {"test_rows", "test_rows_per_class"}};
  sweeps::Job set = training("cat", 0);
  set.members = {"cat", "dog"};
  set.test_rows = 5;
  sweeps::Job once = training("cat", 0);
  once.training.perturbation = sweeps::Perturbation::add_mult;
  once.training.guidance = sweeps::Guidance::none;
  sweeps::Job noise = training("cat", 0);
  noise.training.perturbation = sweeps::Perturbation::gaussian;
  for (const auto& job :
       {set, once, noise, samples::plad("cat", 0), samples::neighbours("cat"), samples::k_means("cat", 0)}) {
    const auto text = storage::parse_json(sweeps::canonical_text(job), "a job", storage::Blame::run);
    const Line found = line(job);
    for (const auto& [member, value] : text.members()) {
      if (member == "engine_version") continue;  // that which computed: of a result
      const auto column = called.count(member) != 0 ? called.at(member) : member;
      EXPECT_NE(found.at(column), "") << member << " of " << sweeps::describe(job);
    }
  }
}

}  // namespace
