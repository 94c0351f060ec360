#include "storage/atomic_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>
#include <thread>

#include "storage/error.hpp"
#include "tests/storage/full_disk.hpp"
#include "tests/storage/plain_files.hpp"

namespace {

namespace fs = std::filesystem;
using storage::Publish;
using storage::write_atomically;
using storage_test::message_of;
using storage_test::read_plainly;
using storage_test::TemporaryFolder;
using storage_test::write_plainly;
using testing::HasSubstr;

TEST(AtomicFile, ReplacesTheOldFileAndLeavesNothingElse) {
  const TemporaryFolder folder;
  write_atomically(folder / "status.json", "a much longer old text");
  write_atomically(folder / "status.json", std::string("new\0text", 8));
  EXPECT_EQ(read_plainly(folder / "status.json"), std::string("new\0text", 8));
  EXPECT_EQ(folder.entry_count(), 1);
}

TEST(AtomicFile, MakesMissingFolders) {
  const TemporaryFolder folder;
  write_atomically(folder / "a/b/c.txt", "x");
  EXPECT_EQ(read_plainly(folder / "a/b/c.txt"), "x");
}

TEST(AtomicFile, NamesTheFolderThatCannotBeMade) {
  const TemporaryFolder folder;
  write_plainly(folder / "a", "a file where a folder is wanted");
  const std::string message = message_of<storage::Error>([&] { write_atomically(folder / "a/b/c.txt", "x"); });
  EXPECT_EQ(message, (folder / "a/b").string() + ": cannot make this folder: Not a directory");
}

TEST(AtomicFile, KeepsTheOldFileWhereTheNewOneDoesNotFit) {
  const TemporaryFolder folder;
  const fs::path file = folder / "journal";
  write_atomically(file, "old");
  const std::string message = message_of<storage::Error>([&] {
    const storage_test::FileSizeLimit limit(5000);
    write_atomically(file, std::string(5001, 'x'));
  });
  EXPECT_EQ(message, file.string() + ": cannot write: File too large");
  EXPECT_EQ(read_plainly(file), "old");
  EXPECT_EQ(folder.entry_count(), 1);
}

TEST(AtomicFile, KeepsTheOldFileOnAFullDisk) {
  const TemporaryFolder folder;
  const fs::path file = folder / "journal";
  const auto outcome = storage_test::on_small_disk(folder.path(), 64 << 10, [&] {
    write_atomically(file, "old");
    const std::string message = message_of<storage::Error>([&] { write_atomically(file, std::string(1 << 20, 'x')); });
    return message + "|" + read_plainly(file) + "|" + std::to_string(folder.entry_count());
  });
  if (!outcome) GTEST_SKIP() << "no file system may be mounted here; KeepsTheOldFileWhereTheNewOneDoesNotFit did run";
  EXPECT_EQ(
      *outcome,
      file.string() + ": cannot write: No space left on device; make room there, then the same command goes on|old|1");
}

TEST(FailWithErrno, TellsAFullDiskFromOtherErrorsAndSaysWhatToDo) {
  for (const int number : {ENOSPC, EDQUOT}) {
    try {
      storage::fail_with_errno("/cache/x.h5", "cannot write", number);
    } catch (const storage::DiskFull& error) {
      EXPECT_THAT(error.what(), testing::StartsWith("/cache/x.h5: cannot write: "));
      EXPECT_THAT(error.what(), testing::EndsWith("; make room there, then the same command goes on"));
    }
  }
  try {
    storage::fail_with_errno("/cache/x.h5", "cannot write", EROFS);
  } catch (const storage::DiskFull&) {
    FAIL() << "no room would help";
  } catch (const storage::Error& error) {
    EXPECT_STREQ(error.what(), "/cache/x.h5: cannot write: Read-only file system");
  }
}

TEST(AtomicFile, HasATemporaryNameOfItsOwnInEveryThread) {
  std::vector<std::vector<std::string>> names(4);
  {
    std::vector<std::jthread> threads;
    for (auto& mine : names) {
      threads.emplace_back([&mine] {
        for (int i = 0; i < 500; ++i) mine.push_back(storage::temporary_beside("cache/x.h5").string());
      });
    }
  }
  std::set<std::string> all;
  for (const auto& mine : names) all.insert(mine.begin(), mine.end());
  EXPECT_EQ(all.size(), 2000u);
  EXPECT_THAT(*all.begin(), testing::StartsWith("cache/x.h5.tmp."));
}

TEST(PublishFirst, KeepsTheFirstAndDropsTheSecond) {
  const TemporaryFolder folder;
  write_plainly(folder / "one", "1");
  write_plainly(folder / "two", "2");
  EXPECT_EQ(storage::publish_first(folder / "one", folder / "final"), Publish::won);
  EXPECT_EQ(storage::publish_first(folder / "two", folder / "final"), Publish::lost);
  EXPECT_EQ(read_plainly(folder / "final"), "1");
  EXPECT_EQ(folder.entry_count(), 1);
}

TEST(PublishFirst, LetsExactlyOneOfManyProcessesWin) {
  const TemporaryFolder folder;
  constexpr int kProcesses = 8;
  constexpr int kRounds = 25;
  int gate[2];
  ASSERT_EQ(::pipe(gate), 0);
  std::vector<pid_t> children;
  for (int k = 0; k < kProcesses; ++k) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::close(gate[1]);
      char byte;
      if (::read(gate[0], &byte, 1) != 0) ::_exit(100);  // all start when the parent closes its end
      int won = 0;
      for (int round = 0; round < kRounds; ++round) {
        const fs::path mine = folder / ("mine" + std::to_string(k));
        write_plainly(mine, std::to_string(k));
        won += storage::publish_first(mine, folder / ("final" + std::to_string(round))) == Publish::won ? 1 : 0;
      }
      ::_exit(won);
    }
    children.push_back(child);
  }
  ::close(gate[0]);
  ::close(gate[1]);
  int won = 0;
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status));
    won += WEXITSTATUS(status);
  }
  EXPECT_EQ(won, kRounds);
  EXPECT_EQ(folder.entry_count(), kRounds);
}

TEST(PublishOver, ReplacesWhatIsThere) {
  const TemporaryFolder folder;
  write_plainly(folder / "final", "old");
  write_plainly(folder / "new", "new");
  storage::publish_over(folder / "new", folder / "final");
  EXPECT_EQ(read_plainly(folder / "final"), "new");
  EXPECT_EQ(folder.entry_count(), 1);
}

TEST(PublishOver, NamesTheFileAndDropsTheTemporaryWhereItCannot) {
  const TemporaryFolder folder;
  write_plainly(folder / "final/inside", "a folder is in the way");
  write_plainly(folder / "new", "new");
  const std::string message =
      message_of<storage::Error>([&] { storage::publish_over(folder / "new", folder / "final"); });
  EXPECT_EQ(message, (folder / "final").string() + ": cannot replace: Is a directory");
  EXPECT_EQ(folder.entry_count(), 1);
}

TEST(ReplaceView, ReplacesTheFileAndLeavesNothingBeside) {
  const TemporaryFolder folder;
  write_plainly(folder / "view", "old");
  EXPECT_TRUE(storage::replace_view(folder / "view", "new"));
  EXPECT_EQ(storage::read_file(folder / "view"), "new");
  EXPECT_EQ(folder.entry_count(), 1);
}

TEST(ReplaceView, SaysWhereItCouldNotAndThrowsNothing) {
  const TemporaryFolder folder;
  write_plainly(folder / "file", "no folder");
  EXPECT_FALSE(storage::replace_view(folder / "file/view", "new"));
  std::filesystem::create_directories(folder / "view/full");
  EXPECT_FALSE(storage::replace_view(folder / "view", "new")) << "a folder is in its place";
  EXPECT_EQ(folder.entry_count(), 2) << "the temporary stayed";
}

TEST(ReadFile, GivesTheWholeFile) {
  const TemporaryFolder folder;
  write_plainly(folder / "x", std::string("a\0b", 3));
  write_plainly(folder / "empty", "");
  EXPECT_EQ(storage::read_file(folder / "x"), std::string("a\0b", 3));
  EXPECT_EQ(storage::read_file(folder / "empty"), "");
}

TEST(ReadFile, ReadsFromAPipe) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  const std::string text(200'000, 'y');  // more than a pipe holds
  const std::jthread writer([&] { write_plainly(folder / "pipe", text); });
  EXPECT_EQ(storage::read_file(folder / "pipe"), text);
}

TEST(ReadFile, RefusesWhatIsTooLargeMissingOrAFolder) {
  const TemporaryFolder folder;
  write_plainly(folder / "x", "12345");
  EXPECT_EQ(storage::read_file(folder / "x", 5), "12345");
  const auto message = [&](const std::string& name) {
    return message_of<storage::Error>([&] { storage::read_file(folder / name, 4); })
        .substr((folder / name).string().size());
  };
  EXPECT_EQ(message("x"), ": too large: expected 4 bytes at most");
  EXPECT_EQ(message("missing"), ": cannot open: No such file or directory");
  EXPECT_EQ(message(""), ": expected a file: Is a directory");
}

}  // namespace
