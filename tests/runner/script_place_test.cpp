// Which scripts run a directory.
#include "runner/script_place.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/batch_scripts.hpp"
#include "runner/shares_directory.hpp"
#include "tests/temporary_folder.hpp"

namespace runner {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAsks = "#!/bin/bash\nif \"${plume[@]}\" chain \"$out\" --status \"$status\"; then\nfi\n";
constexpr const char* kStops = "#!/bin/bash\n# no chain \"$out\" here\nexit \"$status\"\n";

class Scripts : public testing::Test {
 protected:
  void write(const std::string& name, const char* text = kAsks) const {
    fs::create_directories((folder_ / name).parent_path());
    tests::write_text(folder_ / name, text);
  }
  std::string submit_of(const std::string& directory) const {
    const auto place = scripts_of(folder_ / directory);
    return place ? place->submit : "";
  }
  std::string bash() const { return "bash " + (folder_ / "all/slurm/submit").string(); }
  void write_an_array() const {
    for (const char* name : {"extract.sbatch", "share.sbatch", "report.sbatch", "submit"}) {
      write(std::string("all/slurm/") + name);
    }
  }
  tests::TemporaryFolder folder_;
};

TEST_F(Scripts, OfARunLieInItsOwnFolder) {
  EXPECT_EQ(submit_of("a"), "");
  write("a/slurm/run.sbatch");
  EXPECT_EQ(submit_of("a"), "sbatch " + (folder_ / "a/slurm/run.sbatch").string());
  write("my run/slurm/run.sbatch");
  EXPECT_EQ(submit_of("my run"), "sbatch '" + (folder_ / "my run/slurm/run.sbatch").string() + "'");
}

TEST_F(Scripts, OfSharesAndFeaturesLieBesideThem) {
  write_an_array();
  for (const char* directory : {"all", "all/share-1-of-2", "all/share-12-of-300/", "all/features", "all/./features/"}) {
    EXPECT_EQ(submit_of(directory), bash()) << directory;
  }
  EXPECT_EQ(submit_of("all/report"), "");
  EXPECT_EQ(scripts_of(folder_ / "all/features")->script, folder_ / "all/slurm/extract.sbatch");
}

TEST_F(Scripts, AreFoundFromWithinTheDirectory) {
  write_an_array();
  fs::create_directories(folder_ / "all/share-1-of-2");
  const auto before = fs::current_path();
  fs::current_path(folder_ / "all/share-1-of-2");
  const auto found = scripts_of(".");
  fs::current_path(folder_ / "all");
  const auto relative = scripts_of("share-1-of-2");
  fs::current_path(before);
  ASSERT_TRUE(found && relative);
  EXPECT_EQ(found->submit, bash());
  EXPECT_EQ(relative->submit, "bash slurm/submit");
}

TEST_F(Scripts, AskChainOrDoNot) {
  write("a/slurm/run.sbatch", kAsks);
  EXPECT_TRUE(scripts_of(folder_ / "a")->asks_chain);
  write("a/slurm/run.sbatch", kStops);
  EXPECT_FALSE(scripts_of(folder_ / "a")->asks_chain);
}

/// Scripts that `slurm` wrote for the directory "old", which was renamed or copied since.
class ScriptsOfAnother : public Scripts {
 protected:
  void write_scripts(Form form) {
    BatchRun run;
    run.sweep_name = "s";
    run.program = "/opt/plume-bench";
    run.sweep = "/home/me/my sweep.json";
    run.out = folder_ / "old";
    run.scripts = run.out / "slurm";
    run.folder = folder_.path();
    run.flags = {"--only", "seed=0", "--site", "/home/me/site.json"};
    run.run_flags = {"--job-retries", "0", "--no-epoch-lines"};
    run.cluster.form = form;
    run.cluster.shares = 3;
    run.cluster.at_once = 2;
    run.cluster.gpus_per_node = 0;
    run.cluster.workers_per_node = 2;
    run.cluster.cpus_per_task = 5;
    run.cluster.partition = "cpu";
    run.cluster.memory = "8G";
    run.cluster.time = "1:00:00";
    run.cluster.drain_seconds = 60;
    for (const auto& script : batch_scripts(run)) write("old/slurm/" + script.name, script.text.c_str());
  }
  std::string again(const std::string& flags) const {
    return "plume-bench slurm '/home/me/my sweep.json' --out " + (folder_ / "new").string() +
           " --force --only seed=0 --site /home/me/site.json " + flags + " -- --job-retries 0";
  }
};

TEST_F(ScriptsOfAnother, OfARunAreNotToBeSubmittedAndAreWrittenAgainWithTheirFlags) {
  write_scripts(Form::mpirun);
  EXPECT_EQ(scripts_of(folder_ / "old")->runs_instead, "");
  fs::rename(folder_ / "old", folder_ / "new");
  const auto place = scripts_of(folder_ / "new");
  ASSERT_TRUE(place);
  EXPECT_EQ(place->submit, "");
  EXPECT_FALSE(place->asks_chain);
  EXPECT_EQ(place->runs_instead, (folder_ / "old").string());
  EXPECT_EQ(place->to_write_again,
            again("--partition cpu --nodes 1 --memory 8G --time 1:00:00 --drain 60 --workers-per-node 2 "
                  "--cpus-per-task 5 --gpus-per-node 0"));
  EXPECT_THAT(why_not_submitted(*place), testing::HasSubstr("do not submit it; write the scripts again"));
}

TEST_F(ScriptsOfAnother, OfAnArrayAreThoseOfItsSharesAndFeaturesToo) {
  write_scripts(Form::array);
  for (const char* directory : {"old", "old/share-1-of-3", "old/features"}) {
    EXPECT_EQ(scripts_of(folder_ / directory)->runs_instead, "") << directory;
  }
  fs::copy(folder_ / "old", folder_ / "new", fs::copy_options::recursive);
  for (const char* directory : {"new", "new/share-1-of-3", "new/features"}) {
    EXPECT_EQ(scripts_of(folder_ / directory)->runs_instead, (folder_ / "old").string()) << directory;
    EXPECT_EQ(submit_of(directory), "") << directory;
    EXPECT_EQ(scripts_of(folder_ / directory)->to_write_again,
              again("--form array --partition cpu --memory 8G --time 1:00:00 --shares 3 --at-once 2 --drain 60 "
                    "--workers-per-node 2 --cpus-per-task 5 --gpus-per-node 0"))
        << directory;
  }
  SharesDirectory shares(folder_ / "new", 3);
  shares.look();
  EXPECT_THAT(shares.view().next, testing::ElementsAre(testing::HasSubstr("slurm/submit would run")));
}

TEST_F(ScriptsOfAnother, ThatAreOursTellWhichJobsTheyRunAndWhatWritesThemForAll) {
  for (const auto form : {Form::mpirun, Form::array}) {
    fs::remove_all(folder_ / "old");
    write_scripts(form);
    const auto place = scripts_of(folder_ / "old");
    ASSERT_TRUE(place);
    EXPECT_EQ(place->only, "seed=0");
    EXPECT_THAT(place->to_write_for_all,
                testing::AllOf(testing::StartsWith("plume-bench slurm '/home/me/my sweep.json' --out " +
                                                   (folder_ / "old").string() + " --force --site /home/me/site.json"),
                               testing::Not(testing::HasSubstr("--only"))));
  }
}

TEST_F(ScriptsOfAnother, AreOursThroughALink) {
  write_scripts(Form::mpirun);
  fs::create_directory_symlink(folder_ / "old", folder_ / "link");
  EXPECT_EQ(submit_of("link"), "sbatch " + (folder_ / "link/slurm/run.sbatch").string());
  write("b/slurm/run.sbatch", "out=$SCRATCH/elsewhere\n");
  EXPECT_EQ(scripts_of(folder_ / "b")->runs_instead, "") << "nobody knows where that is";
}

}  // namespace
}  // namespace runner
