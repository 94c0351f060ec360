// A directory while a run is at work on it: its files are written at different moments, and are read as of one.
#include "runner/status_directory.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "runner/status_view.hpp"
#include "storage/machine.hpp"
#include "tests/results/samples.hpp"

namespace runner {
namespace {

constexpr const char* kSweep = R"({"version":1,"name":"small","blocks":[{"dataset":"cifar10","classes":["cat"],
  "backbone":"efficientnet-lite0","train_rows":1000,"dimension":384,"epochs":2,"lr":0.0005,"seeds":4}],
  "tables":[{"id":"small","rows":[{"name":"PLUME","where":{}}]}]})";

/// A run of this process: 4 jobs, of which a worker is at the second.
class DirectoryAtWork : public testing::Test {
 protected:
  DirectoryAtWork() {
    const sweeps::ClassNames classes{{"cifar10", {{"cat"}, {}}}};
    const auto sweep = sweeps::parse_sweep(kSweep, "sweep.json");
    RunFile file;
    freeze(file, sweep, classes);
    write_run_file(folder_.path(), file);
    plan_ = sweeps::expand(sweep, classes);
    LockOptions options;
    lock_.emplace(folder_.path(), options);
    status_.phase = RunPhase::training;
    status_.host = storage::host_name();
    status_.boot = storage::boot_id();
    status_.pid = getpid();
    status_.process_started = storage::start_of_process(getpid()).value_or(0);
    status_.written = status_.started = storage::unix_now();
    status_.sweep = sweep.name;
    status_.jobs_chosen = 4;
    WorkerTask task;
    task.kind = "train";
    task.name = "the second";
    task.key = plan_.keys[1].hex;
    task.since = status_.written;
    status_.workers = {{1, status_.host, 1, "", "", WorkerState::working, "", status_.written, task}};
  }
  std::string done(std::size_t job) const {
    return results::encode(samples::done(plan_.jobs[job], samples::finished({0.9, 0.8}))) + "\n";
  }
  JobCounts counts(const std::string& journal, std::optional<std::size_t> seen) {
    samples::write_bytes(folder_ / "journal.jsonl", journal);
    if (seen) status_.journal_bytes = *seen;
    samples::write_bytes(folder_ / "status.json", encode(status_));
    RunDirectory directory(folder_.path());
    directory.look();
    return view_of(directory.picture()).jobs;
  }

  samples::TemporaryFolder folder_;
  sweeps::Plan plan_;
  std::optional<DirectoryLock> lock_;
  RunStatus status_;
};

/// Short jobs end between two statuses: all workers would seem to be at jobs that are done, and none at one.
TEST_F(DirectoryAtWork, IsReadAsItWasWhenItsStatusWasWritten) {
  const auto before = done(0);
  const auto seen = counts(before + done(1) + done(2), before.size());
  EXPECT_EQ(seen.committed(), 1U);
  EXPECT_EQ(seen.running, 1U) << "its worker is at one";
  EXPECT_EQ(seen.left, 2U);
}

TEST_F(DirectoryAtWork, IsReadToItsEndOnceTheRunHasEndedOrDoesNotSay) {
  const auto before = done(0);
  EXPECT_EQ(counts(before + done(1) + done(2), std::nullopt).committed(), 3U);
  status_.phase = RunPhase::ended;
  status_.exit_status = 4;
  EXPECT_EQ(counts(before + done(1) + done(2), before.size()).committed(), 3U);
}

}  // namespace
}  // namespace runner
