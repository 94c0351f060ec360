// Reading ahead: order, window, errors and the end, with threads that are held where a test wants them.
#include "workers/read_ahead.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <numeric>
#include <stdexcept>
#include <string>

namespace workers {
namespace {

std::size_t ten_bytes(const std::int64_t&) {
  return 10;
}

std::vector<std::int64_t> take_all(ReadAhead<std::int64_t>& rows, std::int64_t count) {
  std::vector<std::int64_t> taken;
  for (std::int64_t i = 0; i < count; ++i) taken.push_back(rows.take());
  return taken;
}

std::vector<std::int64_t> zero_to(std::int64_t count) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

TEST(ReadAhead, GivesEachRowOnceInOrderForAnyNumberOfThreads) {
  for (const int threads : {1, 2, 7, 300}) {
    std::vector<std::atomic<int>> reads(200);
    ReadAhead<std::int64_t> rows(200,
                                 [&](std::int64_t i) {
                                   ++reads[static_cast<std::size_t>(i)];
                                   return i;
                                 },
                                 ten_bytes, {.threads = threads, .most_bytes = 50});
    EXPECT_EQ(take_all(rows, 200), zero_to(200)) << threads;
    for (const auto& count : reads) EXPECT_EQ(count, 1);
  }
}

TEST(ReadAhead, ReadsTheNextRowsWhileOneTakesLong) {
  std::promise<void> second_was_read;
  ReadAhead<std::int64_t> rows(2,
                               [&](std::int64_t i) {
                                 if (i == 1) second_was_read.set_value();
                                 if (i == 0) second_was_read.get_future().wait();  // for ever, were it read alone
                                 return i;
                               },
                               ten_bytes, {.threads = 2});
  EXPECT_EQ(take_all(rows, 2), zero_to(2));
}

TEST(ReadAhead, BeginsNoRowWhileTheWindowIsFull) {
  constexpr std::int64_t kCount = 500;
  constexpr std::int64_t kMost = 3 + 2;  // rows that wait, rows under way
  std::atomic<std::int64_t> taken{0}, furthest{0};
  std::promise<void> window_is_full;
  ReadAhead<std::int64_t> rows(kCount,
                               [&](std::int64_t i) {
                                 furthest = std::max<std::int64_t>(furthest, i - taken);
                                 if (i == 2) window_is_full.set_value();
                                 return i;
                               },
                               ten_bytes, {.threads = 2, .most_bytes = 30});
  window_is_full.get_future().wait();
  for (std::int64_t i = 0; i < kCount; ++i) {
    EXPECT_EQ(rows.take(), i);
    ++taken;  // a thread may be ahead of this by one
  }
  EXPECT_LE(furthest, kMost);
}

TEST(ReadAhead, ARowThatIsLargerThanTheWindowComesAllTheSame) {
  ReadAhead<std::int64_t> rows(
      20, [](std::int64_t i) { return i; }, [](const std::int64_t&) { return std::size_t{1000}; },
      {.threads = 3, .most_bytes = 0});
  EXPECT_EQ(take_all(rows, 20), zero_to(20));
}

TEST(ReadAhead, AnErrorComesOutAtItsRowAfterThoseBeforeIt) {
  std::promise<void> has_failed;
  ReadAhead<std::string> rows(
      4,
      [&](std::int64_t i) -> std::string {
        if (i == 2) {
          has_failed.set_value();
          throw std::runtime_error("row 2 is broken");
        }
        if (i == 0) has_failed.get_future().wait();
        return std::to_string(i);
      },
      [](const std::string& row) { return row.size(); }, {.threads = 3});
  EXPECT_EQ(rows.take(), "0");
  EXPECT_EQ(rows.take(), "1");
  EXPECT_THROW(rows.take(), std::runtime_error);
  EXPECT_EQ(rows.take(), "3");
}

TEST(ReadAhead, EndsWithItsRowsUnderWayWhenItsTakerLeaves) {
  std::atomic<int> begun{0}, ended{0};
  {
    ReadAhead<std::int64_t> rows(1000,
                                 [&](std::int64_t i) {
                                   ++begun;
                                   ++ended;
                                   return i;
                                 },
                                 ten_bytes, {.threads = 4, .most_bytes = 100});
    EXPECT_EQ(rows.take(), 0);
  }
  EXPECT_EQ(begun, ended);
  EXPECT_LT(begun, 1000) << "nothing is begun that nobody will take";
}

TEST(ReadAhead, OfNoRowsHasNothingToGive) {
  ReadAhead<std::int64_t> rows(0, [](std::int64_t i) { return i; }, ten_bytes, {.threads = 2});
  EXPECT_THROW(rows.take(), std::logic_error);
}

TEST(ReadAhead, CountsTheSecondsThatItsTakerWaits) {
  const auto start = std::chrono::steady_clock::now();
  ReadAhead<std::int64_t> rows(1,
                               [&](std::int64_t i) {
                                 const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
                                 while (std::chrono::steady_clock::now() < until) std::this_thread::yield();
                                 return i;
                               },
                               ten_bytes, {});
  rows.take();
  const double all = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  EXPECT_GT(rows.waited_seconds(), 0);
  EXPECT_LE(rows.waited_seconds(), all);
}

}  // namespace
}  // namespace workers
