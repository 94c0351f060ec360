// Another form, or another number of shares, in a directory that has results already.
#include "runner/other_form.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/shares_directory.hpp"
#include "storage/error.hpp"
#include "sweeps/sweep.hpp"
#include "tests/results/samples.hpp"
#include "tests/runner/sweep_of_six.hpp"

namespace runner {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class OtherForm : public testing::Test {
 protected:
  /// A journal of so many results.
  void results_in(const fs::path& directory, std::size_t count) const {
    const auto plan =
        sweeps::expand(sweeps::parse_sweep(kSweepOfSix, "sweep.json"), {{"cifar10", {{"cat", "dog"}, {}}}});
    std::string journal;
    for (std::size_t i = 0; i < count; ++i) {
      journal += results::encode(samples::done(plan.jobs.at(i), samples::finished({0.9, 0.8}))) + "\n";
    }
    fs::create_directories(directory);
    samples::write_bytes(directory / "journal.jsonl", journal);
  }
  BatchRun wanted(Form form, int shares = 1) const {
    BatchRun run;
    run.cluster.form = form;
    run.cluster.shares = shares;
    run.out = folder_.path();
    run.scripts = run.out / "slurm";
    return run;
  }
  static std::string refusal(const BatchRun& run) {
    try {
      refuse_other_results(run);
      refuse_other_scripts(run);
    } catch (const storage::UsageError& error) {
      return error.what();
    }
    return "";
  }

  samples::TemporaryFolder folder_;
};

TEST_F(OtherForm, IsRefusedWhereItsResultsWouldNotBeUsed) {
  EXPECT_EQ(refusal(wanted(Form::array, 3)), "");
  results_in(folder_ / share_folder(1, 2), 2);
  results_in(folder_ / share_folder(2, 2), 1);
  EXPECT_EQ(refusal(wanted(Form::array, 2)), "") << "the same number";
  EXPECT_THAT(refusal(wanted(Form::array, 3)), HasSubstr(" holds 3 result(s) of 2 share(s), and 3 share(s) would use "
                                                         "none of them; give --shares 2, or another --out"));
  EXPECT_THAT(refusal(wanted(Form::mpirun)),
              HasSubstr("and one run would use none of them; give --form array --shares 2, or another --out"));
  results_in(folder_ / share_folder(3, 3), 1);
  EXPECT_EQ(refusal(wanted(Form::array, 3)), "") << "it goes on with its own";
}

TEST_F(OtherForm, OfSharesIsRefusedWhereOneRunHasResults) {
  results_in(folder_.path(), 2);
  EXPECT_EQ(refusal(wanted(Form::srun)), "");
  EXPECT_THAT(refusal(wanted(Form::array, 3)),
              HasSubstr("holds 2 result(s) of one run, and 3 share(s) would use none of them; give --form mpirun (or "
                        "srun), or another --out"));
}

TEST_F(OtherForm, LeavesNoScriptsOfItsOwnBesideThoseThatAreWritten) {
  fs::create_directories(folder_ / "slurm");
  samples::write_bytes(folder_ / "slurm/share.sbatch", "");
  samples::write_bytes(folder_ / "slurm/submit", "");
  EXPECT_EQ(refusal(wanted(Form::array, 3)), "");
  EXPECT_THAT(refusal(wanted(Form::mpirun)), HasSubstr("submit: is a script of another --form; give --force"));
  remove_other_scripts(wanted(Form::mpirun));
  EXPECT_EQ(refusal(wanted(Form::mpirun)), "");
  EXPECT_TRUE(fs::is_empty(folder_ / "slurm"));
}

}  // namespace
}  // namespace runner
