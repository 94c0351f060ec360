// Bytes between ranks over MPI: MPI_Isend, and MPI_Irecv after MPI_Iprobe. A rank that dies never makes anything here
// wait: no call blocks, and MPI_Finalize is left out where somebody is missing. What the bytes say is ranks.cpp's.
#include "runner/mpi_world.hpp"

#include <unistd.h>

#include <array>

#include "storage/error.hpp"

#ifdef PLUME_WITH_MPI
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <list>
#include <map>
#include <set>
#include <utility>

#include "runner/launcher_process.hpp"
#include "runner/process_watch.hpp"
#include "runner/ranks.hpp"
#include "runner/start_watch.hpp"
#include "storage/machine.hpp"
#endif

namespace runner {

#ifdef PLUME_WITH_MPI
namespace {

constexpr int kTag = 1;
constexpr int kStartTag = 2;
constexpr int kEndTag = 3;
constexpr int kMostAtOnce = 1000;  // messages begun by one collect()

std::string mpi_error(const char* what, int code) {
  std::array<char, MPI_MAX_ERROR_STRING + 1> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  return fmt::format("{}: {}", what, text.data());
}

void check(const char* what, int code) {
  if (code != MPI_SUCCESS) {
    throw storage::Error(mpi_error(what, code));
  }
}

class MpiMail : public Mail {
 public:
  explicit MpiMail(MPI_Comm communicator) : communicator_(communicator) {}

  void post(int rank, std::string bytes) override {
    Transfer& transfer = sending_.emplace_back(Transfer{rank, std::move(bytes), MPI_REQUEST_NULL, false});
    const int code = MPI_Isend(transfer.bytes.data(), static_cast<int>(transfer.bytes.size()), MPI_BYTE, rank, kTag,
                               communicator_, &transfer.request);
    if (code != MPI_SUCCESS) {
      failures_[rank] = mpi_error("MPI_Isend", code);
      sending_.pop_back();
    }
  }

  std::vector<Letter> collect() override {
    test_all(sending_, "sending");
    sending_.remove_if([](const Transfer& transfer) { return transfer.done; });
    for (int begun = 0; begun < kMostAtOnce && begin_receiving(); ++begun) {
    }
    test_all(receiving_, "receiving");
    return take_complete();
  }

  bool has_unsent(int rank) const override {
    return std::any_of(sending_.begin(), sending_.end(), [rank](const Transfer& each) { return each.rank == rank; });
  }
  std::map<int, std::string> take_failures() override {
    for (const auto& ended : processes_.take_ended()) {
      failures_.emplace(ended.worker.value, ended.why);
    }
    return std::exchange(failures_, {});
  }

  /// The end of this process counts as a failure of that rank.
  void watch(int rank, const workers::Hello& process) { processes_.add(workers::WorkerId{rank}, process); }

 private:
  struct Transfer {  // in a list: MPI holds the addresses until it is done
    int rank;
    std::string bytes;
    MPI_Request request;
    bool done;
  };

  bool begin_receiving() {
    int there = 0;
    MPI_Status status;
    check("MPI_Iprobe", MPI_Iprobe(MPI_ANY_SOURCE, kTag, communicator_, &there, &status));
    if (there == 0) {
      return false;
    }
    int size = 0;
    check("MPI_Get_count", MPI_Get_count(&status, MPI_BYTE, &size));
    const int source = status.MPI_SOURCE;
    if (size < 0 || static_cast<std::size_t>(size) > workers::kMaxMessageBytes) {
      failures_[source] =
          fmt::format("sent a message of {} bytes, more than the {} allowed", size, workers::kMaxMessageBytes);
      size = 0;  // taken off the queue, cut to nothing
    }
    Transfer& transfer = receiving_.emplace_back(
        Transfer{source, std::string(static_cast<std::size_t>(size), '\0'), MPI_REQUEST_NULL, false});
    check("MPI_Irecv",
          MPI_Irecv(transfer.bytes.data(), size, MPI_BYTE, source, kTag, communicator_, &transfer.request));
    return true;
  }

  void test_all(std::list<Transfer>& transfers, const char* what) {
    for (Transfer& transfer : transfers) {
      int done = transfer.done ? 1 : 0;
      const int code = transfer.done ? MPI_SUCCESS : MPI_Test(&transfer.request, &done, MPI_STATUS_IGNORE);
      if (code != MPI_SUCCESS) {
        failures_.emplace(transfer.rank, mpi_error(what, code));
        transfer.bytes.clear();
      }
      transfer.done = done != 0 || code != MPI_SUCCESS;
    }
  }

  // A small message may be complete before a large one that the same rank sent earlier; it waits for it.
  std::vector<Letter> take_complete() {
    std::vector<Letter> letters;
    std::set<int> held_up;
    for (auto each = receiving_.begin(); each != receiving_.end();) {
      if (!each->done || held_up.contains(each->rank)) {
        held_up.insert(each->rank);
        ++each;
      } else {
        letters.push_back({each->rank, std::move(each->bytes)});
        each = receiving_.erase(each);
      }
    }
    return letters;
  }

  MPI_Comm communicator_;
  std::list<Transfer> sending_;
  std::list<Transfer> receiving_;
  std::map<int, std::string> failures_;
  ProcessWatch processes_;
};

}  // namespace

struct MpiWorld::State {
  MPI_Comm communicator = MPI_COMM_NULL;
  int rank = 0;
  int size = 1;
  std::optional<MpiMail> mail;
  std::optional<Ranks> ranks;  // on rank 0
  bool served = false;
  bool all_are_there = false;  // nobody will be missing in MPI_Finalize, as far as this rank can know
  int told = 0;                // what rank 0 tells all, kept until it has gone out
  std::vector<MPI_Request> telling;

  /// The others see the end of rank 0 at once where it is on their own host.
  void meet_first();
  void tell_the_end();
  bool hear_the_end();
};

MpiWorld::MpiWorld(workers::Seconds start_deadline) : state_(std::make_unique<State>()) {
#ifdef OPEN_MPI
  if (std::getenv("OMPI_COMM_WORLD_SIZE") == nullptr && std::getenv("PMIX_RANK") == nullptr) {
    throw storage::UsageError(
        "this plume-bench uses Open MPI, which srun starts by PMIx only: write `srun --mpi=pmix ...`, or use mpirun");
  }
#endif
  setenv("UCX_HANDLE_ERRORS", "none", 0);  // else UCX takes over SIGSEGV and its kind
  setenv("UCX_DEBUG_SIGNO", "0", 0);
  // With --enable-recovery the others would wait for ever for a rank that dies here.
  const StartWatch watch(start_deadline,
                         fmt::format("MPI has not started within {:.0f} s (--start-deadline): a rank or its host may "
                                     "have been lost meanwhile; run the same command again",
                                     start_deadline.count()));
  int provided = MPI_THREAD_SINGLE;
  check("MPI_Init_thread", MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided));
  check("MPI_Comm_set_errhandler", MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  check("MPI_Comm_set_errhandler", MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
  if (provided < MPI_THREAD_FUNNELED) {
    throw storage::Error("this MPI cannot be used from a program with threads (MPI_THREAD_FUNNELED is not provided)");
  }
  check("MPI_Comm_dup", MPI_Comm_dup(MPI_COMM_WORLD, &state_->communicator));  // inherits the error handler
  check("MPI_Comm_rank", MPI_Comm_rank(state_->communicator, &state_->rank));
  check("MPI_Comm_size", MPI_Comm_size(state_->communicator, &state_->size));
  state_->mail.emplace(state_->communicator);
  if (state_->rank == 0) {
    state_->ranks.emplace(*state_->mail, state_->size);
  }
  state_->meet_first();
}

void MpiWorld::State::meet_first() {
  struct Place {
    std::array<char, 256> host;
    int pid;
  } first{};
  storage::host_name().copy(first.host.data(), first.host.size() - 1);
  first.pid = getpid();
  check("MPI_Bcast", MPI_Bcast(&first, sizeof first, MPI_BYTE, 0, communicator));
  if (rank != 0) {
    workers::Hello hello;
    hello.host = first.host.data();
    hello.pid = first.pid;
    mail->watch(0, hello);
  }
}

/// MPI_Finalize waits for every rank at full speed. Who has nothing to do any more naps until rank 0 is there, too.
void MpiWorld::State::tell_the_end() {
  for (int other = 1; other < size; ++other) {
    MPI_Request& request = telling.emplace_back(MPI_REQUEST_NULL);
    check("MPI_Isend", MPI_Isend(&told, 1, MPI_INT, other, kEndTag, communicator, &request));
  }
}

/// False when rank 0 ended without a word.
bool MpiWorld::State::hear_the_end() {
  Nap nap;
  int there = 0;
  while (true) {
    check("MPI_Iprobe", MPI_Iprobe(0, kEndTag, communicator, &there, MPI_STATUS_IGNORE));
    if (there != 0) {
      int number = 0;
      check("MPI_Recv", MPI_Recv(&number, 1, MPI_INT, 0, kEndTag, communicator, MPI_STATUS_IGNORE));
      return true;
    }
    if (mail->take_failures().contains(0)) {
      return false;
    }
    nap.take();
  }
}

MpiWorld::~MpiWorld() {
  try {
    if (state_->ranks && !state_->all_are_there) {
      state_->all_are_there = state_->ranks->dismiss(kPatience);
    } else if (!state_->ranks && !state_->served) {
      state_->all_are_there = say_goodbye(*state_->mail);
    }
    if (state_->ranks && state_->all_are_there) {
      state_->tell_the_end();
    } else if (state_->all_are_there) {
      state_->all_are_there = state_->hear_the_end();
    }
  } catch (const storage::Error&) {
    state_->all_are_there = false;  // MPI itself is broken
  }
  // A link that was cut once may be cut again: neither MPI_Finalize nor mpirun may then come to its end.
  if (state_->ranks && (!state_->all_are_there || state_->ranks->lost_any())) {
    end_launcher_at_last();
  }
  if (state_->all_are_there) {
    MPI_Finalize();
  }
}

int MpiWorld::rank() const {
  return state_->rank;
}

int MpiWorld::size() const {
  return state_->size;
}

void MpiWorld::tell_all(int number) {
  state_->told = number;
  for (int other = 1; other < state_->size; ++other) {
    MPI_Request& request = state_->telling.emplace_back(MPI_REQUEST_NULL);
    check("MPI_Isend", MPI_Isend(&state_->told, 1, MPI_INT, other, kStartTag, state_->communicator, &request));
  }
}

int MpiWorld::hear_from_first() {
  Nap nap;
  const workers::Seconds end = workers::steady_seconds() + kStartDeadline;
  for (int there = 0; there == 0; nap.take()) {
    check("MPI_Iprobe", MPI_Iprobe(0, kStartTag, state_->communicator, &there, MPI_STATUS_IGNORE));
    const auto failures = there == 0 ? state_->mail->take_failures() : std::map<int, std::string>{};
    if (failures.contains(0)) {
      state_->served = true;  // nobody is left to say goodbye to
      throw storage::Error(fmt::format("rank 0 was lost before the first task: {}", failures.at(0)));
    }
    if (there == 0 && workers::steady_seconds() > end) {
      throw storage::Error(fmt::format("rank 0 said nothing for {:.0f} s after the start", kStartDeadline.count()));
    }
  }
  int number = 0;
  check("MPI_Recv", MPI_Recv(&number, 1, MPI_INT, 0, kStartTag, state_->communicator, MPI_STATUS_IGNORE));
  return number;
}

std::unique_ptr<Link> MpiWorld::coordinator_link() {
  return state_->ranks.value().link();
}

void MpiWorld::serve(const workers::SupervisorOptions& options, const workers::Clock& clock,
                     workers::Seconds coordinator_deadline) {
  state_->served = true;
  state_->all_are_there = serve_rank_zero(*state_->mail, options, clock, coordinator_deadline);
}

void MpiWorld::leave_without_farewell() {
  state_->served = true;
  state_->all_are_there = false;
}

void MpiWorld::finish(int exit_status, workers::Seconds patience) {
  if (!state_->ranks) {
    return;
  }
  state_->all_are_there = state_->ranks->dismiss(patience);
  if (!state_->all_are_there) {
    end_launcher_at_last();
    MPI_Abort(MPI_COMM_WORLD, exit_status);
    _exit(exit_status);  // should MPI_Abort come back
  }
}

#else

struct MpiWorld::State {};

MpiWorld::MpiWorld(workers::Seconds) {
  throw storage::UsageError(
      "this plume-bench was built without MPI: start it without mpirun (--workers N), or build with "
      "-DPLUME_WITH_MPI=ON");
}
MpiWorld::~MpiWorld() = default;
void MpiWorld::tell_all(int) {}
int MpiWorld::hear_from_first() {
  return 0;
}
int MpiWorld::rank() const {
  return 0;
}
int MpiWorld::size() const {
  return 1;
}
std::unique_ptr<Link> MpiWorld::coordinator_link() {
  return nullptr;
}
void MpiWorld::serve(const workers::SupervisorOptions&, const workers::Clock&, workers::Seconds) {}
void MpiWorld::leave_without_farewell() {}
void MpiWorld::finish(int, workers::Seconds) {}

#endif

}  // namespace runner
