// plume-bench without LibTorch, and plume-compute beside it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/end_to_end/program.hpp"
#include "tests/temporary_folder.hpp"

namespace tests {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// A run without plume-compute: `folder` has a copy of plume-bench alone.
Ended run_alone(const fs::path& folder, std::vector<std::string> arguments) {
  fs::copy_file(program(), folder / "plume-bench", fs::copy_options::overwrite_existing);
  arguments.insert(arguments.begin(), (folder / "plume-bench").string());
  return Running(arguments, folder).wait();
}

TEST(TwoPrograms, TheOneThatIsTypedNeedsNoLibTorch) {
  std::ifstream file(program(), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  ASSERT_THAT(bytes.substr(1, 3), "ELF");
  EXPECT_EQ(bytes.find("libtorch"), std::string::npos) << "a library that it would load is named in it";
  const TemporaryFolder folder;
  EXPECT_EQ(run_alone(folder.path(), {"--version"}).status, 0);
}

TEST(TwoPrograms, TheOneThatComputesIsNamedWhereItIsMissing) {
  const TemporaryFolder folder;
  const std::string missing = (folder / "plume-compute").string() +
                              ": cannot be run: No such file or directory; it computes for plume-bench and belongs "
                              "beside it: copy both from one build";
  const std::string sweep = std::string(PLUME_SOURCE_DIR) + "/sweeps/quickstart.json";
  const Ended run = run_alone(folder.path(), {"run", sweep, "--out", "out"});
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.errors, HasSubstr(missing));
  EXPECT_FALSE(fs::exists(folder / "out")) << "nothing is begun";
  const Ended check = run_alone(folder.path(), {"check", "weights", "resnet50"});
  EXPECT_EQ(check.status, 1);
  EXPECT_THAT(check.errors, HasSubstr(missing));
}

TEST(TwoPrograms, AreFoundThroughALinkToTheOneThatIsTyped) {
  const TemporaryFolder folder;
  fs::create_symlink(program(), folder / "plume");
  const Ended check =
      Running({(folder / "plume").string(), "check", "weights", "resnet50", "--weights", "resnet50=random:1"},
              folder.path())
          .wait();
  EXPECT_EQ(check.status, 0) << check.errors;
  EXPECT_THAT(check.output, HasSubstr("resnet50"));
}

TEST(TwoPrograms, RefuseWrongUsageInTheSameWords) {
  const TemporaryFolder folder;
  const Ended check = run_program({"check", "weights", "resnet50", "--thread", "2"}, folder.path());
  EXPECT_EQ(check.status, 2);
  EXPECT_THAT(check.errors, HasSubstr("plume-bench"));
}

}  // namespace
}  // namespace tests
