// Scans and slices in the cache: what is whole is taken, anything else is made again.
#include "workers/kept_scan.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/temporary_folder.hpp"

namespace workers {
namespace {

ScannedImage image(std::uint32_t crc) {
  ScannedImage i;
  i.crc32c = crc;
  i.width = 2;
  i.height = 1;
  i.sums = {30, 20, 255};
  i.squares = {500, 200, 65025.25};
  return i;
}

ScannedImage unreadable() {
  ScannedImage i;
  i.fault = "dog \"1\".jpg: not a JPEG";
  return i;
}

/// Changes the first digit after `key`.
void damage(const std::filesystem::path& file, const std::string& key) {
  auto text = tests::read_text(file);
  const auto at = text.find(key);
  ASSERT_NE(at, std::string::npos) << text;
  auto& digit = text[at + key.size()];
  digit = digit == '1' ? '2' : '1';
  tests::write_text(file, text);
}

TEST(KeptScan, ReadsBackWhatWasSavedAndIgnoresADamagedFile) {
  const tests::TemporaryFolder cache;
  const std::vector<std::string> classes = {"cat", "dog"};
  const auto train =
      merge_scan(classes, {0, 1, 1}, {image(1), unreadable(), image(2)}, {.averaging = datasets::Averaging::images});
  const auto test = merge_scan(classes, {1}, {image(3)}, {});
  EXPECT_FALSE(load_scan(cache.path(), "key"));
  save_scan(cache.path(), "key", {train, test});
  EXPECT_EQ(load_scan(cache.path(), "key"), (std::array<SplitScan, 2>{train, test}));

  damage(cache / "scan/key.json", "\"rows\":");
  EXPECT_FALSE(load_scan(cache.path(), "key"));
}

class KeptSlice : public testing::Test {
 protected:
  KeptSlice() { keep_slice(cache_.path(), slice_, scanned_); }
  std::filesystem::path file() const { return cache_ / "scan/key.parts/train-1024.json"; }

  tests::TemporaryFolder cache_;
  const ScanSlice slice_{"key", datasets::Split::train, 1024, 2};
  const Scanned scanned_{{image(7), unreadable()}, {}};
};

TEST_F(KeptSlice, IsReadBack) {
  EXPECT_EQ(load_slice(cache_.path(), slice_), scanned_);
  EXPECT_TRUE(std::filesystem::exists(file()));
}

TEST_F(KeptSlice, OfOtherRowsOrOfAnotherScanIsNotTaken) {
  auto other = slice_;
  other.count = 3;
  EXPECT_FALSE(load_slice(cache_.path(), other));
  for (const char* moved : {"key.parts/test-1024.json", "key.parts/train-0.json", "other.parts/train-1024.json"}) {
    tests::write_text(cache_ / (std::string("scan/") + moved), tests::read_text(file()));
  }
  EXPECT_FALSE(load_slice(cache_.path(), {"key", datasets::Split::test, 1024, 2}));
  EXPECT_FALSE(load_slice(cache_.path(), {"key", datasets::Split::train, 0, 2}));
  EXPECT_FALSE(load_slice(cache_.path(), {"other", datasets::Split::train, 1024, 2}));
}

TEST_F(KeptSlice, ThatIsDamagedOrCutIsNotTaken) {
  const auto whole = tests::read_text(file());
  damage(file(), "\"images\":[[");
  EXPECT_FALSE(load_slice(cache_.path(), slice_));
  for (const std::size_t length : {std::size_t{0}, std::size_t{1}, whole.size() / 2, whole.size() - 1}) {
    tests::write_text(file(), whole.substr(0, length));
    EXPECT_FALSE(load_slice(cache_.path(), slice_)) << length;
  }
  tests::write_text(file(), "{\"v\":1,\"scan\":[],\"crc\":\"00000000\"}");
  EXPECT_FALSE(load_slice(cache_.path(), slice_));
}

TEST_F(KeptSlice, ThatIsAPipeIsNotWaitedFor) {
  std::filesystem::remove(file());
  ASSERT_EQ(::mkfifo(file().c_str(), 0600), 0);
  EXPECT_FALSE(load_slice(cache_.path(), slice_));
  ASSERT_EQ(::mkfifo((cache_ / "scan/key.json").c_str(), 0600), 0);
  EXPECT_FALSE(load_scan(cache_.path(), "key"));
}

TEST_F(KeptSlice, IsGoneWithTheOthersAndMayBeKeptAgain) {
  remove_slices(cache_.path(), "key");
  EXPECT_FALSE(std::filesystem::exists(file().parent_path()));
  remove_slices(cache_.path(), "key");
  keep_slice(cache_.path(), slice_, scanned_);  // of a run that is slower than the one that removed them
  EXPECT_TRUE(load_slice(cache_.path(), slice_));
}

TEST(KeptSlices, ThatCannotBeWrittenStopNothing) {
  const tests::TemporaryFolder cache;
  tests::write_text(cache / "scan", "a file where a folder is needed");
  EXPECT_NO_THROW(keep_slice(cache.path(), {"key", datasets::Split::train, 0, 1}, {{image(1)}, {}}));
}

}  // namespace
}  // namespace workers
