// What a trainer's environment says of memory.
#include "workers/child_environment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

namespace workers {
namespace {

/// The entries called `name`, with that name set to `value` in this process.
std::vector<std::string> entries(const std::string& name, const char* value) {
  value != nullptr ? setenv(name.c_str(), value, 1) : unsetenv(name.c_str());
  auto variables = child_environment({});
  unsetenv(name.c_str());
  std::erase_if(variables, [&](const auto& variable) { return !variable.starts_with(name + "="); });
  return variables;
}

TEST(EnvironmentOfATrainer, AsksForLargePages) {
  EXPECT_THAT(entries("GLIBC_TUNABLES", nullptr), testing::ElementsAre("GLIBC_TUNABLES=glibc.malloc.hugetlb=1"));
  EXPECT_THAT(entries("GLIBC_TUNABLES", ""), testing::ElementsAre("GLIBC_TUNABLES=glibc.malloc.hugetlb=1"));
}

TEST(EnvironmentOfATrainer, KeepsWhatSomebodySaidOfMemory) {
  EXPECT_THAT(entries("GLIBC_TUNABLES", "glibc.malloc.arena_max=2"),
              testing::ElementsAre("GLIBC_TUNABLES=glibc.malloc.arena_max=2:glibc.malloc.hugetlb=1"));
  EXPECT_THAT(entries("GLIBC_TUNABLES", "glibc.malloc.hugetlb=0"),
              testing::ElementsAre("GLIBC_TUNABLES=glibc.malloc.hugetlb=0"));
}

}  // namespace
}  // namespace workers
