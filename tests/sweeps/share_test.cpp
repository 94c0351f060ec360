// Shares of a sweep's jobs: every job in one of them, long and short ones alike.
#include "sweeps/share.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "storage/error.hpp"
#include "sweeps/sweep.hpp"

namespace sweeps {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A short and a long training in turn.
std::vector<Job> short_and_long(int seeds) {
  std::vector<Job> jobs;
  for (int seed = 0; seed < seeds; ++seed) {
    for (const int epochs : {1, 100}) {
      Job job;
      job.dataset = "cifar10";
      job.normal_class = "cat";
      job.seed = static_cast<std::uint64_t>(seed);
      job.training.epochs = epochs;
      jobs.push_back(job);
    }
  }
  return jobs;
}

std::vector<std::size_t> all_of(const std::vector<Job>& jobs) {
  std::vector<std::size_t> all(jobs.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

TEST(Share, EveryJobIsInExactlyOneAndNumbersDifferByOneAtMost) {
  const auto jobs = short_and_long(5);
  for (const int of : {1, 2, 3, 7, 10, 13}) {
    std::multiset<std::size_t> dealt;
    for (int number = 1; number <= of; ++number) {
      const auto ours = share_of(jobs, all_of(jobs), {number, of});
      EXPECT_GE(ours.size(), 10U / static_cast<std::size_t>(of));
      EXPECT_LE(ours.size(), (10U + static_cast<std::size_t>(of) - 1) / static_cast<std::size_t>(of));
      dealt.insert(ours.begin(), ours.end());
    }
    EXPECT_EQ(dealt.size(), 10U) << of;
    EXPECT_EQ(std::set<std::size_t>(dealt.begin(), dealt.end()).size(), 10U) << of;
  }
}

TEST(Share, GetsLongAndShortTrainingsAlikeThoughTheyAlternate) {
  const auto jobs = short_and_long(4);  // 0 short, 1 long, 2 short, ...
  EXPECT_THAT(share_of(jobs, all_of(jobs), {1, 2}), ElementsAre(0, 1, 6, 7));
  EXPECT_THAT(share_of(jobs, all_of(jobs), {2, 2}), ElementsAre(2, 3, 4, 5));
}

TEST(Share, IsOfTheSelectedJobsAlone) {
  const auto jobs = short_and_long(4);
  EXPECT_THAT(share_of(jobs, {1, 5}, {1, 2}), ElementsAre(1));
  EXPECT_THAT(share_of(jobs, {1, 5}, {2, 2}), ElementsAre(5));
  EXPECT_THAT(share_of(jobs, {1, 5}, {3, 3}), IsEmpty());
}

TEST(Share, IsReadAsKOfN) {
  EXPECT_EQ(parse_share("3/8"), (Share{3, 8}));
  EXPECT_EQ(parse_share("1/1"), (Share{1, 1}));
}

TEST(Share, OfAnotherFormIsRefusedWithWhatToWrite) {
  for (const char* text :
       {"", "3", "0/8", "9/8", "-1/8", "3/", "/8", "3/8/9", "3 / 8", "a/b", "3/999999999999", "1/0"}) {
    try {
      parse_share(text);
      ADD_FAILURE() << text;
    } catch (const storage::UsageError& error) {
      EXPECT_THAT(error.what(), HasSubstr("--share")) << text;
      EXPECT_THAT(error.what(), HasSubstr("e.g. 3/8")) << text;
    }
  }
}

}  // namespace
}  // namespace sweeps
