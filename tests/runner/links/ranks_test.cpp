// Rank 0's link and a worker's loop over a Mail that lies in memory.
#include "runner/ranks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>

#include "storage/machine.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/workers/orders.hpp"

namespace runner {
namespace {

using testing::HasSubstr;
using workers::Seconds;
using workers::ToCoordinator;
using workers::ToWorker;
using workers::WorkerId;

struct MemoryMail : Mail {
  void post(int rank, std::string bytes) override { posted.push_back({rank, std::move(bytes)}); }
  std::vector<Letter> collect() override { return std::exchange(arriving, {}); }
  bool has_unsent(int rank) const override { return stuck.contains(rank); }
  std::map<int, std::string> take_failures() override { return std::exchange(failing, {}); }

  void from(int rank, const ToCoordinator& message) { arriving.push_back({rank, workers::encode(message)}); }
  /// What was posted to a rank and is no sign of life.
  std::vector<ToWorker> said_to(int rank) const {
    std::vector<ToWorker> messages;
    for (const Letter& letter : posted) {
      if (letter.source == rank && !letter.bytes.empty()) {
        messages.push_back(workers::decode_to_worker(letter.bytes));
      }
    }
    return messages;
  }

  std::vector<Letter> posted;  // `source` is the target here
  std::vector<Letter> arriving;
  std::map<int, std::string> failing;
  std::set<int> stuck;
};

TEST(Ranks, GiveEachMessageWithTheRankThatSentIt) {
  MemoryMail mail;
  Ranks ranks(mail, 3);
  const auto link = ranks.link();
  mail.from(2, workers::Heartbeat{});
  mail.arriving.push_back({1, ""});  // a sign of life is no message
  const auto arrived = link->receive(Seconds(1));
  ASSERT_EQ(arrived.size(), 1U);
  EXPECT_EQ(arrived[0].worker, WorkerId{2});
  EXPECT_EQ(link->workers(), (std::vector<WorkerId>{{1}, {2}}));
}

TEST(Ranks, GetASignOfLifeFromRankZeroUnlessOneIsStillUnsent) {
  MemoryMail mail;
  mail.stuck = {2};
  Ranks ranks(mail, 3);
  ranks.link()->receive(Seconds(0));
  ASSERT_EQ(mail.posted.size(), 1U);
  EXPECT_EQ(mail.posted[0].source, 1);
  EXPECT_EQ(mail.posted[0].bytes, "");
}

TEST(Ranks, AreLostOnceWhenSendingFails) {
  MemoryMail mail;
  Ranks ranks(mail, 3);
  const auto link = ranks.link();
  for (int i = 0; i < 2; ++i) {
    mail.failing = {{2, "MPI_Isend: no route"}};
    link->receive(Seconds(0));
  }
  const auto losses = link->losses();
  ASSERT_EQ(losses.size(), 1U);
  EXPECT_EQ(losses[0].worker, WorkerId{2});
  EXPECT_THAT(losses[0].why, HasSubstr("no route"));
  EXPECT_TRUE(link->losses().empty());
}

TEST(Ranks, AreLostWhenTheyCannotBeUnderstood) {
  MemoryMail mail;
  Ranks ranks(mail, 2);
  const auto link = ranks.link();
  mail.arriving.push_back({1, "{\"v\":99}"});
  EXPECT_TRUE(link->receive(Seconds(0)).empty());
  EXPECT_EQ(link->losses().size(), 1U);
}

TEST(Ranks, ThatAreDroppedGetNoTaskButAreHeardAndMayComeBack) {
  MemoryMail mail;
  Ranks ranks(mail, 3);
  const auto link = ranks.link();
  link->drop(WorkerId{1});
  EXPECT_EQ(link->workers(), (std::vector<WorkerId>{{2}}));
  link->send(WorkerId{1}, tests::assign(1, "finish"));
  link->send(WorkerId{1}, workers::StartAnew{});
  EXPECT_EQ(mail.said_to(1), (std::vector<ToWorker>{workers::StartAnew{}}));
  mail.from(1, workers::Heartbeat{});
  EXPECT_EQ(link->receive(Seconds(0)).size(), 1U) << "a late result would be evidence";
  mail.from(1, workers::Hello{});
  link->receive(Seconds(0));
  EXPECT_EQ(link->workers(), (std::vector<WorkerId>{{1}, {2}}));
  link->send(WorkerId{1}, tests::assign(2, "finish"));
  EXPECT_EQ(mail.said_to(1).size(), 2U);
}

TEST(Ranks, OfThisHostAreLostAtOnceWhenTheirProcessEnds) {
  MemoryMail mail;
  Ranks ranks(mail, 3);
  const auto link = ranks.link();
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  workers::Hello hello;
  hello.host = storage::host_name();
  hello.pid = child;
  mail.from(1, hello);
  hello.host = "elsewhere";
  mail.from(2, hello);
  link->receive(Seconds(0));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  const Seconds end = workers::steady_seconds() + Seconds(20);
  std::vector<Link::Loss> losses;
  while (losses.empty() && workers::steady_seconds() < end) {
    link->receive(Seconds(1));
    losses = link->losses();
  }
  ASSERT_EQ(losses.size(), 1U) << "only heartbeats tell of a process of another host";
  EXPECT_EQ(losses[0].worker, WorkerId{1});
  EXPECT_EQ(losses[0].why, "rank 1: its process " + std::to_string(child) + " on this host has ended");
}

TEST(Ranks, AreAllThereWhenEachHasSaidGoodbye) {
  MemoryMail mail;
  Ranks ranks(mail, 3);
  const auto link = ranks.link();
  link->drop(WorkerId{1});  // slow, not dead
  mail.from(1, workers::Heartbeat{});
  link->receive(Seconds(0));
  mail.from(1, workers::Goodbye{});
  mail.from(2, workers::Goodbye{});
  EXPECT_TRUE(ranks.dismiss(Seconds(20)));
  EXPECT_EQ(mail.said_to(1).size(), 1U);
  EXPECT_EQ(mail.said_to(2), (std::vector<ToWorker>{workers::Shutdown{}}));
}

TEST(Ranks, AreNotWaitedForWithoutEndAndALostOneNotAtAll) {
  MemoryMail mail;
  Ranks ranks(mail, 3);
  mail.failing = {{1, "gone"}};
  mail.from(2, workers::Goodbye{});
  EXPECT_FALSE(ranks.dismiss(Seconds(3600)));
  MemoryMail silent;
  Ranks others(silent, 2);
  EXPECT_FALSE(others.dismiss(Seconds(0.02)));
  MemoryMail dropped;
  Ranks more(dropped, 2);
  more.link()->drop(WorkerId{1});
  EXPECT_FALSE(more.dismiss(Seconds(3600))) << "silent since it was given up";
  EXPECT_TRUE(more.lost_any());
  EXPECT_FALSE(others.lost_any());
  EXPECT_EQ(dropped.said_to(1), (std::vector<ToWorker>{workers::Shutdown{}})) << "should it still hear";
}

workers::SupervisorOptions options_in(const tests::TemporaryFolder& folder) {
  workers::SupervisorOptions options;
  options.trainer_command = {FAKE_TRAINER};
  options.log_folder = folder.path();
  options.name = "worker-1";
  return options;
}

TEST(ServingRank, LeavesWhenRankZeroIsSilentForTooLong) {
  const tests::TemporaryFolder folder;
  MemoryMail mail;
  Seconds now{0};
  const auto clock = [&] { return now += Seconds(1); };
  EXPECT_FALSE(serve_rank_zero(mail, options_in(folder), clock, Seconds(120)));
  EXPECT_GT(now, Seconds(120));
  EXPECT_LT(now, Seconds(400));  // the clock is read a few times a round
}

TEST(ServingRank, SaysGoodbyeWhenToldToShutDown) {
  const tests::TemporaryFolder folder;
  MemoryMail mail;
  mail.arriving.push_back({0, workers::encode(ToWorker(workers::Shutdown{}))});
  EXPECT_TRUE(serve_rank_zero(mail, options_in(folder), workers::steady_seconds, Seconds(120)));
  ASSERT_EQ(mail.posted.size(), 2U);
  EXPECT_TRUE(std::holds_alternative<workers::Hello>(workers::decode_to_coordinator(mail.posted[0].bytes)));
  EXPECT_EQ(workers::decode_to_coordinator(mail.posted[1].bytes), ToCoordinator(workers::Goodbye{}));
}

}  // namespace
}  // namespace runner
