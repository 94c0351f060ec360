// The dumps of a directory as figures of its report: found by key, computed once, and never the report's end.
#include "runner/row_pictures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "results/dump.hpp"
#include "runner/directory_report.hpp"
#include "tests/results/made_up_dump.hpp"
#include "tests/results/samples.hpp"

namespace {

namespace fs = std::filesystem;
using samples::bytes_of;
using samples::TemporaryFolder;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// Three finished trainings of which the first has a dump.
class RowPictures : public testing::Test {
 protected:
  RowPictures() {
    for (const std::uint64_t seed : {0, 1, 2}) {
      const sweeps::Job job = samples::training("bird", seed);
      samples::add(report.plans[0], job);
      ledger.apply(samples::done(job, samples::finished({0.75, 0.5})));
      jobs.push_back(job);
    }
    report.directories = {directory()};
    write_dump(jobs[0]);
  }
  std::string directory() const { return (folder / "run").string(); }
  fs::path file_of(const sweeps::Job& job) const { return results::dump_file(directory(), sweeps::key_of(job)); }
  void write_dump(const sweeps::Job& job) const {
    results::write_dump(file_of(job),
                        samples::of_training(samples::made_up_dump(job), ledger.done.at(sweeps::key_of(job)).result));
  }
  runner::RowPictures pictures(std::optional<double> seconds = {}) const {
    testing::internal::CaptureStderr();
    auto made = runner::row_pictures(report.directories, folder / "report", report.plans, ledger, seconds);
    said = testing::internal::GetCapturedStderr();
    return made;
  }

  const TemporaryFolder folder;
  runner::DirectoryReport report{{{}}, {}};
  results::Ledger ledger;
  std::vector<sweeps::Job> jobs;
  mutable std::string said;
};

TEST_F(RowPictures, AreOfTheRunsThatHaveADump) {
  write_dump(jobs[2]);
  const auto made = pictures();
  EXPECT_THAT(made.notes, IsEmpty());
  ASSERT_EQ(made.figures.size(), 8U);
  EXPECT_THAT(made.figures[0].name, HasSubstr(sweeps::key_of(jobs[0]).hex));
  EXPECT_THAT(made.figures[4].name, HasSubstr(sweeps::key_of(jobs[2]).hex));
  EXPECT_EQ(said, "t-SNE 1 of 2\nt-SNE 2 of 2\n");
}

TEST_F(RowPictures, AreNotComputedAgainWhereNothingChanged) {
  const auto first = pictures(), second = pictures();
  EXPECT_EQ(said, "");
  ASSERT_EQ(second.figures.size(), 4U);
  EXPECT_EQ(second.figures[3].data, first.figures[3].data);
  EXPECT_EQ(second.figures[3].script, first.figures[3].script);
  tests::write_text(folder / ("report/figures/" + first.figures[1].name + ".csv"), "damaged");
  EXPECT_EQ(pictures().figures[1].data, first.figures[1].data);
  EXPECT_EQ(said, "t-SNE 1 of 1\n");
}

TEST_F(RowPictures, LeaveADamagedDumpAndOneOfAnotherJobAsNotes) {
  std::string bytes = bytes_of(file_of(jobs[0]));
  bytes[bytes.size() / 2] ^= 1;
  samples::write_bytes(file_of(jobs[0]), bytes.substr(0, bytes.size() - 1));
  write_dump(jobs[1]);
  fs::rename(file_of(jobs[1]), file_of(jobs[2]));
  tests::write_text(folder / "run/dumps/0123.h5", "of nothing");
  const auto made = pictures();
  EXPECT_THAT(made.figures, IsEmpty());
  EXPECT_THAT(made.notes,
              ElementsAre(AllOf(HasSubstr(sweeps::key_of(jobs[0]).hex + ".h5: damaged"), Not(HasSubstr("\n"))),
                          HasSubstr(sweeps::key_of(jobs[2]).hex + ".h5: a dump of another job"),
                          AllOf(HasSubstr("of no run of this report"), HasSubstr("0123.h5"))));
}

TEST_F(RowPictures, LeaveADumpOfAnotherTrainingOfTheSameJobAsANote) {
  results::write_dump(file_of(jobs[0]), samples::made_up_dump(jobs[0]));  // of other weights, as it may be
  const auto made = pictures();
  EXPECT_THAT(made.figures, IsEmpty());
  EXPECT_THAT(made.notes, ElementsAre(HasSubstr(".h5: of another training of this job: its last epoch is 7 with AUROC "
                                                "0.875, that of the result 1 with 0.5; remove it, and give `run` "
                                                "--redo-unsaved")));
}

TEST_F(RowPictures, AreNotBegunWithoutTimeButThoseThatAreThereAreShown) {
  auto made = pictures(0);
  EXPECT_THAT(made.figures, IsEmpty());
  EXPECT_THAT(made.notes, ElementsAre(AllOf(HasSubstr("Not yet drawn"), HasSubstr("`plume-bench report`"),
                                            HasSubstr(sweeps::key_of(jobs[0]).hex))));
  pictures();
  made = pictures(0);
  EXPECT_EQ(made.figures.size(), 4U);
  EXPECT_THAT(made.notes, IsEmpty());
}

TEST_F(RowPictures, OfSeveralDirectoriesAreOfTheFirstThatHasTheDump) {
  report.directories = {(folder / "elsewhere").string(), directory()};
  EXPECT_EQ(pictures().figures.size(), 4U);
}

TEST_F(RowPictures, AreOfTheFirstDumpsAndTheOthersAreNamed) {
  for (std::uint64_t seed = 3; seed < runner::kMostDumps + 2; ++seed) {
    const sweeps::Job job = samples::training("bird", seed);
    samples::add(report.plans[0], job);
    ledger.apply(samples::done(job, samples::finished({0.75, 0.5})));
    write_dump(job);
    jobs.push_back(job);
  }
  write_dump(jobs[1]);
  write_dump(jobs[2]);
  const auto made = pictures(0);
  ASSERT_EQ(made.notes.size(), 2U);
  EXPECT_THAT(made.notes[0], AllOf(HasSubstr("Not yet drawn"), HasSubstr("and 30 more")));
  EXPECT_THAT(made.notes[1], AllOf(HasSubstr("draws the first 40 dumps; not drawn: " + sweeps::key_of(jobs[40]).hex),
                                   HasSubstr(sweeps::key_of(jobs[41]).hex)));
}

TEST_F(RowPictures, StandInTheIndexAndOnThePageInASectionOfTheirOwn) {
  tests::write_text(folder / "run/dumps/0123.h5", "of nothing");
  testing::internal::CaptureStderr();
  runner::write_report(folder / "report", report, ledger);
  testing::internal::GetCapturedStderr();
  const std::string name = "tsne-" + sweeps::key_of(jobs[0]).hex + "-embedding-3d";
  EXPECT_THAT(bytes_of(folder / "report/index.md"),
              AllOf(HasSubstr("[" + name + "](figures/" + name + ".svg)"), HasSubstr("0123.h5")));
  EXPECT_THAT(bytes_of(folder / "report/index.html"),
              AllOf(HasSubstr("Where the rows lie"), HasSubstr("figures/" + name + ".csv"), HasSubstr("0123.h5")));
  EXPECT_TRUE(fs::exists(folder / ("report/figures/" + name + ".svg")));
}

}  // namespace
