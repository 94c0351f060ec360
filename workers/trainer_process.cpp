// The trainer's loop: a message, a task, a message. What a task is, is task_runner.cpp's; who watches,
// supervisor.cpp's.
#include "workers/trainer_process.hpp"

#include <ATen/Parallel.h>
#include <c10/util/Exception.h>

#include <ctime>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "plume/method.hpp"
#include "storage/error.hpp"
#include "storage/machine.hpp"
#include "workers/cuda_driver.hpp"
#include "workers/fault_strikes.hpp"
#include "workers/framing.hpp"
#include "workers/messages.hpp"
#include "workers/one_line.hpp"
#include "workers/supervisor.hpp"
#include "workers/task_runner.hpp"
#include "workers/trainer_device.hpp"
#include "workers/trainer_settings.hpp"
#include "workers/trainer_startup.hpp"

namespace workers {
namespace {

constexpr Seconds kShortestProgressGap{0.1};

// The supervisor is gone: thrown through the task, caught where the process ends.
struct SupervisorGone {};

// LibTorch reports a failed allocation on the host as an ordinary error.
bool is_host_memory(const std::string& what) {
  return what.find("DefaultCPUAllocator") != std::string::npos;
}

class Trainer {
 public:
  Trainer(int descriptor, int threads)
      : descriptor_(descriptor), faults_(parse_faults(requested_faults())), runner_(threads) {}

  void say(const FromTrainer& message) {
    if (!write_frame(descriptor_, encode(message))) {
      throw SupervisorGone{};
    }
  }

  void do_task(const Assign& assign) {
    reached_epoch_ = false;
    try {
      say(run(assign));
    } catch (const plume::SearchFailed& error) {
      fail(assign, Cause::search_failed, error.what());
    } catch (const storage::DiskFull& error) {
      fail(assign, Cause::disk_full, error.what());
    } catch (const storage::Error& error) {
      fail(assign, Cause::bad_input, error.what());
    } catch (const std::bad_alloc&) {
      fail(assign, Cause::out_of_memory, "the host has no memory left (std::bad_alloc)");
    } catch (const c10::OutOfMemoryError& error) {
      fail(assign, Cause::device_out_of_memory, error.what_without_backtrace());
    } catch (const c10::Error& error) {
      const std::string what = error.what_without_backtrace();
      fail(assign, is_host_memory(what) ? Cause::out_of_memory : Cause::exception, what);
    } catch (const std::exception& error) {
      fail(assign, is_host_memory(error.what()) ? Cause::out_of_memory : Cause::exception, error.what());
    }
  }

 private:
  TaskDone run(const Assign& assign) {
    TaskDone done;
    done.task = assign.task;
    done.attempt = assign.attempt;
    done.started = storage::utc_now();
    const Seconds start = steady_seconds();
    suffer(assign, std::nullopt);
    done.output = runner_.run(
        assign.what, [&] { report_progress(assign); },
        [&](const results::EpochRecord& epoch) {
          reached_epoch_ = true;
          say(EpochDone{assign.task, assign.attempt, epoch});
          suffer(assign, epoch.epoch);
        });
    done.wall_seconds = (steady_seconds() - start).count();
    return done;
  }

  /// What PLUME_FAULT has for a training at this point.
  void suffer(const Assign& assign, std::optional<int> epoch) const {
    if (const auto* train = std::get_if<TrainTask>(&assign.what)) {
      strike_if_due(faults_, train->job, assign.attempt.value, epoch);
    }
  }

  void report_progress(const Assign& assign) {
    const Seconds now = steady_seconds();
    if (now - last_progress_ >= kShortestProgressGap) {
      last_progress_ = now;
      say(Progress{assign.task, assign.attempt});
    }
  }

  void fail(const Assign& assign, Cause cause, const std::string& what) {
    TaskFailed failed;
    failed.task = assign.task;
    failed.attempt = assign.attempt;
    failed.cause = cause;
    failed.message = one_line(what);
    failed.reached_epoch = reached_epoch_;
    say(failed);
  }

  int descriptor_;
  std::vector<FaultOnRequest> faults_;
  TaskRunner runner_;
  Seconds last_progress_{-1};
  bool reached_epoch_ = false;
};

void serve(int descriptor, const std::string& gpu) {
  const int threads = at::get_num_threads();  // what LibTorch really uses; the supervisor compares
  Trainer trainer(descriptor, threads);
  trainer.say(Ready{kProtocolVersion, threads, device_kind(), gpu});
  FrameReader reader;
  while (const auto text = read_frame(descriptor, reader)) {
    const ToWorker message = decode_to_worker(*text);
    const auto* assign = std::get_if<Assign>(&message);
    if (assign == nullptr) {
      return;  // Shutdown
    }
    trainer.do_task(*assign);
  }
}

}  // namespace

int run_trainer_process(int descriptor, int threads, const std::string& gpu) {
  attach_to_supervisor();
  if (!gpu.empty()) check_only_gpu(gpu);
  set_up_computation(threads);
  try {
    serve(descriptor, gpu);
  } catch (const SupervisorGone&) {
    return 0;  // whatever it was doing, nobody waits for it
  }
  return 0;
}

}  // namespace workers
