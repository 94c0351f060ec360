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

const std::string kSweep = std::string(PLUME_SOURCE_DIR) + "/sweeps/quickstart.json";

/// A run of a copy of plume-bench in `folder`, beside whatever is called plume-compute there.
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
  const Ended run = run_alone(folder.path(), {"run", kSweep, "--out", "out"});
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.errors, HasSubstr(missing));
  EXPECT_FALSE(fs::exists(folder / "out")) << "nothing is begun";
  const Ended check = run_alone(folder.path(), {"check", "weights", "resnet50"});
  EXPECT_EQ(check.status, 1);
  EXPECT_THAT(check.errors, HasSubstr(missing));
}

/// What a run says of the plume-compute in `folder`, before it has begun anything.
std::string refusal(const fs::path& folder) {
  const Ended run = run_alone(folder, {"run", kSweep, "--out", "out"});
  EXPECT_EQ(run.status, 1);
  EXPECT_FALSE(fs::exists(folder / "out"));
  EXPECT_EQ(run_alone(folder, {"run", kSweep, "--out", "out", "--dry-run"}).errors, run.errors)
      << "so says a rehearsal";
  return run.errors;
}

TEST(TwoPrograms, NoJobFailsForAnInstallationThatIsIncomplete) {
  const TemporaryFolder folder;
  const fs::path compute = folder / "plume-compute";
  const auto script = [&](const std::string& lines) {
    std::ofstream(compute) << lines;
    fs::permissions(compute, fs::perms::owner_all);
    return refusal(folder.path());
  };
  EXPECT_THAT(script("no program\n"), HasSubstr("cannot be started: Exec format error"));
  EXPECT_THAT(script("#!/bin/sh\necho 'libtorch.so: not found' >&2; exit 127\n"),
              HasSubstr("ended with status 127: libtorch.so: not found; it computes for plume-bench"));
  EXPECT_THAT(script("#!/bin/sh\n"), HasSubstr("it does not say its version"));
  EXPECT_THAT(script("#!/bin/sh\necho 'plume-compute 0.1.0 (engine 5, protocol 6)'\n"),
              HasSubstr("it is plume-compute 0.1.0 (engine 5, protocol 6) and not plume-compute 0.1.0 (engine "));
  fs::remove(compute);
  fs::create_directory(compute);
  EXPECT_THAT(refusal(folder.path()), HasSubstr("it is a folder"));
}

TEST(TwoPrograms, TheOneThatIsTypedDoesNotBecomeItself) {
  const TemporaryFolder folder;
  fs::copy_file(program(), folder / "plume-compute");
  EXPECT_THAT(refusal(folder.path()), HasSubstr("it is plume-bench 0.1.0 and not plume-compute 0.1.0"));
  const Ended check = run_alone(folder.path(), {"check", "weights", "resnet50", "--weights", "resnet50=random:1"});
  EXPECT_EQ(check.status, 1);
  EXPECT_THAT(check.errors, HasSubstr("it is plume-bench and not plume-compute"));
}

TEST(TwoPrograms, OfAnotherBuildAreRefused) {
  const TemporaryFolder folder;
  const Ended check = run_program({"check", "weights", "resnet50", "--weights", "resnet50=random:1"}, folder.path(),
                                  {"PLUME_COMPUTING_VERSION=plume-compute 0.0.9 (engine 1, protocol 1)"});
  EXPECT_EQ(check.status, 1);
  EXPECT_THAT(check.errors, HasSubstr("is plume-bench and not plume-compute"));
  const Ended computing =
      Running({program().replace_filename("plume-compute").string(), "check", "weights", "resnet50"}, folder.path(),
              {"PLUME_COMPUTING_VERSION=plume-compute 0.0.9 (engine 1, protocol 1)"})
          .wait();
  EXPECT_EQ(computing.status, 1);
  EXPECT_THAT(computing.errors, HasSubstr("and not plume-compute 0.0.9 (engine 1, protocol 1)"));
}

TEST(TwoPrograms, ScriptsAreNotWrittenWithoutTheOneThatComputes) {
  const TemporaryFolder folder;
  const Ended slurm = run_alone(folder.path(), {"slurm", kSweep, "--out", "out"});
  EXPECT_EQ(slurm.status, 1);
  EXPECT_THAT(slurm.errors, HasSubstr("plume-compute: cannot be run: No such file or directory"));
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
