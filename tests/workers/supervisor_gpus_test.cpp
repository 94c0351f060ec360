// A supervisor and the GPU that it is told to use: what its trainers see, and what becomes of one that sees another.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <stdexcept>

#include "tests/temporary_folder.hpp"
#include "tests/workers/orders.hpp"
#include "tests/workers/pretended_gpus.hpp"
#include "workers/supervisor.hpp"

namespace workers {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using tests::kFirstGpu;
using tests::kSecondGpu;

constexpr Seconds kPatience{20};

/// Variables of this process, as they were before at the end.
class Variables {
 public:
  explicit Variables(const std::vector<std::string>& variables) {
    for (const auto& variable : variables) {
      names_.push_back(variable.substr(0, variable.find('=')));
      setenv(names_.back().c_str(), variable.substr(names_.back().size() + 1).c_str(), 1);
    }
  }
  ~Variables() {
    for (const auto& name : names_) unsetenv(name.c_str());
  }

 private:
  std::vector<std::string> names_;
};

class SupervisorOnAGpu : public testing::Test {
 protected:
  void start(const std::vector<std::string>& arguments = {}) {
    SupervisorOptions options;
    options.trainer_command = {FAKE_TRAINER};
    options.trainer_command.insert(options.trainer_command.end(), arguments.begin(), arguments.end());
    options.log_folder = folder_ / "logs";
    options.name = "worker-1";
    options.gpus.gpus = {{kFirstGpu, "NVIDIA H100", false, 80}};
    supervisor_ = std::make_unique<Supervisor>(options, steady_seconds);
  }
  void use(const std::string& uuid) { supervisor_->handle(UseGpu{uuid}); }

  /// The next message of a kind; others before it are dropped.
  template <typename T>
  T next() {
    const Seconds end = steady_seconds() + kPatience;
    while (steady_seconds() < end) {
      supervisor_->poll();
      for (ToCoordinator& message : supervisor_->take_outgoing()) {
        if (T* wanted = std::get_if<T>(&message)) return *wanted;
      }
      pollfd waiting{supervisor_->descriptor(), POLLIN, 0};
      ::poll(&waiting, 1, 2);
    }
    throw std::runtime_error("nothing came in time");
  }
  std::string checksum_of(const std::string& order) {
    supervisor_->handle(tests::assign(++task_, order));
    return std::get<Assembled>(next<TaskDone>().output).checksum;
  }
  TaskFailed failure_of(const std::string& order) {
    supervisor_->handle(tests::assign(++task_, order));
    return next<TaskFailed>();
  }

  std::unique_ptr<Supervisor> supervisor_;

 private:
  tests::TemporaryFolder folder_;
  Variables pretended_{tests::pretending(STAND_IN_DRIVERS)};
  int task_ = 0;
};

TEST_F(SupervisorOnAGpu, GreetsWithWhatItMayUse) {
  start();
  EXPECT_EQ(next<Hello>().visible.gpus, (std::vector<Gpu>{{kFirstGpu, "NVIDIA H100", false, 80}}));
}

TEST_F(SupervisorOnAGpu, ShowsItsTrainerThatOneAndNoOther) {
  const Variables set({"CUDA_VISIBLE_DEVICES=0,1", "HIP_VISIBLE_DEVICES=0", "ROCR_VISIBLE_DEVICES=0",
                       "GPU_DEVICE_ORDINAL=0", "ZE_AFFINITY_MASK=0", "CUDA_DEVICE_ORDER=PCI_BUS_ID"});
  start();
  use(kSecondGpu);
  const auto given = checksum_of("look");
  EXPECT_THAT(given, HasSubstr("\nCUDA_VISIBLE_DEVICES=" + kSecondGpu + "\n"));
  EXPECT_THAT(given, AllOf(Not(HasSubstr("VISIBLE_DEVICES=0")), Not(HasSubstr("GPU_DEVICE_ORDINAL")),
                           Not(HasSubstr("ZE_AFFINITY_MASK")), HasSubstr("CUDA_DEVICE_ORDER=PCI_BUS_ID")));
}

TEST_F(SupervisorOnAGpu, LeavesTheEnvironmentAloneUntilItIsToldOfOne) {
  const Variables set({"CUDA_VISIBLE_DEVICES=0,1", "ROCR_VISIBLE_DEVICES=0"});
  start();
  EXPECT_THAT(checksum_of("look"),
              AllOf(HasSubstr("\nCUDA_VISIBLE_DEVICES=0,1\n"), HasSubstr("\nROCR_VISIBLE_DEVICES=0\n")));
}

TEST_F(SupervisorOnAGpu, StartsAFreshTrainerForAnotherGpuAndKeepsItsTrainerForTheSame) {
  start();
  use(kFirstGpu);
  const auto first = checksum_of("finish");
  use(kFirstGpu);
  EXPECT_EQ(checksum_of("finish"), first);
  use(kSecondGpu);
  EXPECT_NE(checksum_of("finish"), first);
}

TEST_F(SupervisorOnAGpu, IsNotToldOfAnotherOneDuringATask) {
  start();
  supervisor_->handle(tests::assign(1, "hang"));
  EXPECT_THROW(use(kFirstGpu), std::logic_error);
}

TEST_F(SupervisorOnAGpu, RefusesATrainerThatIsShownAnotherGpuAndNamesBoth) {
  const Variables lie({"PRETEND_CUDA=others"});
  start();
  use(kFirstGpu);
  const auto failed = failure_of("finish");
  EXPECT_EQ(failed.cause, Cause::start_failed);
  EXPECT_THAT(failed.message, HasSubstr("this trainer was given " + kFirstGpu + ", but CUDA shows " + kSecondGpu));
}

TEST_F(SupervisorOnAGpu, RefusesATrainerThatIsShownMoreThanItsGpu) {
  const Variables lie({"PRETEND_CUDA=all"});
  start();
  use(kFirstGpu);
  EXPECT_THAT(failure_of("finish").message,
              HasSubstr("was given " + kFirstGpu + ", but CUDA shows 2 devices, the first " + kFirstGpu));
}

TEST_F(SupervisorOnAGpu, RefusesATrainerThatIsShownNoGpu) {
  start();
  use("GPU-00000000-0000-0000-0000-000000000000");
  EXPECT_THAT(failure_of("finish").message, HasSubstr("but CUDA shows no device"));
}

TEST_F(SupervisorOnAGpu, RefusesATrainerThatReportsAnother) {
  start({"--claim", kSecondGpu});
  use(kFirstGpu);
  const auto failed = failure_of("finish");
  EXPECT_EQ(failed.cause, Cause::start_failed);
  EXPECT_THAT(failed.message, HasSubstr("it was given " + kFirstGpu + " and reports " + kSecondGpu));
}

TEST_F(SupervisorOnAGpu, TakesAnInstanceOfAnOldDriverByTheGpuThatItIsPartOf) {
  const Variables mig(
      {"PRETEND_GPUS=" + kFirstGpu + "=NVIDIA A100;MIG-" + kFirstGpu + "/1/0@1/0=NVIDIA A100 MIG 3g.20gb"});
  start();
  use("MIG-" + kFirstGpu + "/1/0");
  EXPECT_THAT(checksum_of("finish"), HasSubstr("done by"));
}

}  // namespace
}  // namespace workers
