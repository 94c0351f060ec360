// Which scripts run a directory.
#include "runner/script_place.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace runner
