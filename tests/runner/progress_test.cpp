// The progress line, in a terminal and in a log.
#include "runner/progress.hpp"

#include <gtest/gtest.h>
#include <stdio.h>

#include <string>

namespace runner {
namespace {

/// What a ProgressLine wrote.
class Written {
 public:
  Written() : stream_(open_memstream(&text_, &size_)) {}
  ~Written() {
    std::fclose(stream_);
    free(text_);
  }
  std::FILE* stream() { return stream_; }
  std::string text() {
    std::fflush(stream_);
    return {text_, size_};
  }

 private:
  char* text_ = nullptr;
  std::size_t size_ = 0;
  std::FILE* stream_;
};

ProgressView jobs(std::int64_t waiting, std::int64_t running, std::int64_t done, std::int64_t failed = 0) {
  ProgressView view;
  view.jobs = {waiting, running, done, failed};
  return view;
}

TEST(ProgressText, CountsJobsAndSaysHowFastAndHowLong) {
  auto view = jobs(6, 2, 4, 1);
  view.jobs_before = 10;
  view.seconds = 60;
  view.work_done = 4;
  view.work_left = 8;
  EXPECT_EQ(progress_text(view), "jobs 14/23 done, 2 running, 1 failed, 6 left | 4.0 jobs/min | 2 min left");
}

TEST(ProgressText, PromisesNoTimeBeforeAJobIsDone) {
  EXPECT_EQ(progress_text(jobs(3, 1, 0)), "jobs 0/4 done, 1 running, 0 failed, 3 left");
}

TEST(ProgressText, SpeaksOfImagesWhileJobsWaitForFeatures) {
  auto view = jobs(4, 0, 0);
  view.features = {5, 1, 3, 0};
  view.images_total = 400;
  view.scanning = true;
  EXPECT_EQ(progress_text(view), "scan: 0 of 400 images");
  view.scanning = false;
  view.images_done = 100;
  view.images_seconds = 2;
  EXPECT_EQ(progress_text(view), "features: 100 of 400 images | 50 images/s | 6 s left");
}

TEST(ProgressText, OfAScanSaysHowFastAndHowLongAndWhatRowsAre) {
  auto view = jobs(4, 0, 0);
  view.features = {5, 1, 3, 0};
  view.scanning = true;
  view.images_done = 12000;
  view.images_total = 60000;
  view.images_seconds = 5.75;
  EXPECT_EQ(progress_text(view), "scan: 12000 of 60000 images | 2087 images/s | 23 s left");
  view.of_images = false;
  EXPECT_EQ(progress_text(view), "scan: 12000 of 60000 rows | 2087 rows/s | 23 s left");
}

TEST(ProfileText, SaysWhereTheTimeWent) {
  FeatureProfile profile{4200, 52, {1.04, 48.36, 2.6}, true};
  EXPECT_EQ(profile_text(profile),
            "features: 4200 rows in 52 s (80.8 images/s): 93 % in the backbone, 2 % waiting for images, 5 % writing");
  profile = {10, 0, {}, false, false};
  EXPECT_EQ(profile_text(profile),
            "features: 10 rows in 0 s (0.0 rows/s): 0 % making rows, 0 % waiting for rows, 0 % writing");
}

TEST(ProgressText, PromisesNothingWhenHardlyAnythingIsDone) {
  auto view = jobs(99, 0, 1);
  view.seconds = 60;
  view.work_done = 1;
  view.work_left = 99;
  EXPECT_EQ(progress_text(view), "jobs 1/100 done, 0 running, 0 failed, 99 left | 1.0 jobs/min");
}

TEST(ProgressText, SaysWhatADrainWaitsFor) {
  auto view = jobs(7, 2, 3);
  view.draining = true;
  EXPECT_EQ(progress_text(view), "draining: 2 still running, 7 jobs left for the next time");
}

TEST(Duration, ReadsLikeAPersonWouldSayIt) {
  EXPECT_EQ(duration_text(0), "0 s");
  EXPECT_EQ(duration_text(99), "99 s");
  EXPECT_EQ(duration_text(120), "2 min");
  EXPECT_EQ(duration_text(3600 * 2 + 300), "2 h 05 min");
  EXPECT_EQ(duration_text(3600 * 51), "2 d 3 h");
}

TEST(ProgressLine, RewritesOneLineInATerminal) {
  Written out;
  ProgressLine line(out.stream(), true, 30);
  line.show(jobs(3, 1, 0), 0);
  line.show(jobs(2, 1, 1), 0.1);  // too soon
  line.show(jobs(2, 1, 1), 1);
  EXPECT_EQ(out.text(), "jobs 0/4 done, 1 running, 0 failed, 3 left\r\033[Kjobs 1/4 done, 1 running, 0 failed, 2 left");
}

TEST(ProgressLine, MovesOutOfTheWayOfAMessageInATerminal) {
  Written out;
  ProgressLine line(out.stream(), true, 30);
  line.show(jobs(1, 0, 0), 0);
  line.message("worker 2 is gone");
  EXPECT_EQ(out.text(), "jobs 0/1 done, 0 running, 0 failed, 1 left\r\033[Kworker 2 is gone\n");
}

TEST(ProgressLine, ShowsWhatATerminalWouldObey) {
  Written written;
  ProgressLine line(written.stream(), false, 10);
  line.message(
      "error: \x1b[2Jno \xe2\x80\xae"
      "file\nworker 7: gone");
  EXPECT_EQ(written.text(), "error: ?[2Jno ?file?worker 7: gone\n");
}

TEST(ProgressLine, WritesWholeLinesNowAndThenInALog) {
  Written out;
  ProgressLine line(out.stream(), false, 30);
  line.show(jobs(100, 0, 0), 0);
  line.show(jobs(99, 0, 1), 1);   // less than a tenth more, too soon
  line.show(jobs(90, 0, 10), 2);  // a tenth more, too soon after the last line
  line.show(jobs(80, 0, 20), 6);  // two tenths more
  line.show(jobs(79, 0, 21), 40);
  EXPECT_EQ(out.text(),
            "jobs 0/100 done, 0 running, 0 failed, 100 left\n"
            "jobs 20/100 done, 0 running, 0 failed, 80 left\n"
            "jobs 21/100 done, 0 running, 0 failed, 79 left\n");
}

TEST(ProgressLine, EndsWithTheLastStateOnce) {
  Written out;
  ProgressLine line(out.stream(), false, 30);
  line.show(jobs(0, 0, 2), 0);
  line.finish(jobs(0, 0, 2));
  EXPECT_EQ(out.text(), "jobs 2/2 done, 0 running, 0 failed, 0 left\n");
}

}  // namespace
}  // namespace runner
