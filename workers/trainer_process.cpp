// The trainer's loop: a message, a task, a message. What a task is, is task_runner.cpp's; who watches,
// supervisor.cpp's.
#include "workers/trainer_process.hpp"

#include <ATen/Parallel.h>
#include <c10/util/Exception.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <deque>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plume/method.hpp"
#include "storage/error.hpp"
#include "storage/machine.hpp"
#include "workers/checkpoint_keeper.hpp"
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

/// A process whose CUDA context is broken can do nothing more on its GPU: it ends with these last words, its supervisor
/// starts another. Nothing more is unwound: every call to CUDA would fail.
void end_if_device_is_lost(const std::string& why) {
  if (!device_is_lost()) return;
  std::fprintf(stderr, "the GPU is lost to this process: %s\n", one_line(why).c_str());
  _exit(1);
}

/// What is destroyed on the way to a handler calls CUDA, too, and throws where the context is broken.
void end_of_what_throws_while_it_is_unwound() {
  end_if_device_is_lost("what it was about to say is lost, too");
  std::abort();
}

class Trainer {
 public:
  Trainer(const TrainerOptions& options, int threads)
      : descriptor_(options.descriptor),
        faults_(parse_faults(requested_faults())),
        checkpoints_(options.checkpoints),
        runner_(threads, options.keep_in) {}

  /// What the supervisor says next; absent at its end.
  std::optional<ToWorker> hear() {
    if (!waiting_.empty()) {
      const ToWorker first = std::move(waiting_.front());
      waiting_.pop_front();
      return first;
    }
    const auto text = read_frame(descriptor_, reader_);
    return text ? std::optional(decode_to_worker(*text)) : std::nullopt;
  }

  void say(const FromTrainer& message) {
    if (!write_frame(descriptor_, encode(message))) {
      throw SupervisorGone{};
    }
  }

  void do_task(const Assign& assign) {
    reached_epoch_ = false;
    suspend_.reset();
    try {
      say(run(assign));
    } catch (const GivenBack& given_back) {
      fail(assign, Cause::drained, given_back.message);
    } catch (const plume::SearchFailed& error) {
      fail(assign, Cause::search_failed, error.what());
    } catch (const storage::DiskFull& error) {
      fail(assign, Cause::disk_full, error.what());
    } catch (const storage::Error& error) {
      fail(assign, Cause::bad_input, error.what());
    } catch (const std::bad_alloc&) {
      fail(assign, Cause::out_of_memory, "the host has no memory left (std::bad_alloc)");
    } catch (const c10::OutOfMemoryError& error) {
      runner_.free_device_memory();
      fail(assign, Cause::device_out_of_memory, error.what_without_backtrace());
    } catch (const c10::Error& error) {
      const std::string what = error.what_without_backtrace();
      end_if_device_is_lost(what);
      fail(assign, is_host_memory(what) ? Cause::out_of_memory : Cause::exception, what);
    } catch (const std::exception& error) {
      end_if_device_is_lost(error.what());
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
    auto keeper = keeper_of(assign);
    done.output = runner_.run(
        assign.what, [&] { report_progress(assign); },
        [&](const results::EpochRecord& epoch) {
          reached_epoch_ = true;
          say(EpochDone{assign.task, assign.attempt, epoch});
          suffer(assign, epoch.epoch);
        },
        keeper ? &*keeper : nullptr);
    done.wall_seconds = (steady_seconds() - start).count();
    if (keeper && !keeper->started().empty()) {
      done.wall_seconds += keeper->seconds_before();
      done.started = keeper->started();
    }
    return done;
  }

  std::optional<CheckpointKeeper> keeper_of(const Assign& assign) {
    const auto* train = std::get_if<TrainTask>(&assign.what);
    if (train == nullptr || !sweeps::is_trained(train->job.method)) return std::nullopt;
    return CheckpointKeeper(
        checkpoints_, assign,
        {[this, &assign] { report_progress(assign); }, [this](const FromTrainer& message) { say(message); },
         [this, &assign] { return suspended(assign); }});
  }

  /// A Suspend of this task that has come.
  std::optional<Suspend> suspended(const Assign& assign) {
    look(assign);
    return std::exchange(suspend_, std::nullopt);
  }

  /// At what has come: of this task, or a word of the next one; whatever else waits for the task's end.
  void look(const Assign& assign) {
    const Seconds now = steady_seconds();
    if (now - last_look_ < kShortestProgressGap) return;
    last_look_ = now;
    while (const auto text = read_frame_if_there(descriptor_, reader_)) {
      ToWorker message = decode_to_worker(*text);
      if (const auto* suspend = std::get_if<Suspend>(&message)) {
        if (suspend->task == assign.task && suspend->attempt == assign.attempt) suspend_ = *suspend;
      } else if (const auto* prepare = std::get_if<Prepare>(&message)) {
        if (std::holds_alternative<TrainTask>(assign.what)) runner_.prepare(prepare->next, most_in_advance());
      } else {
        waiting_.push_back(std::move(message));
      }
    }
  }

  /// What PLUME_FAULT has for a training at this point.
  void suffer(const Assign& assign, std::optional<int> epoch) const {
    if (const auto* train = std::get_if<TrainTask>(&assign.what)) {
      strike_if_due(faults_, train->job, assign.attempt.value, epoch);
    }
  }

  void report_progress(const Assign& assign) {
    look(assign);
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
  CheckpointOptions checkpoints_;
  TaskRunner runner_;
  FrameReader reader_;
  std::deque<ToWorker> waiting_;    ///< read during a task, not of it
  std::optional<Suspend> suspend_;  ///< of the task under way
  Seconds last_progress_{-1}, last_look_{-1};
  bool reached_epoch_ = false;
};

void serve(const TrainerOptions& options) {
  const int threads = at::get_num_threads();  // what LibTorch really uses; the supervisor compares
  Trainer trainer(options, threads);
  trainer.say(Ready{kProtocolVersion, threads, device_kind(), options.gpu});
  while (const auto message = trainer.hear()) {
    if (std::holds_alternative<Suspend>(*message) || std::holds_alternative<Prepare>(*message)) {
      continue;  // it crossed the task's end
    }
    const auto* assign = std::get_if<Assign>(&*message);
    if (assign == nullptr) {
      return;  // Shutdown
    }
    trainer.do_task(*assign);
  }
}

}  // namespace

int run_trainer_process(const TrainerOptions& options) {
  attach_to_supervisor();
  if (!options.gpu.empty()) check_only_gpu(options.gpu);
  set_up_computation(options.threads);
  if (!options.gpu.empty()) {
    std::set_terminate(end_of_what_throws_while_it_is_unwound);
    use_gpu();
  }
  try {
    serve(options);
  } catch (const SupervisorGone&) {
    return 0;  // whatever it was doing, nobody waits for it
  }
  return 0;
}

}  // namespace workers
