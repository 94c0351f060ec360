// Who started this process, read from the environment: mpirun, srun, nobody. Knows no MPI.
#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <cstring>

#include "runner/mpi_world.hpp"
#include "storage/error.hpp"

namespace runner {
namespace {

std::optional<int> number_in(const char* variable) {
  const char* text = std::getenv(variable);
  int number = 0;
  if (text == nullptr) {
    return std::nullopt;
  }
  const char* end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, number);
  return error == std::errc() && stop == end ? std::optional<int>(number) : std::nullopt;
}

}  // namespace

bool launched_by_mpi() {
#ifdef PLUME_WITH_MPI
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_SIZE"}) {
    if (std::getenv(variable) != nullptr) {
      return true;
    }
  }
#endif
  return false;
}

std::optional<int> launcher_rank() {
  for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"}) {
    if (const auto rank = number_in(variable)) return rank;
  }
  return std::nullopt;
}

void check_world(int world_size) {
  const std::optional<int> by_mpirun = number_in("OMPI_COMM_WORLD_SIZE");
  if (by_mpirun) {  // mpirun may itself have used srun to reach its hosts, so Slurm's numbers say nothing about its
                    // ranks
    if (*by_mpirun != world_size) {
      throw storage::UsageError(fmt::format(
          "mpirun started {} processes, but this one knows of {}: this plume-bench was built without MPI or with "
          "another MPI than "
          "that mpirun's; build with -DPLUME_WITH_MPI=ON and that MPI, or start it without mpirun (--workers N)",
          *by_mpirun, world_size));
    }
    return;
  }
  if (std::getenv("SLURM_STEP_ID") == nullptr) {
    return;
  }
  // srun -n 2 inside an allocation of 4 tasks: the step's number counts.
  const std::optional<int> step_tasks = number_in("SLURM_STEP_NUM_TASKS");
  const std::optional<int> tasks = step_tasks ? step_tasks : number_in("SLURM_NTASKS");
  if (tasks && *tasks != world_size) {
    throw storage::UsageError(
        fmt::format("srun started {0} tasks (SLURM_NTASKS), but this process knows of {1}: write `srun --mpi=pmix -n "
                    "{0} plume-bench ...`, "
                    "or `srun -n 1 plume-bench ...` for local workers only",
                    *tasks, world_size));
  }
}

}  // namespace runner
