// How much memory a process may still take, by what the kernel says in its files.
#include "workers/free_memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "tests/temporary_folder.hpp"
#include "workers/memory_cgroups.hpp"

namespace workers {
namespace {

class FreeMemoryOf : public testing::Test {
 protected:
  void say(const std::string& file, const std::string& text) { tests::write_text(root.path() / file, text); }
  void limit(const std::string& cgroup, const std::string& most, int used, int cached) {
    say("sys/fs/cgroup/" + cgroup + "/memory.max", most);
    say("sys/fs/cgroup/" + cgroup + "/memory.current", std::to_string(used));
    say("sys/fs/cgroup/" + cgroup + "/memory.stat",
        "anon 1\nfile 99999\nactive_file " + std::to_string(cached) + "\ninactive_file 3\n");
  }
  std::optional<std::int64_t> bytes() const { return free_memory(root.path()); }

  const tests::TemporaryFolder root;
};

TEST_F(FreeMemoryOf, NothingIsNotKnown) {
  EXPECT_EQ(bytes(), std::nullopt);
  say("proc/meminfo", "MemTotal: 5 kB\nMemAvailable: lots\n");
  EXPECT_EQ(bytes(), std::nullopt);
}

TEST_F(FreeMemoryOf, AMachineIsWhatItHasAvailable) {
  say("proc/meminfo", "MemTotal:       24689764 kB\nMemFree:          1 kB\nMemAvailable:    1000 kB\nBuffers: 2 kB\n");
  EXPECT_EQ(bytes(), 1'024'000);
}

TEST_F(FreeMemoryOf, ACgroupIsWhatItsLimitLeavesBesideThePageCache) {
  say("proc/meminfo", "MemAvailable:    1000 kB\n");
  say("proc/self/cgroup", "0::/slurm/job_7/step_0\n");
  limit("slurm/job_7/step_0", "5000\n", 2000, 500);
  EXPECT_EQ(bytes(), 5000 - (2000 - 503));
  limit("slurm/job_7/step_0", "5000\n", 6000, 500);
  EXPECT_EQ(bytes(), 0);
  limit("slurm/job_7/step_0", "max\n", 6000, 500);
  EXPECT_EQ(bytes(), 1'024'000);
}

TEST_F(FreeMemoryOf, ACgroupThatSaysMoreThanThereCanBeIsItsLimit) {
  say("proc/self/cgroup", "0::/a\n");
  limit("a", "9223372036854775807\n", 5000, 0);
  say("sys/fs/cgroup/a/memory.stat", "active_file 9223372036854775807\ninactive_file 9223372036854775807\n");
  EXPECT_EQ(bytes(), std::numeric_limits<std::int64_t>::max());
}

TEST_F(FreeMemoryOf, CgroupsWithinOthersIsTheLeastOfTheirs) {
  say("proc/self/cgroup", "0::/slurm/job_7/step_0\n");
  limit("slurm/job_7/step_0", "max\n", 10, 0);
  limit("slurm/job_7", "5000\n", 1003, 0);
  limit("slurm", "4500\n", 1003, 0);
  EXPECT_EQ(bytes(), 3500);
}

TEST_F(FreeMemoryOf, ACgroupOfVersion1IsKnownByItsOtherFiles) {
  say("proc/self/cgroup", "5:cpu,cpuacct:/a\n4:memory:/a/b\n0::/\n");
  say("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "9000\n");
  say("sys/fs/cgroup/memory/a/memory.usage_in_bytes", "4000\n");
  say("sys/fs/cgroup/memory/a/memory.stat", "active_file 7\ntotal_active_file 100\ntotal_inactive_file 20\n");
  EXPECT_EQ(bytes(), 9000 - (4000 - 120));
}

TEST_F(FreeMemoryOf, AContainerThatDoesNotSeeTheHostsPathIsThatOfItsRoot) {
  say("proc/self/cgroup", "0::/of/the/host\n");
  limit(".", "100\n", 63, 20);
  EXPECT_EQ(bytes(), 60);
}

TEST_F(FreeMemoryOf, ThisMachineIsKnown) {
  EXPECT_GT(free_memory().value_or(0), 0);
}

TEST(MemoryCgroups, AreTheProcesssOwnFirstAndThenThoseAroundIt) {
  const tests::TemporaryFolder root;
  tests::write_text(root / "proc/self/cgroup", "no line of it\n3:hugetlb:/x\n4:memory:/a/b\n");
  std::vector<std::string> folders;
  for (const auto& [folder, is_v1] : memory_cgroups(root.path())) {
    EXPECT_TRUE(is_v1);
    folders.push_back(folder.lexically_relative(root.path()).string());
  }
  EXPECT_THAT(folders,
              testing::ElementsAre("sys/fs/cgroup/memory/a/b", "sys/fs/cgroup/memory/a", "sys/fs/cgroup/memory"));
}

}  // namespace
}  // namespace workers
