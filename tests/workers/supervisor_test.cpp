// Supervisors with real trainer processes. Time is an argument: deadlines pass when the test says so.
#include "workers/supervisor.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

#include "tests/temporary_folder.hpp"
#include "tests/workers/orders.hpp"

namespace workers {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using tests::assign;

constexpr Seconds kPatience{20};  // of the tests: real seconds until something must have come

class Watched {
 public:
  explicit Watched(std::vector<std::string> arguments = {},
                   const std::function<void(SupervisorOptions&)>& adjust = {}) {
    SupervisorOptions options;
    options.trainer_command = {FAKE_TRAINER};
    options.trainer_command.insert(options.trainer_command.end(), arguments.begin(), arguments.end());
    options.threads = 3;
    options.log_folder = folder_ / "logs";
    options.name = "worker-1";
    options.oom_counter = folder_ / "oom";
    tests::write_text(options.oom_counter, "oom_kill 0\n");
    if (adjust) {
      adjust(options);
    }
    supervisor = std::make_unique<Supervisor>(options, [this] { return now; });
  }

  /// Polls until a message of type T comes, and gives it back; everything before it lies in `before`.
  template <typename T>
  T next() {
    before.clear();
    const Seconds end = steady_seconds() + kPatience;
    while (steady_seconds() < end) {
      supervisor->poll();
      for (ToCoordinator& message : supervisor->take_outgoing()) {
        inbox_.push_back(std::move(message));
      }
      while (!inbox_.empty()) {
        ToCoordinator message = std::move(inbox_.front());
        inbox_.pop_front();
        if (T* wanted = std::get_if<T>(&message)) {
          return *wanted;
        }
        before.push_back(std::move(message));
      }
      wait_for_trainer();
    }
    throw std::runtime_error("nothing came in time");
  }

  TaskFailed failure_of(const std::string& order) {
    supervisor->handle(assign(++task_, order));
    return next<TaskFailed>();
  }
  std::string checksum_of(const std::string& order, const std::string& payload = "") {
    supervisor->handle(assign(++task_, order, payload));
    return std::get<Assembled>(next<TaskDone>().output).checksum;
  }

  /// Time passes, as a supervisor in a running process sees it: second by second.
  void pass(int seconds) {
    for (int i = 0; i < seconds; ++i) {
      now += Seconds(1);
      supervisor->poll();
    }
  }
  std::filesystem::path file(const std::string& name) const { return folder_ / name; }

  Seconds now{1000};
  std::unique_ptr<Supervisor> supervisor;
  std::vector<ToCoordinator> before;

 private:
  void wait_for_trainer() const {
    pollfd waiting{supervisor->descriptor(), POLLIN, 0};
    ::poll(&waiting, 1, 2);
  }

  tests::TemporaryFolder folder_;
  std::deque<ToCoordinator> inbox_;
  int task_ = 0;
};

bool is_gone(int pid) {
  return kill(pid, 0) != 0 && errno == ESRCH;  // neither running nor a zombie
}

TEST(Supervisor, GreetsFirstAndStartsNoTrainerBeforeATaskComes) {
  Watched worker;
  EXPECT_TRUE(worker.supervisor->take_outgoing().empty());
  worker.supervisor->poll();
  const auto said = worker.supervisor->take_outgoing();
  ASSERT_EQ(said.size(), 1U);
  EXPECT_EQ(std::get<Hello>(said[0]).threads, 3);
  EXPECT_EQ(std::get<Hello>(said[0]).pid, getpid());
  EXPECT_EQ(std::get<Hello>(said[0]).protocol, kProtocolVersion);
  EXPECT_EQ(worker.supervisor->trainer_pid(), 0);
}

TEST(Supervisor, BeatsEveryTwoSeconds) {
  Watched worker;
  worker.supervisor->poll();
  worker.supervisor->take_outgoing();
  worker.pass(9);
  EXPECT_EQ(worker.supervisor->take_outgoing(), std::vector<ToCoordinator>(4, Heartbeat{}));
}

TEST(Supervisor, SaysWithEachBeatForHowLongItsTrainerHasNotMoved) {
  Watched worker({}, [](SupervisorOptions& options) { options.load_deadline = Seconds(40); });
  worker.checksum_of("finish");
  worker.supervisor->handle(assign(9, "hang"));
  worker.supervisor->poll();  // the trainer gets it
  worker.supervisor->take_outgoing();
  worker.pass(30);
  const auto said = worker.supervisor->take_outgoing();
  ASSERT_FALSE(said.empty());
  EXPECT_EQ(std::get<Heartbeat>(said.back()), (Heartbeat{Stillness{30, 40, false}}));
}

TEST(Supervisor, KeepsItsTrainerFromTaskToTask) {
  Watched worker;
  const std::string first = worker.checksum_of("finish");
  EXPECT_EQ(first, "done by " + std::to_string(worker.supervisor->trainer_pid()));
  EXPECT_EQ(worker.checksum_of("finish"), first);
}

TEST(Supervisor, PassesEpochsOnInOrder) {
  Watched worker;
  worker.supervisor->handle(assign(7, "epochs 3"));
  EXPECT_EQ(worker.next<TaskDone>().task, TaskId{7});
  ASSERT_EQ(worker.before.size(), 4U);  // Hello before them
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(std::get<EpochDone>(worker.before[static_cast<std::size_t>(i) + 1]).epoch.epoch, i);
  }
}

TEST(Supervisor, CarriesMessagesLargerThanASocketsBuffer) {
  Watched worker;
  const std::string payload(5'000'000, 'p');
  EXPECT_TRUE(worker.checksum_of("echo", payload) == payload);
}

struct Ending {
  std::string order;
  Cause cause;
  std::string words;
  bool reached_epoch = false;
};
void PrintTo(const Ending& ending, std::ostream* out) {
  *out << ending.order;
}

class SupervisorSeesATrainer : public testing::TestWithParam<Ending> {};

TEST_P(SupervisorSeesATrainer, EndAndStartsAFreshOne) {
  Watched worker;
  const std::string first = worker.checksum_of("finish");
  const TaskFailed failed = worker.failure_of(GetParam().order);
  EXPECT_EQ(failed.task, TaskId{2});
  EXPECT_EQ(name_of(failed.cause), name_of(GetParam().cause));
  EXPECT_THAT(failed.message, HasSubstr(GetParam().words));
  EXPECT_THAT(failed.message, Not(HasSubstr("\n")));
  EXPECT_EQ(failed.reached_epoch, GetParam().reached_epoch);
  EXPECT_NE(worker.checksum_of("finish"), first);
}

INSTANTIATE_TEST_SUITE_P(
    Each, SupervisorSeesATrainer,
    testing::Values(Ending{"segv", Cause::signal, "killed by SIGSEGV (Segmentation fault)"},
                    Ending{"kill", Cause::signal, "killed by SIGKILL (out of memory killer or somebody's kill)"},
                    Ending{"epoch then kill", Cause::signal, "SIGKILL", true},
                    Ending{"exit 3", Cause::exited, "status 3; its last words: the last thing I saw"},
                    Ending{"exit 0", Cause::exited, "status 0"},
                    Ending{"garbage", Cause::exception, "broke the protocol"},
                    Ending{"huge frame", Cause::exception, "2147483647 bytes"},
                    Ending{"wrong task", Cause::exception, "spoke of task 3"},
                    Ending{"throw", Cause::exception, "as told"}),
    [](const auto& each) {
      std::string name = each.param.order;
      std::erase(name, ' ');
      return name;
    });

TEST(Supervisor, KeepsATrainerThatOnlyMetDamagedInput) {
  Watched worker;
  const std::string first = worker.checksum_of("finish");
  EXPECT_EQ(worker.failure_of("damaged").cause, Cause::bad_input);
  EXPECT_EQ(worker.checksum_of("finish"), first);
}

TEST(Supervisor, TellsTheOutOfMemoryKillerFromAnotherKill) {
  Watched worker;
  const TaskFailed failed = worker.failure_of("oom " + worker.file("oom").string());
  EXPECT_EQ(failed.cause, Cause::out_of_memory);
  EXPECT_EQ(worker.failure_of("kill").cause, Cause::signal);  // the count did not rise again
}

TEST(Supervisor, SaysWhyATrainerCannotBeStarted) {
  Watched worker({}, [](SupervisorOptions& options) { options.trainer_command = {"/no/such/program"}; });
  const TaskFailed failed = worker.failure_of("finish");
  EXPECT_EQ(failed.cause, Cause::start_failed);
  EXPECT_EQ(failed.message, "cannot start the trainer /no/such/program: No such file or directory");
}

TEST(Supervisor, SaysThatTheLogCannotBeWritten) {
  Watched worker({}, [](SupervisorOptions& options) { options.log_folder = "/proc/nowhere"; });
  const TaskFailed failed = worker.failure_of("finish");
  EXPECT_EQ(failed.cause, Cause::start_failed);
  EXPECT_THAT(failed.message, HasSubstr("/proc/nowhere/worker-1.stderr"));
}

TEST(Supervisor, QuotesTheLastWordsOfATrainerThatDiesBeforeItIsReady) {
  Watched worker({"--die", "libmkl.so: cannot open"});
  const TaskFailed failed = worker.failure_of("finish");
  EXPECT_EQ(failed.cause, Cause::start_failed);
  EXPECT_EQ(
      failed.message,
      "trainer ended by itself with status 9 before it was ready; its last words: loading... | libmkl.so: cannot open");
}

TEST(Supervisor, DoesNotQuoteAnEarlierTrainer) {
  Watched worker;
  EXPECT_THAT(worker.failure_of("exit 3").message, HasSubstr("the last thing I saw"));
  EXPECT_THAT(worker.failure_of("exit 0").message, HasSubstr("the last thing I saw"));
  EXPECT_THAT(worker.failure_of("kill").message, Not(HasSubstr("last words")));
}

TEST(Supervisor, GivesUpOnATrainerThatDoesNotGreet) {
  Watched worker({"--mute"});
  worker.supervisor->handle(assign(1, "finish"));
  worker.pass(300);
  const int pid = worker.supervisor->trainer_pid();
  ASSERT_NE(pid, 0);
  worker.pass(2);
  EXPECT_EQ(worker.next<TaskFailed>().cause, Cause::start_failed);
  while (worker.supervisor->trainer_pid() != 0) {
    worker.supervisor->poll();
  }
  EXPECT_TRUE(is_gone(pid));
}

TEST(Supervisor, KillsATrainerThatHangsAndRunsTheNextTask) {
  Watched worker({}, [](SupervisorOptions& options) { options.load_deadline = Seconds(40); });
  const std::string first = worker.checksum_of("finish");
  worker.supervisor->handle(assign(9, "hang"));
  worker.pass(41);
  for (const ToCoordinator& message : worker.supervisor->take_outgoing()) {
    EXPECT_TRUE(std::holds_alternative<Heartbeat>(message));
  }
  worker.pass(1);
  EXPECT_EQ(worker.next<TaskFailed>().cause, Cause::hung);
  EXPECT_NE(worker.checksum_of("finish"), first);
}

TEST(Supervisor, KillsATrainerThatClosesItsSocketAndStays) {
  Watched worker;
  worker.checksum_of("finish");
  worker.supervisor->handle(assign(9, "close"));
  const Seconds end = steady_seconds() + kPatience;
  while (worker.supervisor->descriptor() >= 0 && steady_seconds() < end) {
    worker.supervisor->poll();
  }
  worker.pass(7);
  EXPECT_EQ(worker.next<TaskFailed>().cause, Cause::exited);
}

TEST(Supervisor, RefusesASecondTaskWhileOneRuns) {
  Watched worker;
  worker.supervisor->handle(assign(1, "hang"));
  EXPECT_THROW(worker.supervisor->handle(assign(2, "finish")), std::logic_error);
}

TEST(Supervisor, ThatIsToldToStartAnewForgetsItsTaskAndGreetsAgain) {
  Watched watched;
  watched.supervisor->handle(assign(1, "epoch then hang"));
  watched.next<EpochDone>();
  const int old_trainer = watched.supervisor->trainer_pid();

  watched.supervisor->handle(StartAnew{});
  watched.next<Hello>();
  EXPECT_TRUE(watched.before.empty()) << "nothing is said of the task that was taken away";
  EXPECT_EQ(watched.failure_of("throw").message, "as told") << "and another one can come";
  EXPECT_TRUE(is_gone(old_trainer));
}

TEST(Supervisor, SendsWhatATrainerWroteDuringTheAttemptThatFailed) {
  Watched watched;
  EXPECT_EQ(watched.failure_of("exit 3").standard_error, "the last thing I saw\n");
  watched.checksum_of("finish");
  EXPECT_EQ(watched.failure_of("exit 4").standard_error, "the last thing I saw\n") << "of this attempt only";
}

TEST(Supervisor, SaysGoodbyeAfterItsTrainerHasEnded) {
  Watched worker;
  worker.checksum_of("finish");
  const int pid = worker.supervisor->trainer_pid();
  worker.supervisor->handle(Shutdown{});
  EXPECT_FALSE(worker.supervisor->finished());
  worker.next<Goodbye>();
  EXPECT_TRUE(worker.supervisor->finished());
  EXPECT_TRUE(is_gone(pid));
}

TEST(Supervisor, SaysGoodbyeAtOnceWithoutATrainer) {
  Watched worker;
  worker.supervisor->handle(Shutdown{});
  worker.supervisor->poll();
  EXPECT_EQ(worker.supervisor->take_outgoing().back(), ToCoordinator(Goodbye{}));
}

TEST(Supervisor, GivesARunningTaskBackAtShutdownAfterAFewSeconds) {
  Watched worker;
  worker.checksum_of("finish");
  const int pid = worker.supervisor->trainer_pid();
  worker.supervisor->handle(assign(9, "hang"));
  worker.pass(2);
  worker.supervisor->handle(Shutdown{});
  worker.pass(5);
  EXPECT_FALSE(is_gone(pid));
  worker.pass(1);
  EXPECT_EQ(worker.next<TaskFailed>().cause, Cause::drained);
  worker.next<Goodbye>();
  EXPECT_TRUE(is_gone(pid));
}

TEST(Supervisor, PassesASuspendOnAndKeepsTheTrainerThatMadeWay) {
  Watched worker;
  worker.checksum_of("finish");
  const int pid = worker.supervisor->trainer_pid();
  worker.supervisor->handle(assign(9, "make way"));
  worker.supervisor->poll();
  worker.supervisor->handle(Suspend{{8}, {1}, 1.0});  // of another task: not passed on
  worker.supervisor->handle(Suspend{{9}, {1}, 42.0});
  EXPECT_EQ(worker.next<Resumed>(), (Resumed{{9}, {1}, 1, 2, 3, 0.5}));
  EXPECT_EQ(worker.next<CheckpointWritten>(), (CheckpointWritten{{9}, {1}, 4, 5, 6, 0.5}));
  EXPECT_EQ(worker.next<Remark>().text, "42.000000");
  EXPECT_EQ(worker.next<TaskFailed>().cause, Cause::drained);
  worker.checksum_of("finish");
  EXPECT_EQ(worker.supervisor->trainer_pid(), pid) << "nothing is wrong with it";
}

TEST(Supervisor, TellsATrainerWhatComesNextAfterItsTask) {
  Watched worker;
  const auto next = [](const std::string& file) { return Prepare{std::get<TrainTask>(assign(0, file).what)}; };
  worker.supervisor->handle(next("before any task"));
  worker.supervisor->handle(assign(1, "next"));
  worker.supervisor->handle(next("while the trainer starts"));
  EXPECT_EQ(std::get<Assembled>(worker.next<TaskDone>().output).checksum, "while the trainer starts");
  worker.supervisor->handle(next("between two tasks"));
  worker.supervisor->handle(assign(2, "next"));
  worker.supervisor->poll();
  worker.supervisor->handle(next("while it works"));
  EXPECT_EQ(std::get<Assembled>(worker.next<TaskDone>().output).checksum, "while it works");
  EXPECT_EQ(worker.checksum_of("echo", "and goes on"), "and goes on");
}

TEST(Supervisor, GivesATaskThatNoTrainerHasYetBackAtOnce) {
  Watched worker({"--mute"});
  worker.supervisor->handle(assign(9, "finish"));
  worker.pass(1);
  worker.supervisor->handle(Suspend{{9}, {1}});
  const auto failed = worker.next<TaskFailed>();
  EXPECT_EQ(failed.cause, Cause::drained);
  EXPECT_EQ(failed.message, "given back on request before it began");
}

TEST(Supervisor, DoesNotBlameATaskWhoseTrainerDiesDuringShutdown) {
  Watched worker;
  worker.checksum_of("finish");
  worker.supervisor->handle(assign(9, "hang"));
  worker.pass(1);
  worker.supervisor->handle(Shutdown{});
  kill(worker.supervisor->trainer_pid(), SIGKILL);
  EXPECT_EQ(worker.next<TaskFailed>().cause, Cause::drained);
}

TEST(Supervisor, GivesItsTrainerNothingButItsSocketAndACleanEnvironment) {
  setenv("OMPI_COMM_WORLD_RANK", "1", 1);
  setenv("PMIX_RANK", "1", 1);
  setenv("PMI_RANK", "1", 1);
  setenv("OMP_NUM_THREADS", "64", 1);
  setenv("PLUME_TEST_KEPT", "kept", 1);
  const int leaky = open("/dev/null", O_RDONLY);  // without FD_CLOEXEC
  const int high = fcntl(leaky, F_DUPFD, 200);
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  sigprocmask(SIG_BLOCK, &blocked, &before);
  signal(SIGHUP, SIG_IGN);
  Watched worker;
  const std::string given = worker.checksum_of("look");
  signal(SIGHUP, SIG_DFL);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  close(leaky);
  close(high);
  for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "OMP_NUM_THREADS", "PLUME_TEST_KEPT"}) {
    unsetenv(variable);
  }
  EXPECT_THAT(given, HasSubstr("descriptors: 0 1 2 3 \n"));
  EXPECT_THAT(given, AllOf(Not(HasSubstr("\nOMPI_")), Not(HasSubstr("\nPMIX_")), Not(HasSubstr("\nPMI_"))));
  EXPECT_THAT(given, AllOf(HasSubstr("\nOMP_NUM_THREADS=3\n"), HasSubstr("\nMKL_NUM_THREADS=3\n"),
                           HasSubstr("\nPLUME_TEST_KEPT=kept\n"), Not(HasSubstr("\nOMP_NUM_THREADS=64\n"))));
  EXPECT_THAT(given, HasSubstr("SigBlk:\t0000000000000000"));
  // SIGINT, SIGUSR1, SIGPIPE are attach_to_supervisor's; above bit 30 lie the C library's own.
  EXPECT_THAT(given, ContainsRegex("SigIgn:\t[0-9a-f]{8}[08]0001202\n"));
}

TEST(Supervisor, RefusesATrainerThatComputesWithOtherThreadsThanAsked) {
  Watched worker({"--threads", "2"});
  const TaskFailed failed = worker.failure_of("finish");
  EXPECT_EQ(failed.cause, Cause::start_failed);
  EXPECT_THAT(failed.message, HasSubstr("the trainer computes with 2 thread(s) where 3 were asked for"));
}

TEST(Supervisor, LeavesNoProcessBehindWhenItIsDestroyed) {
  Watched worker;
  worker.checksum_of("finish");
  const int pid = worker.supervisor->trainer_pid();
  worker.supervisor->handle(assign(9, "hang"));
  worker.pass(1);
  worker.supervisor.reset();
  EXPECT_TRUE(is_gone(pid));
}

// A process that holds a supervisor whose trainer hangs, and writes the trainer's pid to `pipe`.
[[noreturn]] void be_a_parent(int pipe) {
  Watched worker;
  worker.checksum_of("finish");
  worker.supervisor->handle(assign(9, "hang"));
  worker.pass(2);
  const int pid = worker.supervisor->trainer_pid();
  [[maybe_unused]] const ssize_t n = write(pipe, &pid, sizeof pid);
  while (true) {
    pause();
  }
}

TEST(Supervisor, TakesItsTrainerAlongWhenItIsKilled) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);  // the orphan becomes this process's child, so its end can be waited for
  std::array<int, 2> pipe_ends{};
  ASSERT_EQ(pipe2(pipe_ends.data(), O_CLOEXEC), 0);
  const pid_t parent = fork();
  if (parent == 0) {
    be_a_parent(pipe_ends[1]);
  }
  int trainer = 0;
  ASSERT_EQ(read(pipe_ends[0], &trainer, sizeof trainer), static_cast<ssize_t>(sizeof trainer));
  ASSERT_EQ(kill(trainer, 0), 0);
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  const Seconds end = steady_seconds() + Seconds(2);
  int status = 0;
  while (waitpid(trainer, &status, WNOHANG) != trainer && steady_seconds() < end) {
    ::poll(nullptr, 0, 1);
  }
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  EXPECT_TRUE(is_gone(trainer));
  close(pipe_ends[0]);
  close(pipe_ends[1]);
}

}  // namespace
}  // namespace workers
