// Workers and GPUs: who gets which, who waits, who leaves, and what is said of it.
#include "runner/gpu_placement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "storage/error.hpp"

namespace runner {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Names = std::vector<std::string>;

/// "a" -> a GPU of the UUID GPU-a.
workers::Hello hello(const std::string& host, const Names& gpus) {
  workers::Hello hello;
  hello.host = host;
  for (const auto& name : gpus) hello.visible.gpus.push_back({"GPU-" + name, "NVIDIA H100", false, 80});
  return hello;
}

/// "1:a 2:b 3:- leave 4" of what was decided.
std::string text(const Decisions& decisions) {
  std::string text;
  for (const auto& [worker, gpu] : decisions.placed) {
    text += std::to_string(worker.value) + ":" + (gpu ? gpu->uuid.substr(4) : "-") + " ";
  }
  for (const auto& surplus : decisions.surplus) text += "leave " + std::to_string(surplus.worker.value) + " ";
  if (!text.empty()) text.pop_back();
  return text;
}

std::vector<WorkerId> workers_to(int last) {
  std::vector<WorkerId> ids;
  for (int id = 1; id <= last; ++id) ids.push_back({id});
  return ids;
}

/// All of one host greet at once, each with the GPUs that it sees.
Decisions placed(const std::vector<Names>& seen, int workers_per_gpu = 1, const std::string& host = "node1") {
  GpuPlacement placement(workers_per_gpu, 30);
  placement.expect(workers_to(static_cast<int>(seen.size())), 0);
  int id = 0;
  for (const auto& gpus : seen) placement.greet({++id}, hello(host, gpus));
  return placement.decide(0);
}

TEST(GpuPlacement, GivesEachWorkerAGpuOfItsOwnWhereAllSeeAll) {
  EXPECT_EQ(text(placed({{"a", "b"}, {"a", "b"}})), "1:a 2:b");
}

TEST(GpuPlacement, GivesEachWorkerTheOneThatItSees) {
  EXPECT_EQ(text(placed({{"b"}, {"a"}})), "1:b 2:a");
}

TEST(GpuPlacement, LeavesTheOnlyGpuOfAWorkerToIt) {
  EXPECT_EQ(text(placed({{"a", "b"}, {"a"}})), "1:b 2:a");
  EXPECT_EQ(text(placed({{"a", "b"}, {"b", "c"}, {"b"}, {"a"}})), "1:a 2:c 3:b leave 4") << "a has one place";
  EXPECT_EQ(text(placed({{"a", "b"}, {"b", "c"}, {"a"}})), "1:b 2:c 3:a") << "two moves";
}

TEST(GpuPlacement, PutsNoSecondWorkerOnAGpuWhileAnotherHasNone) {
  EXPECT_EQ(text(placed({{"a", "b"}, {"a", "b"}, {"a", "b"}, {"a", "b"}}, 2)), "1:a 2:b 3:a 4:b");
  EXPECT_EQ(text(placed({{"a"}, {"a", "b"}, {"a", "b"}}, 2)), "1:a 2:b 3:a");
}

TEST(GpuPlacement, SendsSurplusWorkersAwayAndSaysHowTheyCouldStay) {
  const auto decisions = placed({{"a", "b"}, {"a", "b"}, {"a", "b"}});
  EXPECT_EQ(text(decisions), "1:a 2:b leave 3");
  EXPECT_THAT(decisions.lines,
              ElementsAre("node1: worker 3 leaves: 2 GPU(s), 1 worker(s) each, and all places are taken "
                          "(--workers-per-gpu 2 gives more)"));
}

TEST(GpuPlacement, SaysOneLineForAHostHoweverManyLeave) {
  const auto decisions = placed(std::vector<Names>(20, {"a"}));
  EXPECT_EQ(decisions.surplus.size(), 19U);
  ASSERT_EQ(decisions.lines.size(), 1U);
  EXPECT_THAT(decisions.lines[0], HasSubstr("workers 2, 3, 4, 5, 6, 7, 8, 9 and 11 more leave: 1 GPU(s)"));
}

TEST(GpuPlacement, CountsAGpuOnceThoughItsHostGoesByTwoNames) {
  GpuPlacement placement(1, 30);
  placement.greet({1}, hello("container1", {"a"}));
  placement.greet({2}, hello("container2", {"a"}));
  EXPECT_EQ(text(placement.decide(0)), "1:a leave 2");
}

TEST(GpuPlacement, SendsWorkersWithoutAGpuAwayWhereOthersHaveOne) {
  GpuPlacement placement(1, 30);
  placement.greet({1}, hello("node1", {"a"}));
  placement.greet({2}, hello("node2", {}));
  const auto decisions = placement.decide(0);
  EXPECT_EQ(text(decisions), "1:a leave 2");
  EXPECT_THAT(
      decisions.lines,
      ElementsAre("node2: worker 2 leaves: no GPU is to be seen there while others have one, and results of CPUs and "
                  "GPUs do not mix"));
}

TEST(GpuPlacement, PlacesAllOnCpusWhereNobodySeesAGpu) {
  const auto decisions = placed({{}, {}});
  EXPECT_EQ(text(decisions), "1:- 2:-");
  EXPECT_THAT(decisions.lines, IsEmpty());
}

TEST(GpuPlacement, WaitsForTheExpectedWorkersButNotForEver) {
  GpuPlacement placement(1, 30);
  placement.expect(workers_to(2), 100);
  placement.greet({1}, hello("node1", {"a", "b"}));
  EXPECT_EQ(text(placement.decide(129)), "");
  EXPECT_EQ(text(placement.decide(130)), "1:a");
  placement.greet({2}, hello("node1", {"a", "b"}));
  EXPECT_EQ(text(placement.decide(131)), "2:b") << "late, and decided at once";
}

TEST(GpuPlacement, DoesNotWaitForTheLost) {
  GpuPlacement placement(1, 30);
  placement.expect(workers_to(2), 0);
  placement.greet({1}, hello("node1", {"a"}));
  placement.leave({2});
  EXPECT_EQ(text(placement.decide(1)), "1:a");
}

TEST(GpuPlacement, GivesThePlaceOfALostWorkerToALaterOne) {
  GpuPlacement placement(1, 30);
  placement.greet({1}, hello("node1", {"a"}));
  placement.decide(0);
  placement.greet({2}, hello("node1", {"a"}));
  EXPECT_EQ(text(placement.decide(1)), "leave 2");
  placement.leave({1});
  placement.greet({3}, hello("node1", {"a"}));
  EXPECT_EQ(text(placement.decide(2)), "3:a");
  EXPECT_EQ(placement.gpu_of({1})->uuid, "GPU-a") << "a late result of it is still of that GPU";
}

TEST(GpuPlacement, TakesAWorkerThatGreetsAnewForAFreshOne) {
  GpuPlacement placement(1, 30);
  placement.greet({1}, hello("node1", {"a", "b"}));
  placement.greet({2}, hello("node1", {"a", "b"}));
  placement.decide(0);
  placement.greet({1}, hello("node1", {"a", "b"}));
  EXPECT_EQ(text(placement.decide(1)), "1:a");
}

TEST(GpuPlacement, KeepsARunThatBeganOnCpusThere) {
  GpuPlacement placement(1, 30);
  placement.greet({1}, hello("node1", {}));
  placement.decide(0);
  placement.greet({2}, hello("node2", {"a"}));
  const auto decisions = placement.decide(1);
  EXPECT_EQ(text(decisions), "2:-");
  EXPECT_THAT(decisions.lines,
              ElementsAre("node2: its GPUs are not used: the run began on CPUs, and results of both do not mix"));
}

TEST(GpuPlacement, RepeatsWhatWorkersSayOnceAHost) {
  GpuPlacement placement(1, 30);
  workers::Hello broken = hello("node1", {});
  broken.visible.notes = {"the driver fails"};
  placement.greet({1}, broken);
  placement.greet({2}, broken);
  EXPECT_THAT(placement.decide(0).lines, ElementsAre("node1: the driver fails"));
  placement.greet({2}, broken);
  EXPECT_THAT(placement.decide(1).lines, IsEmpty());
}

TEST(GpuPlacement, PassesARefusalOnAndPlacesNobody) {
  GpuPlacement placement(1, 30);
  workers::Hello refusing = hello("node1", {});
  refusing.visible.refusal = "CUDA_VISIBLE_DEVICES=0: which GPU is meant?";
  placement.greet({1}, hello("node1", {"a"}));
  placement.greet({2}, refusing);
  const auto decisions = placement.decide(0);
  EXPECT_EQ(decisions.refusal, "worker 2 (node1): CUDA_VISIBLE_DEVICES=0: which GPU is meant?");
  EXPECT_EQ(text(decisions), "");
}

TEST(GpuPlacement, HasNothingToDecideWithoutAGreeting) {
  GpuPlacement placement(1, 30);
  EXPECT_EQ(text(placement.decide(1000)), "");
  placement.greet({1}, hello("node1", {"a"}));
  placement.decide(1000);
  EXPECT_EQ(text(placement.decide(1001)), "");
}

/// As many as can have a place, by trying every way: workers one by one, each on any of its GPUs or on none.
int most_places(const std::vector<std::vector<int>>& seen, std::size_t worker, std::vector<int>& room) {
  if (worker == seen.size()) return 0;
  int most = most_places(seen, worker + 1, room);
  for (const int gpu : seen[worker]) {
    if (room[static_cast<std::size_t>(gpu)] == 0) continue;
    --room[static_cast<std::size_t>(gpu)];
    most = std::max(most, 1 + most_places(seen, worker + 1, room));
    ++room[static_cast<std::size_t>(gpu)];
  }
  return most;
}

TEST(GpuPlacement, PlacesAsManyWorkersAsCanHaveAPlaceAndNoneOnAFullGpu) {
  std::mt19937 random(11);
  for (int round = 0; round < 2000; ++round) {
    const int gpus = 1 + static_cast<int>(random() % 4), each = 1 + static_cast<int>(random() % 2);
    std::vector<std::vector<int>> seen(1 + random() % 6);
    std::vector<Names> names(seen.size());
    for (std::size_t w = 0; w < seen.size(); ++w) {
      for (int gpu = 0; gpu < gpus; ++gpu) {
        if (random() % 2 == 0) continue;
        seen[w].push_back(gpu);
        names[w].push_back(std::to_string(gpu));
      }
    }
    const bool some = std::any_of(seen.begin(), seen.end(), [](const auto& s) { return !s.empty(); });
    if (!some) continue;
    const auto decisions = placed(names, each);
    std::map<std::string, int> load;
    for (const auto& [worker, gpu] : decisions.placed) {
      const auto& visible = names[static_cast<std::size_t>(worker.value - 1)];
      ASSERT_TRUE(std::count(visible.begin(), visible.end(), gpu->uuid.substr(4))) << "a GPU that it does not see";
      ASSERT_LE(++load[gpu->uuid], each);
    }
    std::vector<int> room(static_cast<std::size_t>(gpus), each);
    ASSERT_EQ(static_cast<int>(decisions.placed.size()), most_places(seen, 0, room)) << "round " << round;
    ASSERT_EQ(decisions.placed.size() + decisions.surplus.size(), seen.size());
  }
}

TEST(GpuPlacement, PlacesTwoThousandWorkersAtOnce) {
  GpuPlacement placement(8, 30);
  for (int worker = 1; worker <= 2000; ++worker) {
    const std::string node = std::to_string(worker / 16);
    placement.greet({worker}, hello("node" + node, {node + "a", node + "b", node + "c", node + "d"}));
  }
  const auto decisions = placement.decide(0);
  EXPECT_EQ(decisions.placed.size(), 2000U);
}

// ---- local workers
// ---------------------------------------------------------------------------------------------------------

TEST(LocalWorkers, AreOneForEachPlaceOnAGpu) {
  const auto two = hello("", {"a", "b"}).visible;
  EXPECT_EQ(local_workers({}, 1, two), 2);
  EXPECT_EQ(local_workers({}, 3, two), 6);
  EXPECT_EQ(local_workers(1, 1, two), 1);
  EXPECT_EQ(local_workers({}, 1, {}), std::nullopt) << "the CPUs tell";
  EXPECT_EQ(local_workers(5, 1, {}), 5);
}

std::string refusal(std::optional<int> asked, int per_gpu, const workers::VisibleGpus& visible) {
  try {
    local_workers(asked, per_gpu, visible);
  } catch (const storage::UsageError& error) {
    return error.what();
  }
  return "(not refused)";
}

TEST(LocalWorkers, BeyondTheGpusAreRefusedWithTheFlagThatMendsIt) {
  const auto two = hello("", {"a", "b"}).visible;
  EXPECT_EQ(refusal(5, 1, two),
            "--workers 5: this process may use 2 GPU(s), 1 worker(s) each; give --workers 2, or "
            "--workers-per-gpu 3");
  EXPECT_EQ(refusal(4, 2, two), "(not refused)");
}

TEST(LocalWorkers, AreRefusedWhereItIsNotClearWhichGpuIsMeant) {
  workers::VisibleGpus unclear;
  unclear.refusal = "which?";
  EXPECT_EQ(refusal({}, 1, unclear), "which?");
}

}  // namespace
}  // namespace runner
