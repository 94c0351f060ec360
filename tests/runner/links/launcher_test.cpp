// What the environment says about who started this process, and the wrong starts that it gives away.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <map>
#include <string>

#include "runner/mpi_world.hpp"
#include "storage/error.hpp"

namespace runner {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

class Launcher : public testing::Test {
 protected:
  static constexpr const char* kVariables[] = {
      "OMPI_COMM_WORLD_SIZE", "PMIX_RANK",   "PMI_RANK", "PMI_SIZE", "SLURM_STEP_ID",
      "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"};
  Launcher() {
    for (const char* variable : kVariables) {
      if (const char* value = getenv(variable)) {
        before_[variable] = value;
      }
      unsetenv(variable);
    }
  }
  ~Launcher() override {
    for (const char* variable : kVariables) {
      unsetenv(variable);
    }
    for (const auto& [variable, value] : before_) {
      setenv(variable.c_str(), value.c_str(), 1);
    }
  }

 private:
  std::map<std::string, std::string> before_;
};

TEST_F(Launcher, IsNobodyOnALaptop) {
  EXPECT_FALSE(launched_by_mpi());
  EXPECT_NO_THROW(check_world(1));
}

TEST_F(Launcher, IsMpiWhenItsVariablesAreThereAndMpiIsBuiltIn) {
#ifdef PLUME_WITH_MPI
  constexpr bool kBuiltIn = true;
#else
  constexpr bool kBuiltIn = false;
#endif
  setenv("PMIX_RANK", "0", 1);
  EXPECT_EQ(launched_by_mpi(), kBuiltIn);
  unsetenv("PMIX_RANK");
  setenv("OMPI_COMM_WORLD_SIZE", "4", 1);
  EXPECT_EQ(launched_by_mpi(), kBuiltIn);
}

TEST_F(Launcher, SrunWithoutPmixIsRefusedWithTheFlagThatMendsIt) {
  setenv("SLURM_STEP_ID", "0", 1);
  setenv("SLURM_NTASKS", "8", 1);
  EXPECT_THAT([] { check_world(1); },
              ThrowsMessage<storage::UsageError>(AllOf(HasSubstr("8 tasks"), HasSubstr("srun --mpi=pmix -n 8"))));
  EXPECT_NO_THROW(check_world(8));
}

TEST_F(Launcher, ABatchScriptMayRunLocalWorkersInAnAllocationOfManyTasks) {
  setenv("SLURM_NTASKS", "8", 1);
  EXPECT_NO_THROW(check_world(1));
}

TEST_F(Launcher, TheStepsNumberOfTasksCountsNotTheAllocations) {
  setenv("SLURM_STEP_ID", "1", 1);
  setenv("SLURM_NTASKS", "8", 1);
  setenv("SLURM_STEP_NUM_TASKS", "2", 1);
  EXPECT_NO_THROW(check_world(2));
  EXPECT_THROW(check_world(8), storage::UsageError);
}

TEST_F(Launcher, MpirunThatReachesItsHostsBySrunIsNotMistakenForIt) {
  setenv("SLURM_STEP_ID", "0", 1);
  setenv("SLURM_NTASKS", "2", 1);  // two hosts, two daemons
  setenv("OMPI_COMM_WORLD_SIZE", "16", 1);
  EXPECT_NO_THROW(check_world(16));
}

TEST_F(Launcher, AProgramWithoutMpiUnderMpirunIsRefused) {
  setenv("OMPI_COMM_WORLD_SIZE", "4", 1);
  EXPECT_THAT([] { check_world(1); }, ThrowsMessage<storage::UsageError>(HasSubstr("-DPLUME_WITH_MPI=ON")));
}

}  // namespace
}  // namespace runner
