// A trainer process without LibTorch: speaks the protocol and does what a TrainTask's train_file says, for tests of
// those who watch it.
//   "finish"            Progress, then TaskDone
//   "epochs N"          N epochs, then TaskDone
//   "echo"              TaskDone whose checksum is the task's train_identity
//   "segv", "kill", "exit N", "throw", "damaged", "close", "wrong task", "hang", "garbage", "huge frame"
//   "epoch then kill"   one epoch, then SIGKILL to itself; "epoch then hang"
//   "oom FILE"          writes "oom_kill 1" to FILE, then SIGKILL to itself
//   "make way"          waits for a Suspend; a checkpoint, a resume and a remark, then TaskFailed (drained)
//   "next"              TaskDone whose checksum is the train_file of what comes next, as it is told
//   "look"              TaskDone whose checksum says what this process was given: descriptors, environment, signals
// Arguments: --die TEXT: prints TEXT to stderr and exits 9 before Ready. --mute: never says Ready. --threads N: says
// that it computes with so many, whatever it was told. --gpu UUID: checks that CUDA shows it alone, as a trainer does.
// --claim UUID: says that it has that one. --fd N: the socket.
#include <dirent.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "storage/error.hpp"
#include "workers/cuda_driver.hpp"
#include "workers/framing.hpp"
#include "workers/messages.hpp"
#include "workers/trainer_startup.hpp"

extern char** environ;

namespace {

using namespace workers;

int channel = -1;
FrameReader reader;

void say(const FromTrainer& message) {
  if (!write_frame(channel, encode(message))) {
    _exit(0);
  }
}

void finish(const Assign& assign, const std::string& checksum) {
  say(TaskDone{assign.task, assign.attempt, Assembled{checksum}, 1.5, "2026-11-27T20:15:03Z"});
}

void epoch(const Assign& assign, int number) {
  results::EpochRecord record;
  record.epoch = number;
  record.ranking = {0.5, 0.5, 0.5, 0.5};
  say(EpochDone{assign.task, assign.attempt, record});
}

void fail(const Assign& assign, Cause cause) {
  say(TaskFailed{assign.task, assign.attempt, cause, "as told", false});
}

[[noreturn]] void wait_for_ever() {
  while (true) {
    pause();
  }
}

std::string open_descriptors() {
  std::set<int> numbers;
  DIR* folder = opendir("/proc/self/fd");
  while (const dirent* entry = readdir(folder)) {
    if (entry->d_name[0] != '.' && std::atoi(entry->d_name) != dirfd(folder)) {
      numbers.insert(std::atoi(entry->d_name));
    }
  }
  closedir(folder);
  std::string text;
  for (const int number : numbers) {
    text += std::to_string(number) + ' ';
  }
  return text;
}

// The lines of /proc/self/status that tell which signals are blocked and which are ignored.
std::string signals() {
  std::ifstream status("/proc/self/status");
  std::string text;
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("SigBlk") || line.starts_with("SigIgn")) {
      text += line + '\n';
    }
  }
  return text;
}

std::string what_i_was_given() {
  std::string text = "descriptors: " + open_descriptors() + '\n' + signals();
  for (char** variable = environ; *variable != nullptr; ++variable) {
    text += std::string(*variable) + '\n';
  }
  return text;
}

void make_way(const Assign& assign) {
  const auto text = read_frame(channel, reader);
  const auto message = text ? decode_to_worker(*text) : ToWorker{Shutdown{}};
  const auto* suspend = std::get_if<Suspend>(&message);
  if (suspend == nullptr || suspend->task != assign.task || suspend->attempt != assign.attempt) _exit(7);
  say(Resumed{assign.task, assign.attempt, 1, 2, 3, 0.5});
  say(CheckpointWritten{assign.task, assign.attempt, 4, 5, 6, 0.5});
  say(Remark{assign.task, assign.attempt, std::to_string(suspend->seconds_left.value_or(-1))});
  say(TaskFailed{assign.task, assign.attempt, Cause::drained, "made way", true});
}

std::string what_comes_next() {
  const auto text = read_frame(channel, reader);
  const auto message = text ? decode_to_worker(*text) : ToWorker{Shutdown{}};
  const auto* prepare = std::get_if<Prepare>(&message);
  if (prepare == nullptr) _exit(6);
  return prepare->next.train_file;
}

void end_somehow(const Assign& assign, const std::string& order) {
  if (order == "segv") {
    signal(SIGSEGV, SIG_DFL);  // a sanitizer's handler would turn it into an exit
    raise(SIGSEGV);
  } else if (order == "kill") {
    raise(SIGKILL);
  } else if (order == "epoch then kill") {
    epoch(assign, 0);
    raise(SIGKILL);
  } else if (order == "epoch then hang") {
    epoch(assign, 0);
    wait_for_ever();
  } else if (order.starts_with("oom ")) {
    std::ofstream(order.substr(4)) << "oom 1\noom_kill 1\n";
    raise(SIGKILL);
  } else if (order.starts_with("exit ")) {
    std::fputs("the last thing I saw\n", stderr);
    _exit(std::atoi(order.c_str() + 5));
  } else if (order == "close") {
    close(channel);
    wait_for_ever();
  } else if (order == "hang") {
    wait_for_ever();
  } else if (order == "garbage") {
    write_frame(channel, "{\"v\":1,\"type\":\"nonsense\"}");
  } else if (order == "huge frame") {
    [[maybe_unused]] const ssize_t n = write(channel, "\xff\xff\xff\x7f", 4);
  } else if (order == "wrong task") {
    finish(Assign{TaskId{assign.task.value + 1}, assign.attempt, assign.what}, "");
  } else {
    std::fprintf(stderr, "fake_trainer: no such order: %s\n", order.c_str());
    _exit(8);
  }
}

void obey(const Assign& assign) {
  const auto& task = std::get<TrainTask>(assign.what);
  const std::string& order = task.train_file;
  if (order == "finish") {
    say(Progress{assign.task, assign.attempt});
    finish(assign, "done by " + std::to_string(getpid()));
  } else if (order.starts_with("epochs ")) {
    for (int i = 0; i < std::atoi(order.c_str() + 7); ++i) {
      epoch(assign, i);
    }
    finish(assign, "");
  } else if (order == "echo") {
    finish(assign, task.train_identity);
  } else if (order == "next") {
    finish(assign, what_comes_next());
  } else if (order == "look") {
    finish(assign, what_i_was_given());
  } else if (order == "make way") {
    make_way(assign);
  } else if (order == "throw") {
    fail(assign, Cause::exception);
  } else if (order == "damaged") {
    fail(assign, Cause::bad_input);
  } else {
    end_somehow(assign, order);
  }
}

}  // namespace

int main(int argc, char** argv) {
  attach_to_supervisor();
  bool mute = false;
  const char* told = std::getenv("OMP_NUM_THREADS");
  int threads = told == nullptr ? 1 : std::atoi(told);
  std::string gpu, claim;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--die") {
      std::fprintf(stderr, "loading...\n%s\n\n", argv[i + 1]);
      return 9;
    }
    mute = mute || argument == "--mute";
    if (argument == "--threads") threads = std::atoi(argv[i + 1]);
    if (argument == "--gpu") gpu = argv[i + 1];
    if (argument == "--claim") claim = argv[i + 1];
    if (argument == "--fd") {
      channel = std::atoi(argv[i + 1]);
    }
  }
  if (mute) {
    wait_for_ever();
  }
  try {
    if (!gpu.empty()) check_only_gpu(gpu);
  } catch (const storage::Error& error) {
    std::fprintf(stderr, "fake_trainer: %s\n", error.what());
    return 1;
  }
  Ready ready;
  ready.threads = threads;
  ready.gpu = claim.empty() ? gpu : claim;
  say(ready);
  while (const auto text = read_frame(channel, reader)) {
    const ToWorker message = decode_to_worker(*text);
    if (const auto* assign = std::get_if<Assign>(&message)) {
      obey(*assign);
    } else {
      return 0;
    }
  }
  return 0;
}
