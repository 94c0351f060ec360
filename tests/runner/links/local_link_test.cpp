// The link to supervisors inside this process, with real trainer processes.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <map>

#include "runner/link.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/workers/orders.hpp"

namespace runner {
namespace {

using workers::Seconds;
using workers::WorkerId;

class LocalLink : public testing::Test {
 protected:
  std::unique_ptr<Link> two_workers() {
    std::vector<workers::SupervisorOptions> options(2);
    for (auto& each : options) {
      each.trainer_command = {FAKE_TRAINER};
      each.log_folder = folder_.path();
      each.name = "worker-" + std::to_string(&each - options.data() + 1);
    }
    return make_local_link(options, workers::steady_seconds);
  }
  tests::TemporaryFolder folder_;
};

/// What came from each worker until `done` have sent a message of type T; bounded.
template <typename T>
std::map<WorkerId, T> wait_for(Link& link, std::size_t workers) {
  std::map<WorkerId, T> found;
  const Seconds end = workers::steady_seconds() + Seconds(20);
  while (found.size() < workers && workers::steady_seconds() < end) {
    for (const auto& [worker, message] : link.receive(Seconds(1))) {
      if (const auto* wanted = std::get_if<T>(&message)) {
        found[worker] = *wanted;
      }
    }
  }
  return found;
}

double cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

TEST_F(LocalLink, CarriesTasksToItsWorkersAndTheirOutputsBack) {
  const auto link = two_workers();
  ASSERT_EQ(link->workers(), (std::vector<WorkerId>{{1}, {2}}));
  link->send(WorkerId{1}, tests::assign(11, "echo", "one"));
  link->send(WorkerId{2}, tests::assign(12, "echo", "two"));
  const auto done = wait_for<workers::TaskDone>(*link, 2);
  ASSERT_EQ(done.size(), 2U);
  EXPECT_EQ(std::get<workers::Assembled>(done.at(WorkerId{1}).output).checksum, "one");
  EXPECT_EQ(std::get<workers::Assembled>(done.at(WorkerId{2}).output).checksum, "two");
}

TEST_F(LocalLink, SeesADeathWithoutWaitingForADeadline) {
  const auto link = two_workers();
  link->send(WorkerId{2}, tests::assign(1, "segv"));
  const auto failed = wait_for<workers::TaskFailed>(*link, 1);
  ASSERT_EQ(failed.size(), 1U);
  EXPECT_EQ(failed.at(WorkerId{2}).cause, workers::Cause::signal);
  EXPECT_TRUE(link->losses().empty());
}

TEST_F(LocalLink, ForgetsADroppedWorker) {
  const auto link = two_workers();
  link->drop(WorkerId{1});
  link->send(WorkerId{1}, tests::assign(1, "finish"));
  EXPECT_EQ(link->workers(), (std::vector<WorkerId>{{2}}));
  EXPECT_EQ(wait_for<workers::Hello>(*link, 1).count(WorkerId{2}), 1U);
}

TEST_F(LocalLink, SleepsWhileItsTrainersWork) {
  const auto link = two_workers();
  link->send(WorkerId{1}, tests::assign(1, "hang"));
  link->send(WorkerId{2}, tests::assign(2, "hang"));
  wait_for<workers::Hello>(*link, 2);
  const double cpu_before = cpu_seconds();
  const Seconds begin = workers::steady_seconds();
  while (workers::steady_seconds() - begin < Seconds(1)) {
    link->receive(Seconds(0.5));
  }
  EXPECT_LT(cpu_seconds() - cpu_before, 0.05) << "of 1 s";
}

}  // namespace
}  // namespace runner
