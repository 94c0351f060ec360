// Rank 0's link to its workers and a worker's loop, over a Mail. Silence is the only sign of a lost host, so rank 0
// says a word every 2 s.
#include "runner/ranks.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <utility>

#include "storage/error.hpp"
#include "workers/awake_clock.hpp"

namespace runner {

using workers::Seconds;
using workers::steady_seconds;
using workers::WorkerId;

namespace {

constexpr Seconds kKeepAlive{2};
constexpr Seconds kLookEvery{0.25};
constexpr Seconds kFarewellPatience{5};

// False when something for rank 0 has not gone out in time.
bool flush(Mail& mail) {
  Nap nap;
  const Seconds end = steady_seconds() + kFarewellPatience;
  while (mail.has_unsent(0) && steady_seconds() < end) {
    mail.collect();
    nap.take();
  }
  return !mail.has_unsent(0);
}

}  // namespace

bool Nap::take(int descriptor) {
  pollfd waiting{descriptor, POLLIN, 0};  // poll ignores a negative descriptor
  const int milliseconds = std::exchange(milliseconds_, std::min(kLongest, milliseconds_ + 1));
  return ::poll(&waiting, 1, milliseconds) >= 0;
}

class Ranks::RankLink : public Link {
 public:
  explicit RankLink(Ranks& ranks) : ranks_(ranks) {}

  std::vector<WorkerId> workers() const override {
    std::vector<WorkerId> ids;
    for (int rank = 1; rank < ranks_.size_; ++rank) {
      if (!ranks_.peer(rank).dropped) {
        ids.push_back(WorkerId{rank});
      }
    }
    return ids;
  }

  void send(WorkerId worker, const workers::ToWorker& message) override {
    if (!ranks_.peer(worker.value).dropped || !std::holds_alternative<workers::Assign>(message)) {
      ranks_.send(worker.value, message);
    }
  }

  std::vector<Incoming> receive(Seconds wait) override {
    const Seconds end = steady_seconds() + wait;
    while (true) {
      ranks_.keep_alive();
      ranks_.collect();
      if (!ranks_.arrived_.empty()) {
        ranks_.nap_.traffic();
        return std::exchange(ranks_.arrived_, {});
      }
      if (!ranks_.losses_.empty() || steady_seconds() >= end || !ranks_.nap_.take()) {
        return {};
      }
    }
  }

  std::vector<Loss> losses() override { return std::exchange(ranks_.losses_, {}); }

  // It may only have been slow, or its link be cut for a while: then it greets again when it is asked to. Without an
  // answer of ours it misses the keep-alives in the end and leaves.
  void drop(WorkerId worker) override {
    Peer& peer = ranks_.peer(worker.value);
    peer.dropped = true;
    peer.spoke_since = false;
    ranks_.lost_any_ = ranks_.lost_any_ || !peer.said_goodbye;
  }

 private:
  Ranks& ranks_;
};

Ranks::Ranks(Mail& mail, int size)
    : mail_(mail),
      size_(size),
      peers_(static_cast<std::size_t>(size)),
      last_keep_alive_(steady_seconds() - kKeepAlive) {}

std::unique_ptr<Link> Ranks::link() {
  return std::make_unique<RankLink>(*this);
}

void Ranks::send(int rank, const workers::ToWorker& message) {
  if (std::holds_alternative<workers::Shutdown>(message) && !peer(rank).told_to_shut_down) {
    peer(rank).told_to_shut_down = steady_seconds();
  }
  mail_.post(rank, workers::encode(message));
}

void Ranks::keep_alive() {
  if (steady_seconds() - last_keep_alive_ < kKeepAlive) {
    return;
  }
  last_keep_alive_ = steady_seconds();
  for (int rank = 1; rank < size_; ++rank) {
    const Peer& each = peer(rank);
    if (!each.dropped && !each.lost && !each.said_goodbye && !mail_.has_unsent(rank)) {  // none on top of another
      mail_.post(rank, "");
    }
  }
}

void Ranks::read(const Letter& letter) {
  if (letter.bytes.empty()) {
    return;
  }
  try {
    workers::ToCoordinator message = workers::decode_to_coordinator(letter.bytes);
    note(letter.source, message);
    arrived_.push_back({WorkerId{letter.source}, std::move(message)});
  } catch (const storage::Error& error) {
    losses_.push_back(
        {WorkerId{letter.source}, fmt::format("rank {} sent what cannot be read: {}", letter.source, error.what())});
  }
}

void Ranks::note(int rank, const workers::ToCoordinator& message) {
  Peer& sender = peer(rank);
  sender.spoke_since = true;
  sender.said_goodbye = sender.said_goodbye || std::holds_alternative<workers::Goodbye>(message);
  if (const auto* hello = std::get_if<workers::Hello>(&message)) {
    sender.dropped = false;
    sender.lost = false;
    processes_.add(WorkerId{rank}, *hello);
  }
}

void Ranks::lose(int rank, const std::string& why) {
  if (!peer(rank).lost && !peer(rank).said_goodbye) {
    losses_.push_back({WorkerId{rank}, fmt::format("rank {}: {}", rank, why)});
    peer(rank).lost = true;
    lost_any_ = true;
  }
}

void Ranks::collect() {
  look_for_dead_processes();
  for (const Letter& letter : mail_.collect()) {
    read(letter);
  }
  for (const auto& [rank, why] : mail_.take_failures()) {
    lose(rank, why);
  }
}

// What a process said before its end counts: its letters, which are there by now, are read first.
void Ranks::look_for_dead_processes() {
  if (steady_seconds() - last_look_ < kLookEvery) {
    return;
  }
  last_look_ = steady_seconds();
  const auto ended = processes_.take_ended();
  if (ended.empty()) {
    return;
  }
  for (const Letter& letter : mail_.collect()) {
    read(letter);
  }
  for (const auto& [worker, why] : ended) {
    lose(worker.value, why);
  }
}

bool Ranks::all_settled(Seconds patience) const {
  const Seconds now = steady_seconds();
  return std::all_of(peers_.begin() + 1, peers_.end(), [&](const Peer& each) {
    const bool is_silent = each.dropped && !each.spoke_since;
    return each.said_goodbye || each.lost || is_silent ||
           (each.told_to_shut_down && now - *each.told_to_shut_down > patience);
  });
}

bool Ranks::dismiss(Seconds patience) {
  for (int rank = 1; rank < size_; ++rank) {
    if (!peer(rank).told_to_shut_down && !peer(rank).said_goodbye && !peer(rank).lost) {
      send(rank, workers::Shutdown{});
    }
  }
  while (!all_settled(patience)) {
    keep_alive();
    collect();
    nap_.take();
  }
  return std::all_of(peers_.begin() + 1, peers_.end(), [](const Peer& each) { return each.said_goodbye; });
}

bool serve_rank_zero(Mail& mail, const workers::SupervisorOptions& options, const workers::Clock& clock,
                     Seconds coordinator_deadline) {
  Nap nap;
  workers::Supervisor supervisor(options, clock);
  workers::AwakeClock awake(clock);
  Seconds last_heard = awake.now();
  while (!supervisor.finished()) {
    const Seconds now = awake.now();
    for (const Letter& letter : mail.collect()) {
      last_heard = now;
      if (!letter.bytes.empty()) {
        supervisor.handle(workers::decode_to_worker(letter.bytes));
        nap.traffic();
      }
    }
    supervisor.poll();
    for (const workers::ToCoordinator& message : supervisor.take_outgoing()) {
      mail.post(0, workers::encode(message));
      nap.traffic();
    }
    if (now - last_heard > coordinator_deadline || mail.take_failures().contains(0)) {
      return false;  // the supervisor's destructor ends the trainer
    }
    nap.take(supervisor.descriptor());
  }
  return flush(mail);
}

bool say_goodbye(Mail& mail) {
  mail.post(0, workers::encode(workers::ToCoordinator(workers::Goodbye{})));
  return flush(mail);
}

}  // namespace runner
