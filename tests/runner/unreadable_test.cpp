// Files that are there and that whoever looks may not read: what they would say is not known, and nothing is suggested.
#include "runner/unreadable.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/explain.hpp"
#include "runner/report_command.hpp"
#include "runner/run_file.hpp"
#include "runner/run_places.hpp"
#include "runner/shares_screen.hpp"
#include "runner/status_file.hpp"
#include "runner/status_screen.hpp"
#include "tests/results/samples.hpp"
#include "tests/runner/another_user.hpp"
#include "tests/runner/sweep_of_six.hpp"

namespace runner {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kDenied = ": cannot be read by this user: Permission denied";

/// A run of six jobs, and three shares of two jobs each: all complete, by batch scripts.
class Unreadable : public testing::Test {
 protected:
  Unreadable() {
    fs::permissions(folder_.path(), fs::perms(0755));
    const sweeps::ClassNames classes{{"cifar10", {{"cat", "dog"}, {}}}};
    const auto sweep = sweeps::parse_sweep(kSweepOfSix, "sweep.json");
    freeze(file_, sweep, classes);
    plan_ = sweeps::expand(sweep, classes);
    std::vector<std::size_t> all{0, 1, 2, 3, 4, 5};
    complete(run_, all, "");
    for (int k = 1; k <= 3; ++k) complete(share(k), jobs_of(k), fmt::format("--share {}/3", k));
    write(run_ / "slurm/run.sbatch", "if plume-bench chain \"$out\"; then\n");
    for (const char* name : {"share.sbatch", "extract.sbatch", "submit"}) write(array_ / "slurm" / name, "true\n");
  }
  std::vector<std::size_t> jobs_of(int share) const {
    return sweeps::share_of(plan_.jobs, {0, 1, 2, 3, 4, 5}, {share, 3});
  }
  fs::path share(int k) const { return array_ / fmt::format("share-{}-of-3", k); }
  std::string key_of_share(int k) const { return plan_.keys[jobs_of(k).front()].hex; }
  static void write(const fs::path& file, const std::string& text) {
    tests::write_text(file, text);
    fs::permissions(file, fs::perms(0644));
  }
  void complete(const fs::path& directory, const std::vector<std::size_t>& jobs, const std::string& selection) const {
    fs::create_directories(directory);
    write_run_file(directory, file_);
    fs::permissions(directory / "run.json", fs::perms(0644));
    std::string journal;
    for (const auto i : jobs)
      journal += results::encode(samples::done(plan_.jobs[i], samples::finished({0.9, 0.8}))) + "\n";
    write(directory / "journal.jsonl", journal);
    RunStatus status;
    status.phase = RunPhase::ended;
    status.exit_status = 0;
    status.sweep = "small";
    status.selection = selection;
    status.slurm_job = "7";
    status.chosen = chosen_text(jobs, plan_.jobs.size());
    status.jobs_chosen = status.jobs.done = static_cast<std::int64_t>(jobs.size());
    status.started = status.written = 1'700'000'000;
    write(directory / "status.json", encode(status));
  }

  /// What another user reads: of one run, or of the shares.
  std::string status_of_run() const { return status_of(run_); }
  std::string status_of(const fs::path& path) const {
    return seen([&] {
      RunDirectory directory(path);
      directory.look();
      const auto view = view_of(directory.picture());
      return text_of(screen_of(view, {200, 0}), false) +
             fmt::format("exit status {}", exit_status_with(view.problems, view.unread_scripts));
    });
  }
  /// Of which there are scripts alone, and these are closed.
  std::string status_of_a_run_to_come() const {
    fs::create_directories(folder_ / "to come");
    write(folder_ / "to come/slurm/run.sbatch", "true\n");
    const Closed closed(folder_ / "to come/slurm");
    return status_of(folder_ / "to come");
  }
  std::string status_of_shares() const {
    return seen([&] {
      SharesDirectory directory(array_, 3);
      directory.look();
      const auto view = directory.view();
      return text_of(screen_of(view, {200, 0}), false) +
             fmt::format("exit status {}", exit_status_with(view.problems, view.unread_scripts));
    });
  }
  std::string explained_of_run(const std::string& what) const {
    return seen([&] {
      RunDirectory directory(run_);
      directory.look();
      return fmt::format("{}", fmt::join(explain(address_of(what, directory.picture()), directory.picture()), "\n"));
    });
  }
  std::string explained_of_shares(const std::string& what) const {
    return seen([&] {
      SharesDirectory directory(array_, 3);
      directory.look();
      return fmt::format("{}", fmt::join(explain_in_shares(what, directory), "\n"));
    });
  }
  std::string report_of(const std::vector<std::string>& directories) const {
    return seen([&] { return std::to_string(print_report({directories, "/nowhere/report", false})); });
  }
  std::string seen(const std::function<std::string()>& look) const {
    const auto said = seen_by_another_user(look);
    return said.value_or("no other user here");
  }
  void SetUp() override {
    if (seen([] { return "something"; }) != "something") GTEST_SKIP() << "no other user may be made here";
  }
  static auto SuggestsNothing() {
    return AllOf(Not(HasSubstr("sbatch ")), Not(HasSubstr("slurm/submit")), Not(HasSubstr("plume-bench run")),
                 Not(HasSubstr("same command")), Not(HasSubstr("plume-bench report")));
  }

  samples::TemporaryFolder folder_;
  const fs::path run_ = folder_ / "run", array_ = folder_ / "array";
  RunFile file_;
  sweeps::Plan plan_;
};

TEST_F(Unreadable, IsWhatThisUserMayNotReadAndNotWhatIsMissing) {
  const Closed closed(share(2));
  EXPECT_EQ(seen([&] { return why_unreadable(share(2)); }), share(2).string() + kDenied);
  EXPECT_EQ(seen([&] { return why_unreadable(share(1)) + why_unreadable(array_ / "none"); }), "");
}

TEST_F(Unreadable, ShareCannotBeSeenAndNothingIsSuggested) {
  const Closed closed(share(2));
  EXPECT_THAT(status_of_shares(),
              AllOf(HasSubstr("3 shares: 1 cannot be seen, 2 complete"), HasSubstr("in the shares that can be seen"),
                    HasSubstr(share(2).string() + kDenied), HasSubstr("exit status 1"), SuggestsNothing()));
  EXPECT_THAT(explained_of_shares(key_of_share(2)),
              AllOf(HasSubstr("not known: " + share(2).string() + kDenied), SuggestsNothing()));
  EXPECT_THAT(explained_of_shares("small/PLUME/cat"),
              AllOf(HasSubstr("of 3 jobs are known to be done; the others:"), HasSubstr(kDenied), SuggestsNothing()));
  EXPECT_THAT(explained_of_shares(key_of_share(1)), HasSubstr("done: ")) << "of a share that can be read";
}

TEST_F(Unreadable, JournalLeavesTheVerdictToTheRunsOwnWord) {
  {
    const Closed closed(share(2) / "journal.jsonl");
    EXPECT_THAT(status_of_shares(), AllOf(HasSubstr("1 cannot be seen, 2 complete"), Not(HasSubstr("stopped")),
                                          HasSubstr("exit status 1"), SuggestsNothing()));
    EXPECT_THAT(explained_of_shares(key_of_share(2)),
                AllOf(HasSubstr("not known: "), Not(HasSubstr("no run has come to it")), SuggestsNothing()));
  }
  const Closed closed(run_ / "journal.jsonl");
  EXPECT_THAT(status_of_run(), AllOf(HasSubstr("complete by its own word"), HasSubstr("6 of 6 jobs done"),
                                     HasSubstr("Permission denied"), SuggestsNothing()));
  EXPECT_THAT(explained_of_run(plan_.keys[0].hex), AllOf(HasSubstr("not known: "), SuggestsNothing()));
}

TEST_F(Unreadable, ScriptsAreNamedAndNobodyIsToldToRunByHand) {
  write(run_ / "journal.jsonl", "");  // its results are gone
  const Closed closed(run_ / "slurm"), of_array(array_ / "slurm");
  EXPECT_THAT(status_of_run(),
              AllOf(HasSubstr((run_ / "slurm").string() + kDenied), HasSubstr("exit status 0"), SuggestsNothing()))
      << "its results can be read";
  EXPECT_THAT(status_of_a_run_to_come(), AllOf(HasSubstr("cannot be seen"), HasSubstr("exit status 1")));
  EXPECT_THAT(
      explained_of_run(plan_.keys[0].hex),
      AllOf(HasSubstr("how it goes on is not known: " + (run_ / "slurm").string() + kDenied), SuggestsNothing()));
  EXPECT_THAT(status_of_shares(), AllOf(HasSubstr((array_ / "slurm").string() + kDenied), HasSubstr("3 complete"),
                                        HasSubstr("exit status 0")));
}

TEST_F(Unreadable, RunFileIsNamedInPlaceOfWhatItsLackWouldMean) {
  {
    const Closed closed(run_ / "run.json");
    EXPECT_THAT(explained_of_run(plan_.keys[0].hex), AllOf(HasSubstr((run_ / "run.json").string() + kDenied),
                                                           Not(HasSubstr("of no sweep of this directory"))));
    EXPECT_THAT(explained_of_run("small/PLUME/cat"),
                AllOf(HasSubstr((run_ / "run.json").string() + kDenied), Not(HasSubstr("is written once"))));
  }
  const Closed closed(run_);
  EXPECT_THAT(status_of_run(),
              AllOf(HasSubstr("cannot be seen"), HasSubstr(run_.string() + kDenied), SuggestsNothing()));
  EXPECT_THAT(explained_of_run(plan_.keys[0].hex),
              AllOf(HasSubstr(run_.string() + kDenied), Not(HasSubstr("is written once"))));
}

TEST_F(Unreadable, DirectoriesAreRefusedByReportInOneLine) {
  const Closed closed(run_), closed_share(share(2));
  EXPECT_EQ(report_of({run_.string()}), run_.string() + kDenied);
  EXPECT_EQ(report_of({share(1).string(), share(2).string()}), share(2).string() + kDenied) << "not left out as empty";
}

TEST_F(Unreadable, DirectoryOfARunIsThereAndCannotBeUsed) {
  const Closed closed(run_);
  const auto why = "--out " + run_.string() + ": it is there, and this user cannot use it: Permission denied";
  EXPECT_THAT(seen([&] { return make_directory(run_), std::string("made"); }), HasSubstr(why));
  EXPECT_THAT(seen([&] { return check_directory(run_), std::string("made"); }), HasSubstr(why));
}

}  // namespace
}  // namespace runner
