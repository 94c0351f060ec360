// Where checkpoints lie, and that none but those that are meant are removed.
#include "workers/checkpoint_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/temporary_folder.hpp"

namespace workers {
namespace {

namespace fs = std::filesystem;

const sweeps::JobKey kA{std::string(32, 'a')}, kB{std::string(32, 'b')};

std::vector<std::string> files_in(const fs::path& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    files.push_back(fs::relative(entry.path(), folder).string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// Attempts 1, 2 and 10 of job a, 1 of job b, and what looks like some.
class CheckpointFiles : public testing::Test {
 protected:
  CheckpointFiles() {
    for (const int attempt : {1, 2, 10}) tests::write_text(checkpoint_file(attempts, kA, attempt), "x");
    tests::write_text(checkpoint_file(attempts, kB, 1), "x");
    tests::write_text(attempt_folder(attempts, kA, 2) / "stderr.txt", "x");
    tests::write_text(attempt_folder(attempts, kA, 10) / "checkpoint.tmp.node.7.0", "x");
    for (const char* name : {"short-1", "-1", "x"}) tests::write_text(attempts / name / "checkpoint", "x");
    for (const char* end : {"", "-", "-0", "--1", "-1x", "-99999999999", "1"}) {
      tests::write_text(attempts / (kA.hex + end) / "checkpoint", "x");
    }
    tests::write_text(attempts / (std::string(32, 'g') + "-1") / "checkpoint", "x");
  }
  std::vector<int> attempts_of(const sweeps::JobKey& key) const {
    std::vector<int> found;
    for (const auto& one : find_checkpoints(attempts)) {
      if (one.key == key) found.push_back(one.attempt);
    }
    return found;
  }
  const tests::TemporaryFolder folder;
  const fs::path attempts = folder / "attempts";
};

TEST_F(CheckpointFiles, AreFoundByKeyAndAttempt) {
  const auto found = find_checkpoints(attempts);
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(attempts_of(kA), (std::vector<int>{1, 2, 10}));
  EXPECT_EQ(attempts_of(kB), (std::vector<int>{1}));
  EXPECT_EQ(found[2].file, attempts / (kA.hex + "-10") / "checkpoint");
  EXPECT_TRUE(find_checkpoints(folder / "nowhere").empty());
}

TEST_F(CheckpointFiles, AreRemovedBelowAnAttemptWithFoldersThatAreEmptyThen) {
  const auto before = files_in(attempts).size();
  remove_checkpoints(attempts, kA, 10);
  EXPECT_EQ(attempts_of(kA), (std::vector<int>{10}));
  EXPECT_EQ(attempts_of(kB), (std::vector<int>{1}));
  EXPECT_FALSE(fs::exists(attempt_folder(attempts, kA, 1)));
  EXPECT_TRUE(fs::exists(attempt_folder(attempts, kA, 2) / "stderr.txt"));
  EXPECT_EQ(files_in(attempts).size(), before - 3) << "one folder, two files";
}

TEST_F(CheckpointFiles, LeaveNothingUnfinishedBehind) {
  remove_checkpoints(attempts, kA, INT32_MAX, /*keep_whole=*/true);
  EXPECT_EQ(attempts_of(kA), (std::vector<int>{1, 2, 10}));
  EXPECT_FALSE(fs::exists(attempt_folder(attempts, kA, 10) / "checkpoint.tmp.node.7.0"));
  remove_checkpoints(attempts, kA);
  EXPECT_TRUE(attempts_of(kA).empty());
}

TEST_F(CheckpointFiles, AreRemovedWhateverTheyAreAndNothingThatALinkLeadsTo) {
  const auto target = folder / "precious";
  tests::write_text(target / "file", "x");
  fs::remove(checkpoint_file(attempts, kA, 1));
  fs::create_directory_symlink(target, checkpoint_file(attempts, kA, 1));
  fs::remove(checkpoint_file(attempts, kA, 2));
  tests::write_text(checkpoint_file(attempts, kA, 2) / "a folder", "x");
  EXPECT_EQ(attempts_of(kA), (std::vector<int>{1, 2, 10}));
  remove_checkpoints(attempts, kA);
  EXPECT_TRUE(attempts_of(kA).empty());
  EXPECT_TRUE(fs::exists(target / "file"));
}

}  // namespace
}  // namespace workers
