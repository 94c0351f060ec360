// Allocations that are too short for a plan, with Slurm's own signal before the end of each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/end_to_end/slurm_jobs.hpp"

namespace tests {
namespace {

using std::chrono::seconds;
using testing::AnyOf;
using testing::HasSubstr;

TEST(SlurmChain, OfShortAllocationsCompletesAPlanAndItsTablesAreThoseOfOneLongRun) {
  // 14 trainings of 20 s, on two workers 140 s: two minutes are too few.
  constexpr int kSeeds = 7, kEpochs = 20;
  const auto undisturbed = undisturbed_report(kSeeds, kEpochs, 96);
  const SmallRun sweep(kSeeds, kEpochs, 96);
  const SlurmRun slurm(sweep, {"--gpus-per-node", "2", "--cpus-per-task", "1", "--time", "2", "--drain", "20"});
  Running watch({program().string(), "status", sweep.out().string(), "--watch", "--json", "--every", "0.3"},
                sweep.folder());
  ASSERT_TRUE(watch.until([&] { return watch.output().find("nothing has run yet") != std::string::npos; }));
  slurm.submit({"PLUME_FAULT=slow"});
  ASSERT_TRUE(slurm.all_jobs_ended(seconds(400))) << slurm.printed();
  EXPECT_GE(slurm.allocations(), 2U);
  EXPECT_TRUE(slurm.has_printed("another allocation goes on"));
  EXPECT_TRUE(slurm.has_printed("every job has a result: the chain is complete"));
  ASSERT_EQ(sweep.exit_status(), 0) << slurm.printed();
  EXPECT_TRUE(sweep.is_complete());
  const auto watched = watch.wait(seconds(30));
  EXPECT_EQ(watched.status, 0) << "it ends with the chain, and not between two allocations";
  EXPECT_THAT(watched.output, HasSubstr("complete; "));
  // Some two seconds lie between two allocations, in five states. Each look sees one, and asks Slurm meanwhile.
  const auto begun = watched.output.find(R"("headline":"training")");
  ASSERT_NE(begun, std::string::npos) << watched.output;
  EXPECT_THAT(
      watched.output.substr(begun),
      AnyOf(HasSubstr("its batch script has yet to say whether another allocation follows"),
            HasSubstr("the next allocation goes on once Slurm starts it"),
            HasSubstr("the next allocation waits in Slurm's queue"),
            HasSubstr("its batch script waits in Slurm's queue"), HasSubstr("has started, and its run has not begun")));
  EXPECT_TRUE(sweep.report() == undisturbed) << sweep.report().at("report/tables/small.md");
}

}  // namespace
}  // namespace tests
