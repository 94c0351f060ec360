// Temporaries of processes that are gone, and files that only look like them.
#include "storage/abandoned_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>
#include <string>

#include "storage/atomic_file.hpp"
#include "tests/temporary_folder.hpp"

namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;
using storage::remove_abandoned_temporaries;
using testing::ElementsAre;
using testing::IsEmpty;
using tests::TemporaryFolder;
using tests::write_text;

/// The id of a process that has ended and been waited for.
pid_t dead_process() {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  return child;
}

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) names.insert(entry.path().lexically_relative(folder));
  }
  return names;
}

std::string temporary_of(pid_t process, const std::string& target) {
  return target + storage::temporary_mark() + "." + std::to_string(process) + ".7";
}

TEST(AbandonedTemporaries, OfDeadProcessesAreRemovedTwoLevelsDeep) {
  const TemporaryFolder folder;
  const pid_t dead = dead_process();
  write_text(folder / temporary_of(dead, "run.json"), "{");
  write_text(folder / temporary_of(dead, "report/tables/small.md"), "|");
  write_text(folder / temporary_of(dead, "not/our/own/file"), "");
  write_text(folder / "run.json", "{}");
  EXPECT_EQ(remove_abandoned_temporaries(folder.path(), seconds(0)), 2u);
  EXPECT_THAT(names_in(folder.path()), ElementsAre(temporary_of(dead, "not/our/own/file"), "run.json"));
}

TEST(AbandonedTemporaries, OfLivingProcessesAndOfOtherHostsStay) {
  const TemporaryFolder folder;
  const auto ours = storage::temporary_beside(folder / "x.h5");
  write_text(ours, "");
  write_text(folder / ("x.h5.tmp.another-host." + std::to_string(dead_process()) + ".0"), "");
  EXPECT_EQ(remove_abandoned_temporaries(folder.path(), seconds(0)), 0u);
  EXPECT_EQ(names_in(folder.path()).size(), 2u);
}

TEST(AbandonedTemporaries, OfTheLastMinuteStay) {
  const TemporaryFolder folder;
  const fs::path file = folder / temporary_of(dead_process(), "x.h5");
  write_text(file, "");
  EXPECT_EQ(remove_abandoned_temporaries(folder.path()), 0u);
  fs::last_write_time(file, fs::file_time_type::clock::now() - seconds(61));
  EXPECT_EQ(remove_abandoned_temporaries(folder.path()), 1u);
  EXPECT_THAT(names_in(folder.path()), IsEmpty());
}

TEST(AbandonedTemporaries, AreToldFromFilesOfOtherNames) {
  const TemporaryFolder folder;
  const auto dead = std::to_string(dead_process());
  const auto mark = storage::temporary_mark();
  const std::set<std::string> names = {"a" + mark,
                                       "b" + mark + "." + dead,
                                       "c" + mark + "." + dead + ".x",
                                       "d" + mark + "." + dead + ".-1",
                                       "e" + mark + ".0.0",
                                       "f" + mark + "." + dead + ".0.h5",
                                       "g." + dead + ".0"};
  for (const auto& name : names) write_text(folder / name, "");
  EXPECT_EQ(remove_abandoned_temporaries(folder.path(), seconds(0)), 0u);
  EXPECT_EQ(names_in(folder.path()), names);
}

TEST(AbandonedTemporaries, OfAFolderThatIsNotThereAreNone) {
  const TemporaryFolder folder;
  EXPECT_EQ(remove_abandoned_temporaries(folder / "none"), 0u);
}

TEST(AbandonedTemporaries, AreFoldersTooWithAllThatIsInThem) {
  const TemporaryFolder folder;
  const fs::path gone = folder / ("figures" + storage::temporary_mark() + "." + std::to_string(dead_process()) + ".0");
  const fs::path ours = storage::temporary_beside(folder / "figures");
  write_text(gone / "a.csv", "1");
  write_text(ours / "a.csv", "1");
  EXPECT_EQ(remove_abandoned_temporaries(folder.path(), seconds(0)), 1u);
  EXPECT_FALSE(fs::exists(gone));
  EXPECT_TRUE(fs::exists(ours / "a.csv"));
}

}  // namespace
