// Own work on LibTorch's threads.
#include "plume/torch_threads.hpp"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

namespace {

struct Shares {
  std::vector<std::pair<std::int64_t, std::int64_t>> ranges;  ///< in order
  std::set<std::thread::id> threads;
};

Shares shares_of(std::int64_t count, int threads) {
  at::set_num_threads(threads);
  Shares shares;
  std::mutex mutex;
  plume::share_out(count, [&](std::int64_t begin, std::int64_t end) {
    const std::lock_guard lock(mutex);
    shares.ranges.emplace_back(begin, end);
    shares.threads.insert(std::this_thread::get_id());
  });
  at::set_num_threads(1);
  std::sort(shares.ranges.begin(), shares.ranges.end());
  return shares;
}

void expect_each_number_once(const Shares& shares, std::int64_t count) {
  std::int64_t next = 0;
  for (const auto& [begin, end] : shares.ranges) {
    EXPECT_EQ(begin, next);
    next = end;
  }
  EXPECT_EQ(next, count);
}

TEST(ShareOut, GivesEachThreadOneShare) {
  for (const int threads : {1, 2, 3}) {
    const Shares shares = shares_of(512, threads);
    EXPECT_EQ(shares.threads.size(), static_cast<std::size_t>(threads));
    EXPECT_EQ(shares.ranges.size(), static_cast<std::size_t>(threads));
    expect_each_number_once(shares, 512);
  }
}

TEST(ShareOut, LeavesOutThreadsWithoutWork) {
  expect_each_number_once(shares_of(1, 2), 1);
  expect_each_number_once(shares_of(2, 3), 2);
}

}  // namespace
