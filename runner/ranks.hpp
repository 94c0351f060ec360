// The two ends of the link over ranks: what rank 0 knows of its workers, and how a worker serves. Knows no MPI, only a
// Mail.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "runner/link.hpp"
#include "runner/mail.hpp"
#include "runner/process_watch.hpp"

namespace runner {

/// Sleeps of 2 ms after traffic, rising to 10 ms: never a busy wait.
class Nap {
 public:
  void traffic() { milliseconds_ = kShortest; }
  /// Ends early when `descriptor` (-1: none) can be read. False when a signal came.
  bool take(int descriptor = -1);

 private:
  static constexpr int kShortest = 2;
  static constexpr int kLongest = 10;
  int milliseconds_ = kShortest;
};

/// Rank 0's view of ranks 1 .. size-1.
class Ranks {
 public:
  Ranks(Mail& mail, int size);

  /// Worker ids are ranks. It may not outlive this.
  std::unique_ptr<Link> link();
  /// Tells all to shut down that were not told, and waits until every rank has said goodbye or is given up: a lost or
  /// dropped and silent one at once, any other `patience` after it was told. True when all have said goodbye.
  bool dismiss(workers::Seconds patience);
  /// A rank was lost or given up at some time, even if it came back.
  bool lost_any() const { return lost_any_; }

 private:
  class RankLink;
  struct Peer {
    bool dropped = false;
    bool spoke_since = false;  // since it was dropped
    bool lost = false;
    bool said_goodbye = false;
    std::optional<workers::Seconds> told_to_shut_down;
  };

  Peer& peer(int rank) { return peers_.at(static_cast<std::size_t>(rank)); }
  void send(int rank, const workers::ToWorker& message);
  void keep_alive();
  void collect();
  void read(const Letter& letter);
  void note(int rank, const workers::ToCoordinator& message);
  void look_for_dead_processes();
  void lose(int rank, const std::string& why);
  bool all_settled(workers::Seconds patience) const;

  Mail& mail_;
  int size_;
  std::vector<Peer> peers_;  // by rank; 0 unused
  std::vector<Link::Incoming> arrived_;
  std::vector<Link::Loss> losses_;
  bool lost_any_ = false;
  ProcessWatch processes_;
  workers::Seconds last_look_{0};
  workers::Seconds last_keep_alive_;
  Nap nap_;
};

/// A worker's side: pumps a supervisor until Goodbye has gone out (true), or until rank 0 was silent for
/// `coordinator_deadline` (false; the trainer is ended then).
bool serve_rank_zero(Mail& mail, const workers::SupervisorOptions& options, const workers::Clock& clock,
                     workers::Seconds coordinator_deadline);
/// Tells rank 0 that this worker leaves. False when that did not go out within some seconds.
bool say_goodbye(Mail& mail);

}  // namespace runner
