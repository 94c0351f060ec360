// Types at Slurm and reads what it says.
#include "tests/end_to_end/slurm_jobs.hpp"

#include <gtest/gtest.h>

#include "tests/end_to_end/processes.hpp"
#include "tests/workers/pretended_gpus.hpp"

namespace tests {
namespace {

namespace fs = std::filesystem;

}  // namespace

std::string typed(const std::vector<std::string>& command, const fs::path& folder,
                  const std::vector<std::string>& environment) {
  auto ended = Running(command, folder, environment).wait(std::chrono::seconds(60));
  EXPECT_EQ(ended.status, 0) << command[0] << ": " << ended.output << ended.errors;
  while (ended.output.ends_with('\n')) ended.output.pop_back();
  return ended.output;
}

SlurmRun::SlurmRun(const SmallRun& sweep, const std::vector<std::string>& flags) : sweep_(sweep) {
  auto command = sweep.alone(flags);
  command[1] = "slurm";
  const auto threads = std::find(command.begin(), command.end(), "--threads");
  command.erase(threads, threads + 2);  // the scripts give as many as there are CPUs
  typed(command, sweep.folder());
}

std::string SlurmRun::submit(const std::vector<std::string>& environment, const std::vector<std::string>& typed) const {
  auto all = environment;
  for (const auto& each : pretending(STAND_IN_DRIVERS)) all.push_back(each);
  all.insert(all.end(), {"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"});
  std::vector<std::string> command{"sbatch", "--parsable", (sweep_.out() / "slurm/run.sbatch").string()};
  command.insert(command.end(), typed.begin(), typed.end());
  return tests::typed(command, sweep_.folder(), all);
}

bool SlurmRun::all_jobs_ended(std::chrono::seconds limit) const {
  // squeue forgets a job for a moment while it is requeued, and now and then scontrol knows of none.
  const char* const wait =
      "until jobs=$(scontrol show jobs --oneliner) && [[ $jobs == *JobState=* ]] &&"
      " ! [[ $jobs =~ JobState=(PENDING|RUNNING|COMPLETING|REQUEUED|CONFIGURING|SUSPENDED) ]]; do sleep 0.3; done";
  const auto seconds = std::to_string(limit.count());
  const auto ended =
      Running({"timeout", seconds, "bash", "-c", wait}, sweep_.folder()).wait(limit + std::chrono::seconds(10));
  return ended.status == 0;
}

std::string SlurmRun::state_of(const std::string& job) const {
  const auto ended = Running({"squeue", "--noheader", "--format=%T", "--jobs", job}, sweep_.folder()).wait();
  return ended.output.substr(0, ended.output.find('\n'));
}

std::string SlurmRun::fact_of(const std::string& job, const std::string& name) const {
  const auto text = type({"scontrol", "show", "job", job});
  const auto at = text.find(" " + name + "=");
  if (at == std::string::npos) return "";
  const auto value = text.substr(at + name.size() + 2);
  return value.substr(0, value.find_first_of(" \n"));
}

std::string SlurmRun::printed() const {
  std::string all;
  for (const auto& file : fs::directory_iterator(sweep_.out() / "slurm")) {
    if (file.path().extension() == ".out") all += read_text(file.path());
  }
  return all;
}

std::size_t SlurmRun::allocations() const {
  const auto all = printed();
  std::size_t times = 0;
  for (auto at = all.find("Z allocation "); at != std::string::npos; at = all.find("Z allocation ", at + 1)) ++times;
  return times;
}

bool SlurmRun::is_in_the_middle() const {
  const auto done = sweep_.commits().size();
  return done >= 1 && done < sweep_.jobs() && !trainers_in(sweep_.folder()).empty();
}

}  // namespace tests
