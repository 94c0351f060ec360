// Feature files as we write them, read by others and by us, whole and damaged. Files of others:
// feature_file_foreign_test.cpp.
#include "storage/feature_file.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

#include "storage/error.hpp"
#include "tests/storage/full_disk.hpp"
#include "tests/storage/plain_files.hpp"

namespace {

namespace fs = std::filesystem;
using storage::FeatureTable;
using storage::RowKind;
using storage::write_feature_file;
using storage_test::message_of;
using storage_test::read_plainly;
using storage_test::TemporaryFolder;
using storage_test::write_plainly;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

FeatureTable read_feature_file(const fs::path& file, const std::string& identity) {
  return storage::read_feature_file(file, RowKind::features, identity);
}

std::vector<float>& numbers_of(FeatureTable& table) {
  return std::get<std::vector<float>>(table.rows);
}

FeatureTable three_rows() {
  FeatureTable table;
  table.identity = R"({"backbone":"efficientnet-lite0","size":224})";
  table.row_count = 3;
  table.row_length = 2;
  table.rows = std::vector<float>{1, 2.5, -3, 4, 0.125, 6};
  table.labels = {0, 1, 1};
  table.ids = {"train/cat/1.jpg", "x", "train/d\xC3\xB6ner/22.jpg"};
  table.classes = {"cat", "d\xC3\xB6ner"};
  return table;
}

bool same(const FeatureTable& a, const FeatureTable& b) {
  return a.identity == b.identity && a.row_count == b.row_count && a.row_length == b.row_length && a.rows == b.rows &&
         a.labels == b.labels && a.ids == b.ids && a.classes == b.classes;
}

/// What a command prints; fails the test where it does not end well (a tool that is missing included).
std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  char buffer[4096];
  while (pipe != nullptr && std::fgets(buffer, sizeof(buffer), pipe) != nullptr) text += buffer;
  const int status = pipe != nullptr ? ::pclose(pipe) : -1;
  EXPECT_EQ(status, 0) << command << " failed (Debian package hdf5-tools?): " << text;
  return text;
}

TEST(FeatureFile, GivesBackWhatWasWritten) {
  const TemporaryFolder folder;
  const FeatureTable table = three_rows();
  const std::string checksum = write_feature_file(folder / "cache/1.h5", table);
  EXPECT_EQ(checksum, storage::payload_checksum(table));
  EXPECT_TRUE(same(read_feature_file(folder / "cache/1.h5", table.identity), table));
  const storage::FeatureHeader header = storage::read_feature_header(folder / "cache/1.h5");
  EXPECT_EQ(header.identity, table.identity);
  EXPECT_EQ(header.checksum, checksum);
  EXPECT_EQ(header.kind, RowKind::features);
  EXPECT_EQ(header.row_count, 3);
  EXPECT_EQ(header.row_length, 2);
}

TEST(FeatureFile, MayHaveNoRows) {
  const TemporaryFolder folder;
  FeatureTable table = three_rows();
  table.row_count = 0;
  table.row_length = 4096;  // one row would be larger than the file
  numbers_of(table).clear();
  table.labels.clear();
  table.ids.clear();
  write_feature_file(folder / "empty.h5", table);
  EXPECT_TRUE(same(read_feature_file(folder / "empty.h5", table.identity), table));
}

TEST(FeatureFile, IsReadByTheToolsOfHdf5) {
  const TemporaryFolder folder;
  write_feature_file(folder / "1.h5", three_rows());
  const std::string dump = output_of("h5dump -p " + (folder / "1.h5").string());
  EXPECT_THAT(dump, AllOf(HasSubstr("(0,0): 1, 2.5,\n"), HasSubstr("(1,0): -3, 4,\n"), HasSubstr("(2,0): 0.125, 6\n")));
  EXPECT_THAT(dump, AllOf(HasSubstr("(0): 0, 1, 1\n"), HasSubstr("H5T_IEEE_F32LE"), HasSubstr("H5T_STD_I32LE")));
  EXPECT_THAT(dump, AllOf(HasSubstr("train/cat/1.jpg"), HasSubstr("ATTRIBUTE \"checksum\""), HasSubstr("CONTIGUOUS")));
  EXPECT_THAT(dump, AllOf(HasSubstr("(0): \"plume-bench features\""), HasSubstr("H5T_STR_NULLPAD")));
  EXPECT_THAT(dump, Not(HasSubstr("H5T_STR_NULLTERM")));
}

TEST(FeatureFile, HoldsTheRowsAsPlainBytes) {
  const TemporaryFolder folder;
  const FeatureTable table = three_rows();
  write_feature_file(folder / "1.h5", table);
  std::string bytes(table.features().size() * sizeof(float), '\0');
  std::memcpy(bytes.data(), table.features().data(), bytes.size());
  EXPECT_THAT(read_plainly(folder / "1.h5"), HasSubstr(bytes));
}

TEST(FeatureFile, IsTheSameFileForTheSameTable) {
  const TemporaryFolder folder;
  write_feature_file(folder / "1.h5", three_rows());
  write_feature_file(folder / "2.h5", three_rows());
  EXPECT_EQ(read_plainly(folder / "1.h5"), read_plainly(folder / "2.h5"));
}

TEST(FeatureFile, HasAChecksumOfEveryPart) {
  const std::string checksum = storage::payload_checksum(three_rows());
  EXPECT_EQ(checksum.size(), 32u);
  const auto changed = [](auto change) {
    FeatureTable table = three_rows();
    change(table);
    return storage::payload_checksum(table);
  };
  EXPECT_NE(checksum, changed([](FeatureTable& t) { numbers_of(t)[5] = 6.5f; }));
  EXPECT_NE(checksum, changed([](FeatureTable& t) { t.labels[0] = 1; }));
  EXPECT_NE(checksum, changed([](FeatureTable& t) { t.ids[1] = "y"; }));
  EXPECT_NE(checksum, changed([](FeatureTable& t) { t.classes[0] = "cats"; }));
  EXPECT_NE(checksum, changed([](FeatureTable& t) { std::swap(t.row_count, t.row_length); }));
  EXPECT_EQ(checksum, changed([](FeatureTable& t) { t.identity = "{}"; }));  // that is not payload
}

TEST(FeatureFile, KeepsTheFirstCompleteFile) {
  const TemporaryFolder folder;
  const FeatureTable first = three_rows();
  FeatureTable second = first;
  numbers_of(second)[0] = 7;
  const std::string checksum = write_feature_file(folder / "1.h5", first);
  EXPECT_EQ(write_feature_file(folder / "1.h5", second), checksum);
  EXPECT_TRUE(same(read_feature_file(folder / "1.h5", first.identity), first));
  EXPECT_EQ(folder.entry_count(), 1);
}

TEST(FeatureFile, RefusesToStandBehindAFileOfAnotherFeatureSet) {
  const TemporaryFolder folder;
  FeatureTable other = three_rows();
  other.identity = "{}";
  write_feature_file(folder / "1.h5", other);
  const std::string message = message_of<storage::Error>([&] { write_feature_file(folder / "1.h5", three_rows()); });
  EXPECT_THAT(message, AllOf(StartsWith((folder / "1.h5").string()), HasSubstr("another feature set")));
  EXPECT_EQ(folder.entry_count(), 1);
}

TEST(FeatureFile, RefusesAnotherIdentityAndShowsWhereTheyPart) {
  const TemporaryFolder folder;
  write_feature_file(folder / "1.h5", three_rows());
  const std::string message = message_of<storage::Error>(
      [&] { read_feature_file(folder / "1.h5", R"({"backbone":"efficientnet-lite0","size":96})"); });
  EXPECT_THAT(message, StartsWith((folder / "1.h5").string() + ": of another feature set: expected identity "));
  EXPECT_THAT(message, AllOf(HasSubstr("\"size\":96}"), HasSubstr("\"size\":224}")));
}

TEST(FeatureFile, RefusesATableWhosePartsDoNotFit) {
  const TemporaryFolder folder;
  const auto refused = [&](auto change) {
    FeatureTable table = three_rows();
    change(table);
    EXPECT_THROW(write_feature_file(folder / "1.h5", table), storage::Error);
  };
  refused([](FeatureTable& t) { numbers_of(t).pop_back(); });
  refused([](FeatureTable& t) { t.labels[2] = 2; });
  refused([](FeatureTable& t) { t.labels.pop_back(); });
  refused([](FeatureTable& t) { t.ids.emplace_back("more"); });
  refused([](FeatureTable& t) { t.ids[0] = std::string("a\0b", 3); });
  refused([](FeatureTable& t) { t.row_length = 0; });
  EXPECT_EQ(folder.entry_count(), 0);
}

TEST(FeatureFile, IsReadWhileAnotherProgramHoldsALock) {
  const TemporaryFolder folder;
  write_feature_file(folder / "1.h5", three_rows());
  const int fd = ::open((folder / "1.h5").c_str(), O_RDWR);
  ASSERT_EQ(::flock(fd, LOCK_EX), 0);
  EXPECT_TRUE(same(read_feature_file(folder / "1.h5", three_rows().identity), three_rows()));
  ::close(fd);
}

TEST(FeatureFile, IsRefusedWhereverItIsCutOff) {
  const TemporaryFolder folder;
  write_feature_file(folder / "1.h5", three_rows());
  const std::string whole = read_plainly(folder / "1.h5");
  const std::string identity = three_rows().identity;
  for (std::size_t length = 0; length < whole.size(); length += 1 + whole.size() / 500) {
    write_plainly(folder / "cut.h5", whole.substr(0, length));
    const std::string message = message_of<storage::Error>([&] { read_feature_file(folder / "cut.h5", identity); });
    ASSERT_THAT(message, AllOf(StartsWith((folder / "cut.h5").string() + ": "), Not(HasSubstr("\n")))) << length;
  }
}

TEST(FeatureFile, IsNeverReadWronglyWhateverByteIsFlipped) {
#if defined(__SANITIZE_ADDRESS__)
  const __lsan::ScopedDisabler hdf5_leaks_a_little_with_each_damaged_file;
#endif
  const TemporaryFolder folder;
  write_feature_file(folder / "1.h5", three_rows());
  const std::string whole = read_plainly(folder / "1.h5");
  const std::string identity = three_rows().identity;
  std::size_t refused = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << (at % 8)));
    write_plainly(folder / "flipped.h5", flipped);
    try {
      ASSERT_TRUE(same(read_feature_file(folder / "flipped.h5", identity), three_rows())) << "byte " << at;
    } catch (const storage::Error& error) {
      ASSERT_THAT(error.what(), AllOf(StartsWith((folder / "flipped.h5").string() + ": "), Not(HasSubstr("\n"))));
      ++refused;
    }
  }
  // HDF5 leaves some bytes unused (padding between objects): they may be anything.
  EXPECT_GT(refused, whole.size() * 3 / 4) << "of " << whole.size();
}

TEST(FeatureFile, SaysWhatIsWrongWithAFileThatIsNone) {
  const TemporaryFolder folder;
  write_plainly(folder / "page.h5", "<!DOCTYPE html> not found");
  const auto message = [&](const std::string& name) {
    const std::string text = message_of<storage::Error>([&] { read_feature_file(folder / name, "{}"); });
    return text.substr((folder / name).string().size());
  };
  EXPECT_EQ(message("page.h5"), ": damaged or no feature file: file signature not found");
  EXPECT_EQ(message("missing.h5"), ": cannot open: No such file or directory");
  EXPECT_EQ(message(""), ": expected a feature file, found a folder or device");
}

/// A table whose file is far larger than HDF5's buffers.
FeatureTable large_table() {
  FeatureTable table = three_rows();
  table.row_length = 100'000;
  table.rows = std::vector<float>(300'000, 1.5f);
  return table;
}

TEST(FeatureFile, LeavesNothingWhereItDoesNotFit) {
  const TemporaryFolder folder;
  const FeatureTable table = large_table();
  for (const std::size_t limit : {0, 40, 100, 1000, 3000, 5000, 100'000, 1'199'999}) {
    const std::string message = message_of<storage::Error>([&] {
      const storage_test::FileSizeLimit no_more(limit);
      write_feature_file(folder / "1.h5", table);
    });
    ASSERT_THAT(message, AllOf(StartsWith((folder / "1.h5").string() + ": cannot "), HasSubstr("File too large")))
        << limit;
    ASSERT_EQ(folder.entry_count(), 0) << limit;
  }
  write_feature_file(folder / "1.h5", table);  // and HDF5 has not lost its mind over it
  EXPECT_TRUE(same(read_feature_file(folder / "1.h5", table.identity), table));
}

TEST(FeatureFile, LeavesNothingOnAFullDisk) {
  const TemporaryFolder folder;
  const fs::path file = folder / "1.h5";
  const auto outcome = storage_test::on_small_disk(folder.path(), 512 << 10, [&] {
    const std::string message = message_of<storage::Error>([&] { write_feature_file(file, large_table()); });
    const std::string left = std::to_string(folder.entry_count());
    write_feature_file(file, three_rows());
    return message + "|" + left + "|" +
           (same(read_feature_file(file, three_rows().identity), three_rows()) ? "read" : "");
  });
  if (!outcome) GTEST_SKIP() << "no file system may be mounted here; LeavesNothingWhereItDoesNotFit did run";
  EXPECT_EQ(*outcome, file.string() +
                          ": cannot write: No space left on device; make room there, then the same command "
                          "goes on|0|read");
}

TEST(FeatureFile, LeavesNoUsableFileWhenItsWriterIsKilled) {
  const TemporaryFolder folder;
  const FeatureTable table = large_table();
  const pid_t child = ::fork();
  if (child == 0) {
    for (;;) write_feature_file(folder / std::to_string(std::rand()), table);
  }
  while (folder.entry_count() < 5) ::usleep(1000);  // until it is at work
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  for (const auto& entry : fs::directory_iterator(folder.path())) {
    const bool is_temporary = entry.path().string().find(".tmp.") != std::string::npos;
    if (is_temporary) continue;
    EXPECT_TRUE(same(read_feature_file(entry.path(), table.identity), table)) << entry.path();
  }
}

}  // namespace
