// Placement on GPUs, as a user meets it: real mpirun and real trainers, with drivers that pretend to have two GPUs.
// What a trainer computes on is what its LibTorch can: here the CPU, and the run says so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/end_to_end/processes.hpp"
#include "tests/end_to_end/program.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/workers/pretended_gpus.hpp"

namespace tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::json;
using Strings = std::vector<std::string>;

class GpuRun : public testing::Test {
 protected:
  GpuRun() {
    write_text(folder_ / "sweep.json", R"({"version": 1, "name": "small",
      "datasets": {"synthetic": {"kind": "synthetic", "classes": 2, "train_per_class": 12, "test_per_class": 6}},
      "blocks": [{"dataset": "synthetic", "backbone": "efficientnet-lite0", "method": "knn", "k": [1, 2, 3]}]})");
  }

  Strings arguments(const Strings& more = {}) const {
    Strings all = {"run",       "sweep.json",
                   "--out",     "out",
                   "--threads", "1",
                   "--cache",   (folder_ / "cache").string(),
                   "--weights", "efficientnet-lite0=random:7"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  /// Of two values of a variable the first holds.
  static Strings in(Strings environment) {
    const auto pretended = pretending(STAND_IN_DRIVERS);
    environment.insert(environment.end(), pretended.begin(), pretended.end());
    return environment;
  }
  Ended under_ranks(int ranks, const Strings& more = {}, const Strings& environment = {}) const {
    return Running(under_mpirun(ranks, arguments(more)), folder_.path(), in(environment)).wait();
  }
  Ended alone(const Strings& more = {}, const Strings& environment = {}) const {
    return run_program(arguments(more), folder_.path(), in(environment));
  }

  /// UUIDs by worker, as run.json has them; "" for a worker without one.
  std::map<int, std::string> places() const {
    std::map<int, std::string> places;
    const Json run = Json::parse(read_text(folder_ / "out/run.json"));
    for (const auto& worker : run.at("last_run").at("workers")) {
      places[worker.at("worker")] = worker.contains("gpu") ? worker["gpu"]["uuid"].get<std::string>() : "";
    }
    return places;
  }
  /// UUIDs of the timings of committed results.
  std::set<std::string> gpus_of_results() const {
    std::set<std::string> gpus;
    std::istringstream journal(read_text(folder_ / "out/journal.jsonl"));
    for (std::string line; std::getline(journal, line);) {
      const Json entry = Json::parse(line);
      if (entry.at("type") != "done") continue;
      gpus.insert(entry.at("timing").value("gpu", ""));
      EXPECT_EQ(entry.at("result").at("device"), "cpu") << "what this LibTorch computes on";
    }
    return gpus;
  }

  TemporaryFolder folder_;
};

TEST_F(GpuRun, UnderMpirunGivesEachWorkerAGpuAndSendsTheSurplusAway) {
  const auto ended = under_ranks(4);  // a coordinator and three workers
  ASSERT_EQ(ended.status, 0) << ended.errors;
  EXPECT_THAT(ended.errors, HasSubstr("worker 3 leaves: 2 GPU(s), 1 worker(s) each, and all places are taken "
                                      "(--workers-per-gpu 2 gives more)"));
  EXPECT_THAT(ended.errors, Not(HasSubstr("worker 3 is gone")));
  const auto log = read_text(folder_ / "out/logs/run.log");
  for (const std::string& where : {std::string("stderr"), std::string("run.log")}) {
    const auto& text = where == "stderr" ? ended.errors : log;
    EXPECT_THAT(text, AllOf(testing::ContainsRegex("worker 1: [^ ]+, GPU-8932f937 \\(NVIDIA H100\\), 1 thread\\(s\\)"),
                            testing::ContainsRegex("worker 2: [^ ]+, GPU-1b2c3d4e \\(NVIDIA H100\\), 1 thread\\(s\\)")))
        << where;
  }
  EXPECT_EQ(places(), (std::map<int, std::string>{{1, kFirstGpu}, {2, kSecondGpu}}));
  EXPECT_THAT(gpus_of_results(), testing::IsSubsetOf({kFirstGpu, kSecondGpu}));
  EXPECT_FALSE(gpus_of_results().empty());
}

TEST_F(GpuRun, LetsTheSurplusSleepUntilTheOthersEnd) {
  Running run(under_mpirun(4, arguments()), folder_.path(), in({"PLUME_FAULT=hang"}));
  const auto log = folder_ / "out/logs/run.log";
  ASSERT_TRUE(run.until([&] {
    return std::filesystem::exists(log) && read_text(log).find("worker 3 leaves") != std::string::npos &&
           trainers_in(folder_.path()).size() == 2;
  }));
  const auto ranks = runs_in(folder_.path());
  ASSERT_EQ(ranks.size(), 4U) << text_of(ranks);
  const auto begin = std::chrono::steady_clock::now();
  run.until([&] { return std::chrono::steady_clock::now() - begin > std::chrono::seconds(5); });
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
  const auto ticks = static_cast<double>(look_again(ranks[3]).cpu_ticks - ranks[3].cpu_ticks);
  EXPECT_LT(ticks / static_cast<double>(sysconf(_SC_CLK_TCK)) / passed.count(), 0.05) << "of a core";
}

TEST_F(GpuRun, SaysOnceThatThisVersionDoesNotComputeOnThem) {
  const auto ended = alone();
  ASSERT_EQ(ended.status, 0) << ended.errors;
  const std::string said = "the GPUs are not used: this version of plume-bench computes on the CPU only";
  ASSERT_THAT(ended.errors, HasSubstr(said));
  EXPECT_EQ(ended.errors.find(said, ended.errors.find(said) + 1), std::string::npos) << "once";
  EXPECT_EQ(places().size(), 2U) << "a local worker for each GPU";
}

TEST_F(GpuRun, SharesAGpuWhereItIsAskedTo) {
  const auto ended = under_ranks(4, {"--workers-per-gpu", "2"});
  ASSERT_EQ(ended.status, 0) << ended.errors;
  EXPECT_EQ(places(), (std::map<int, std::string>{{1, kFirstGpu}, {2, kSecondGpu}, {3, kFirstGpu}}));
}

TEST_F(GpuRun, EndsWhereCudaShowsATrainerAnotherGpuThanItsOwn) {
  const auto ended = under_ranks(3, {}, {"PRETEND_CUDA=others"});
  EXPECT_EQ(ended.status, 1);
  EXPECT_THAT(ended.errors, HasSubstr("this trainer was given " + kFirstGpu + ", but CUDA shows " + kSecondGpu));
  EXPECT_THAT(ended.errors, HasSubstr("start-failed"));
}

TEST_F(GpuRun, RefusesMoreLocalWorkersThanPlacesAtItsStart) {
  const auto ended = alone({"--workers", "3"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.errors,
              HasSubstr("--workers 3: this process may use 2 GPU(s), 1 worker(s) each; give --workers 2, or "
                        "--workers-per-gpu 2"));
}

TEST_F(GpuRun, UsesOnlyWhatItMaySeeAndSaysWhatItPassesOver) {
  const auto ended = alone({}, {"CUDA_VISIBLE_DEVICES=1,5"});
  ASSERT_EQ(ended.status, 0) << ended.errors;
  EXPECT_THAT(ended.errors, HasSubstr("CUDA_VISIBLE_DEVICES=1,5: 5 names no GPU"));
  EXPECT_EQ(places(), (std::map<int, std::string>{{1, kSecondGpu}}));
}

TEST_F(GpuRun, WithEveryGpuHiddenIsARunOnCpus) {
  const auto ended = under_ranks(3, {}, {"CUDA_VISIBLE_DEVICES="});
  ASSERT_EQ(ended.status, 0) << ended.errors;
  EXPECT_THAT(ended.errors, AllOf(HasSubstr(": 2 worker(s) on the CPU, 1 thread(s) each"), Not(HasSubstr("GPU"))));
  EXPECT_EQ(places(), (std::map<int, std::string>{{1, ""}, {2, ""}}));
  EXPECT_EQ(gpus_of_results(), std::set<std::string>{""});
}

TEST_F(GpuRun, RefusesAnIndexThatMayMeanEitherOfTwoKindsOfGpus) {
  const auto ended = under_ranks(
      3, {}, {"CUDA_VISIBLE_DEVICES=0", "PRETEND_GPUS=" + kFirstGpu + "=NVIDIA T400;" + kSecondGpu + "=NVIDIA H100"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.errors, HasSubstr("set CUDA_DEVICE_ORDER=PCI_BUS_ID"));
}

}  // namespace
}  // namespace tests
