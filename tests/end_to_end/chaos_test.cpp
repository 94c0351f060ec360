// Anything may be killed or stopped at any time: trainers, worker ranks, the coordinator, mpirun. The same command
// again, until it is done, gives the tables of an undisturbed run to the byte. PLUME_CHAOS_SEED repeats a run's choices
// (not its timing), PLUME_CHAOS_KILLS and PLUME_CHAOS_SECONDS lengthen it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <random>
#include <set>

#include "tests/end_to_end/program.hpp"
#include "tests/temporary_folder.hpp"

namespace tests {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t kJobs = 20;  // 2 classes x (2 variants x 4 seeds + 2 baselines)
constexpr const char* kSweep = R"({"version": 1, "name": "chaos",
  "datasets": {"synthetic": {"kind": "synthetic", "classes": 2, "train_per_class": 48, "test_per_class": 12}},
  "blocks": [
    {"dataset": "synthetic", "backbone": "efficientnet-lite0", "lr": 0.001, "dimension": 384, "batch_size": 8, "epochs": 60,
     "seeds": 4, "perturbation": ["linear-map", "gaussian"], "guidance": "none", "lambda": 5},
    {"dataset": "synthetic", "backbone": "efficientnet-lite0", "method": "knn", "k": 2, "scaling": ["raw", "l2"]}],
  "tables": [{"id": "chaos"}]})";

unsigned number_in(const char* variable, unsigned otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr ? static_cast<unsigned>(std::stoul(text)) : otherwise;
}

std::vector<std::pair<std::string, std::string>> files_of(const fs::path& folder) {
  std::vector<std::pair<std::string, std::string>> all;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file() || is_about_times(entry.path())) continue;
    all.emplace_back(fs::relative(entry.path(), folder).string(), read_text(entry.path()));
  }
  std::sort(all.begin(), all.end());
  return all;
}

/// How often each job was committed, by key.
std::map<std::string, int> commits_of(const fs::path& journal) {
  std::map<std::string, int> commits;
  if (!fs::exists(journal)) return commits;
  std::istringstream lines(read_text(journal));
  const std::string begin = R"({"v":1,"type":"done","key":")";
  for (std::string line; std::getline(lines, line);) {
    const bool whole = line.rfind(begin, 0) == 0 && line.size() > 2 && line.compare(line.size() - 2, 2, "\"}") == 0;
    if (whole) ++commits[line.substr(begin.size(), 32)];
  }
  return commits;
}

struct Victim {
  pid_t pid;
  std::string kind;  // "trainer", "worker rank", "coordinator", "mpirun"
};

/// Every process that has `tag` in its environment: those of a run, whoever their parents are by now.
std::vector<Victim> processes_with(const std::string& tag) {
  std::vector<Victim> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const auto name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::string environment, command;
    try {
      environment = read_text(entry.path() / "environ");
      command = read_text(entry.path() / "cmdline");
    } catch (const std::exception&) {
      continue;  // it has just ended
    }
    if (environment.find(tag) == std::string::npos) continue;
    const bool is_ours = command.find("plume-bench") != std::string::npos;
    const bool is_rank = environment.find("OMPI_COMM_WORLD_RANK=") != std::string::npos;
    const bool is_first = environment.find(std::string("OMPI_COMM_WORLD_RANK=0") + '\0') != std::string::npos;
    std::string kind = "coordinator";
    if (command.rfind("mpirun", 0) == 0) kind = "mpirun";
    if (is_ours && command.find(std::string("\0trainer\0", 9)) != std::string::npos) kind = "trainer";
    if (kind == "coordinator" && is_rank && !is_first) kind = "worker rank";
    found.push_back({static_cast<pid_t>(std::stol(name)), kind});
  }
  return found;
}

class Chaos {
 public:
  explicit Chaos(unsigned seed) : random_(seed) { write_text(folder_ / "sweep.json", kSweep); }

  /// A whole sweep under fire; then what must be true of it.
  void round(unsigned kills, const std::vector<std::pair<std::string, std::string>>& undisturbed) {
    const std::string out = "out-" + std::to_string(++rounds_);
    const auto journal = folder_ / (out + "/journal.jsonl");
    for (int start = 0; commits_of(journal).size() < kJobs; ++start) {
      ASSERT_LT(start, 200) << "the sweep gets nowhere: " << read_text(folder_ / "stderr.txt");
      starts_ += 1;
      disturb(out, kills);
      ASSERT_FALSE(testing::Test::HasFailure());
    }
    make_temporaries_old();
    const auto last = run_program(arguments(out), folder_.path());
    EXPECT_EQ(last.status, 0) << last.errors;
    EXPECT_EQ(read_text(folder_ / (out + "/exit_status")), "0\n");
    EXPECT_THAT(last.errors, testing::HasSubstr("20 done, 0 to run"));
    for (const auto& [key, count] : commits_of(journal)) EXPECT_EQ(count, 1) << "job " << key << " of " << out;
    EXPECT_EQ(commits_of(journal).size(), kJobs);
    EXPECT_EQ(files_of(folder_ / (out + "/report")), undisturbed);
    for (const auto& file : temporaries()) ADD_FAILURE() << "left by a killed process: " << file;
  }

  std::vector<std::pair<std::string, std::string>> undisturbed() {
    const auto ended = run_program(arguments("quiet"), folder_.path());
    EXPECT_EQ(ended.status, 0) << ended.errors;
    return files_of(folder_ / "quiet/report");
  }

  unsigned strikes() const { return strikes_; }
  std::string summary() const {
    std::ostringstream text;
    for (const auto& [kind, count] : by_kind_) text << kind << " " << count << ", ";
    text << rounds_ << " sweep(s), started " << starts_ << " times, " << temporaries_ << " temporaries left to clean";
    return text.str();
  }

 private:
  unsigned below(unsigned n) { return std::uniform_int_distribution<unsigned>(0, n - 1)(random_); }

  /// Deadlines are short. A job's own budget must outlast the kills of its trainers, which look like its own fault.
  std::vector<std::string> arguments(const std::string& out) const {
    return {"run",
            "sweep.json",
            "--out",
            out,
            "--threads",
            "1",
            "--cache",
            "cache",
            "--weights",
            "efficientnet-lite0=random:1",
            "--job-retries",
            "1000",
            "--infrastructure-retries",
            "1000",
            "--heartbeat-deadline",
            "2",
            "--hang-deadline",
            "3",
            "--load-deadline",
            "6",
            "--start-deadline",
            "10",
            "--checkpoint-every",
            "0.002"};
  }

  /// Of killed processes, in the runs' directories and the cache.
  std::vector<fs::path> temporaries() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) {
      if (entry.path().filename().string().find(".tmp.") != std::string::npos) found.push_back(entry.path());
    }
    return found;
  }
  /// A run removes none that is younger than a minute.
  void make_temporaries_old() {
    for (const auto& file : temporaries()) {
      ++temporaries_;
      fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::minutes(2));
    }
  }

  /// One start of the command, local or under mpirun, with strikes until it ends.
  void disturb(const std::string& out, unsigned kills) {
    auto command = arguments(out);
    if (below(2) == 0) {
      command = under_mpirun(3, command);
      command.insert(command.begin() + 1, "--enable-recovery");
    } else {
      command.insert(command.begin(), program().string());
    }
    const std::string tag = "PLUME_CHAOS_TAG=" + std::to_string(getpid()) + "-" + std::to_string(starts_) + "-";
    {
      Running run(command, folder_.path(), {tag});
      while (strikes_ < kills && wait(run, 100 + below(1500))) strike(run, tag);
      run.wait(std::chrono::seconds(120));
    }
    // Nothing of it may be left to work on beside the next start.
    std::vector<Victim> left;
    const auto patience = Clock::now() + std::chrono::seconds(10);
    while (!(left = processes_with(tag)).empty() && Clock::now() < patience) {
      Running({"sleep", "0.05"}, folder_.path()).wait();
    }
    for (const auto& [pid, kind] : left) {
      ADD_FAILURE() << kind << " " << pid << " outlived its run by 10 s";
      kill(pid, SIGKILL);
    }
  }

  /// False when the run ended meanwhile.
  bool wait(Running& run, unsigned time) {
    const auto end = Clock::now() + milliseconds(time);
    bool in_time = false;
    run.until([&] { return in_time = Clock::now() >= end; });
    return in_time;
  }

  void strike(Running& run, const std::string& tag) {
    auto all = processes_with(tag);
    std::erase_if(all, [this](const Victim& each) { return stopped_.contains(each.pid); });
    if (all.empty()) return;
    // Trainers are the most, and the dullest to kill.
    std::vector<std::string> kinds;
    for (const auto& each : all) kinds.push_back(each.kind);
    const auto kind = kinds[below(static_cast<unsigned>(kinds.size()))];
    std::erase_if(all, [&](const Victim& each) { return each.kind != kind; });
    const Victim victim = all[below(static_cast<unsigned>(all.size()))];
    ++strikes_;
    if (below(2) == 0) {
      ++by_kind_[kind + " killed"];
      kill(victim.pid, SIGKILL);
      return;
    }
    kill(victim.pid, SIGSTOP);
    // Nobody watches the coordinator and mpirun: who stops them for good has to end them.
    const bool is_watched = kind != "coordinator" && kind != "mpirun";
    const bool goes_on = below(2) == 0;
    ++by_kind_[kind + (goes_on ? " stopped for a while" : is_watched ? " stopped for good" : " stopped, then killed")];
    if (is_watched && !goes_on) {
      stopped_.insert(victim.pid);
    } else {
      wait(run, 100 + below(4000));
      kill(victim.pid, goes_on ? SIGCONT : SIGKILL);
    }
  }

  TemporaryFolder folder_;
  std::mt19937 random_;
  unsigned strikes_ = 0;
  int starts_ = 0;
  int rounds_ = 0;
  int temporaries_ = 0;
  std::map<std::string, int> by_kind_;
  std::set<pid_t> stopped_;
};

TEST(Chaos, LosesNothingAndComputesNothingTwice) {
  const unsigned seed = number_in("PLUME_CHAOS_SEED", static_cast<unsigned>(std::random_device()()));
  const unsigned kills = number_in("PLUME_CHAOS_KILLS", 24);
  const auto limit = std::chrono::seconds(number_in("PLUME_CHAOS_SECONDS", 180));
  std::cout << "seed " << seed << " (PLUME_CHAOS_SEED repeats its choices)" << std::endl;
  const auto begin = Clock::now();
  Chaos chaos(seed);
  const auto undisturbed = chaos.undisturbed();
  ASSERT_GE(undisturbed.size(), 6U);
  do {
    chaos.round(kills, undisturbed);
  } while (!HasFailure() && chaos.strikes() < kills && Clock::now() - begin < limit);
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - begin).count();
  std::cout << chaos.strikes() << " strikes: " << chaos.summary() << ", " << seconds << " s" << std::endl;
  EXPECT_GE(chaos.strikes(), 1U);
}

}  // namespace
}  // namespace tests
