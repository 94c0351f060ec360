// Files read so that the next reader need not wait.
#include "storage/page_cache.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>

#include "storage/error.hpp"
#include "tests/bytes_read.hpp"
#include "tests/temporary_folder.hpp"

namespace {

const std::atomic<bool> kNever = false, kAtOnce = true;
constexpr int kBytes = 3'000'001;

class PageCache : public testing::Test {
 protected:
  PageCache() { tests::write_text(file, std::string(kBytes, 'x')); }
  std::string refusal(const std::filesystem::path& of) {
    try {
      storage::read_into_page_cache(of, kNever);
      return "it was read";
    } catch (const storage::Error& error) {
      return error.what();
    }
  }
  const tests::TemporaryFolder folder;
  const std::filesystem::path file = folder / "features.h5";
};

TEST_F(PageCache, TakesAFileToItsEnd) {
  const long before = tests::bytes_read();
  storage::read_into_page_cache(file, kNever);
  EXPECT_GE(tests::bytes_read() - before, kBytes);
}

TEST_F(PageCache, TakesNoMoreWhereThereIsEnough) {
  const long before = tests::bytes_read();
  storage::read_into_page_cache(file, kAtOnce);
  EXPECT_LT(tests::bytes_read() - before, kBytes);
}

TEST_F(PageCache, TakesNothingThatCouldKeepItWaiting) {
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(refusal(folder / "pipe"), testing::HasSubstr("pipe: expected a regular file, found a pipe or device"));
  EXPECT_THAT(refusal(folder.path()), testing::HasSubstr("expected a file"));
  EXPECT_THAT(refusal(folder / "gone.h5"), testing::HasSubstr("gone.h5: cannot open"));
}

}  // namespace
