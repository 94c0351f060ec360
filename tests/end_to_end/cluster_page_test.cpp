// Every command of docs/cluster.md as it stands there, in its order, in one session of bash on a real Slurm.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/datasets/jpeg_writer.hpp"
#include "tests/end_to_end/slurm_jobs.hpp"

namespace tests {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

/// The blocks marked `sh`.
std::vector<std::string> blocks_of(const std::string& page) {
  std::vector<std::string> blocks;
  std::istringstream lines(page);
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line == "```sh") {
      inside = true;
      blocks.emplace_back();
    } else if (line == "```") {
      inside = false;
    } else if (inside) {
      blocks.back() += line + "\n";
    }
  }
  return blocks;
}

/// One script: a block that reads what earlier ones had made waits until Slurm has no job left.
std::string session_of(const std::vector<std::string>& blocks) {
  const std::string wait =
      "until [ -z \"$(squeue --noheader)\" ] || ! sleep 0.3; do :; done\n"
      "until [ -z \"$(squeue --noheader)\" ] || ! sleep 0.3; do :; done\n";
  std::string session = "set -e -o pipefail\nPS4='$ '\nset -x\n";
  for (const auto& block : blocks) {
    if (block.starts_with("plume-bench report")) session += "set +x\n" + wait + "set -x\n";
    session += block;
  }
  return session + "set +x\n" + wait;
}

/// A clone as the page finds it: the program, sweeps, weights, pictures, and the cluster's modules.
class Clone {
 public:
  Clone() {
    fs::create_directories(folder_ / "build");
    fs::create_directory_symlink(program().parent_path(), folder_ / "build/release");
    fs::create_directory_symlink(PLUME_SOURCE_DIR "/sweeps", folder_ / "sweeps");
    fs::create_directories(folder_ / "weights");
    fs::create_symlink(real_weights(), folder_ / "weights/efficientnet-lite0.pth");
    write_text(folder_ / "site.json", R"({"version": 1, "cache": "runs/cache", "data": {},
                                          "weights": {"efficientnet-lite0": "weights/efficientnet-lite0.pth"}})");
    for (const char* split : {"train", "test"}) {
      for (const char* bird : {"duck", "heron"}) write_pictures(folder_ / "data/birds" / split / bird);
    }
    fs::create_directories(folder_ / "modules");
    write_text(folder_ / "modules/openmpi",
               "#%Module1.0\nsetenv OMPI_ALLOW_RUN_AS_ROOT 1\nsetenv OMPI_ALLOW_RUN_AS_ROOT_CONFIRM 1\n");
  }

  std::vector<std::string> environment() const { return {"MODULEPATH=" + (folder_ / "modules").string()}; }
  const fs::path& folder() const { return folder_.path(); }
  std::string status_of(const std::string& run) const { return read_text(folder_ / "runs" / run / "exit_status"); }
  std::string printed_by(const std::string& run) const {
    std::string all;
    for (const auto& file : fs::directory_iterator(folder_ / "runs" / run / "slurm")) {
      if (file.path().extension() == ".out") all += read_text(file.path());
    }
    return all;
  }

 private:
  static void write_pictures(const fs::path& folder) {
    fs::create_directories(folder);
    for (int i = 0; i < 12; ++i) write_text(folder / (std::to_string(i) + ".jpg"), datasets_test::jpeg(48, 40, 20 * i));
  }
  TemporaryFolder folder_;
};

TEST(ClusterPage, RunsAsItStands) {
  const auto blocks = blocks_of(read_text(PLUME_SOURCE_DIR "/docs/cluster.md"));
  ASSERT_GE(blocks.size(), 10U);
  const Clone clone;
  write_text(clone.folder() / "session", session_of(blocks));
  const auto ended = Running({"bash", "session"}, clone.folder(), clone.environment()).wait(std::chrono::seconds(400));
  ASSERT_EQ(ended.status, 0) << ended.output << ended.errors;
  for (const char* run : {"first", "second", "birds", "rehearsal"}) {
    EXPECT_EQ(clone.status_of(run), "0\n") << run << ": " << clone.printed_by(run);
  }
  EXPECT_THAT(clone.printed_by("first"), HasSubstr("node1: 2 worker(s) on the CPU, 1 thread(s) each"));
  EXPECT_THAT(ended.output, HasSubstr("estimated: "));
  EXPECT_THAT(ended.output, Not(HasSubstr("missing: "))) << "of data and weights";
  EXPECT_THAT(clone.printed_by("rehearsal"), HasSubstr("PLUME_FAULT is set"));
  EXPECT_TRUE(fs::exists(clone.folder() / "runs/array/report/tables/quickstart.csv"));
  EXPECT_TRUE(fs::exists(clone.folder() / "check-birds.html"));
}

}  // namespace
}  // namespace tests
