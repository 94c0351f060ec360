// What a batch script must know of a cluster: flags over the site file over defaults.
#include "runner/cluster_settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/error.hpp"

namespace runner {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ClusterSettings from_site(const std::string& text) {
  return read_cluster(storage::parse_json(text, "site.json", storage::Blame::user));
}

/// The message of what is refused; "" where it is not.
template <typename Try>
std::string refused(const Try& attempt) {
  try {
    attempt();
  } catch (const storage::UsageError& error) {
    return error.what();
  }
  return "";
}

/// Why flags are refused that `set` sets; "" where they are not.
template <typename Set>
std::string with(const Set& set) {
  ClusterFlags flags;
  set(flags);
  return refused([&] { with_flags({}, flags); });
}

TEST(ClusterSettings, RefuseMemoryThatIsMegabytesByMistake) {
  EXPECT_THAT(with([](auto& f) { f.memory = "64"; }),
              HasSubstr("--memory: 64 is 64 MB for Slurm, too little for one worker; write 64G for gigabytes"));
  for (const char* good : {"0", "64G", "64000", "64g", "64GB", "1T", "600000K"}) {
    EXPECT_EQ(with([&](auto& f) { f.memory = good; }), "") << good;
  }
  for (const char* bad : {"64X", "64P", "1.5G", "64GiB", "64Gx", "G", "-5", "99999999999999999999G"}) {
    EXPECT_THAT(with([&](auto& f) { f.memory = bad; }), HasSubstr("--memory: ")) << bad;
  }
  EXPECT_THAT(with([](auto& f) { f.memory = "64X"; }),
              HasSubstr("expected a whole number and K, M, G or T, e.g. 64G, found \"64X\""));
}

TEST(ClusterSettings, OfTheSiteFileGiveWayToFlags) {
  ClusterFlags flags;
  flags.partition = "fast";
  flags.modules = {"openmpi/5"};
  const auto settings = with_flags(
      from_site(R"({"partition": "slow", "account": "me", "gpus_per_node": 4, "modules": ["a", "b"], "time": "1-12"})"),
      flags);
  EXPECT_EQ(settings.partition, "fast");
  EXPECT_EQ(settings.account, "me");
  EXPECT_EQ(settings.gpus_per_node, 4);
  EXPECT_THAT(settings.modules, ElementsAre("openmpi/5"));
  EXPECT_EQ(settings.time, "1-12");
  EXPECT_EQ(settings.nodes, 1);
  EXPECT_EQ(settings.workers(), 4);
}

TEST(ClusterSettings, TakeMemUnderBothNames) {
  EXPECT_EQ(from_site(R"({"mem": "4G"})").memory, "4G");
  EXPECT_EQ(from_site(R"({"memory": "8G"})").memory, "8G");
}

TEST(ClusterSettings, DrainFiveMinutesBeforeTheEndOrASixthOfAShortAllocation) {
  EXPECT_EQ(with_flags({}, {}).drain_seconds, 300);
  ClusterFlags flags;
  flags.time = "10";
  EXPECT_EQ(with_flags({}, flags).drain_seconds, 100);
  flags.drain_seconds = 20;
  EXPECT_EQ(with_flags({}, flags).drain_seconds, 20);
}

TEST(TimeLimit, IsReadAsSbatchReadsIt) {
  EXPECT_EQ(seconds_of_time_limit("2"), 120);
  EXPECT_EQ(seconds_of_time_limit("2:30"), 150);
  EXPECT_EQ(seconds_of_time_limit("12:00:00"), 43200);
  EXPECT_EQ(seconds_of_time_limit("1-0"), 86400);
  EXPECT_EQ(seconds_of_time_limit("1-12:30"), 86400 + 12 * 3600 + 30 * 60);
  EXPECT_EQ(seconds_of_time_limit("1-12:30:15"), 86400 + 12 * 3600 + 30 * 60 + 15);
  for (const char* text :
       {"", "-", "1-", "a", "1:2:3:4", "1h", "-1", "1:-2", " 2", "99999999999", "UNLIMITED", "1--2"}) {
    EXPECT_EQ(seconds_of_time_limit(text), std::nullopt) << text;
  }
}

TEST(ClusterSettings, ThatMakeNoSenseAreRefusedWithTheFlagAndWhatToWrite) {
  EXPECT_THAT(with([](auto& f) { f.form = "mpi"; }), HasSubstr("--form: expected mpirun, srun or array"));
  EXPECT_THAT(with([](auto& f) { f.next = "again"; }), HasSubstr("--next: expected resubmit, requeue or stop"));
  EXPECT_THAT(with([](auto& f) { f.time = "soon"; }), HasSubstr("e.g. 12:00:00"));
  EXPECT_THAT(with([](auto& f) { f.time = "0:30"; }), HasSubstr("a minute or more"));
  EXPECT_THAT(with([](auto& f) { f.memory = "4 G"; }), HasSubstr("--memory: "));
  EXPECT_THAT(with([](auto& f) { f.nodes = 0; }), HasSubstr("--nodes 0: expected a whole number from 1"));
  EXPECT_THAT(with([](auto& f) { f.gpus_per_node = 0; }), HasSubstr("--workers-per-node N"));
  EXPECT_THAT(with([](auto& f) { f.time = "2", f.drain_seconds = 100; }), HasSubstr("give --drain 20"));
  EXPECT_THAT(with([](auto& f) { f.form = "array", f.nodes = 2; }), HasSubstr("--shares"));
  EXPECT_THAT(with([](auto& f) { f.shares = 4; }), HasSubstr("--shares: of the form array alone"));
  EXPECT_THAT(with([](auto& f) { f.at_once = 4; }), HasSubstr("--at-once: of the form array alone"));
  EXPECT_THAT(with([](auto& f) { f.form = "array", f.next = "stop"; }), HasSubstr("--next stop"));
  EXPECT_THAT(with([](auto& f) { f.partition = "a b"; }), HasSubstr("--partition"));
  EXPECT_THAT(with([](auto& f) { f.account = "x\n#SBATCH --uid=0"; }), HasSubstr("--account"));
  EXPECT_THAT(with([](auto& f) { f.modules = {"$(reboot)"}; }), HasSubstr("--module"));
  EXPECT_THAT(with([](auto& f) { f.setup = {"export A=1\nreboot"}; }),
              HasSubstr("a line break in it; give one --setup for each line"));
  EXPECT_THAT(with([](auto& f) { f.directives = {"constraint=a100"}; }), HasSubstr("--sbatch"));
  for (const char* own : {"--array=1-3", "-a1-3", "--signal=B:USR2@1", "--output x", "-o x", "--open-mode=truncate"}) {
    EXPECT_THAT(with([&](auto& f) { f.directives = {own}; }), HasSubstr("that the script does not rest on")) << own;
  }
  EXPECT_THAT(with([](auto& f) { f.directives = {"--signals", "--constraint=a100", "--gres=gpu:a100:4"}; }), "");
  for (const char* twice : {"--time=1:00:00", "-t 60", "-N2", "--mem=4G"}) {
    EXPECT_THAT(with([&](auto& f) { f.directives = {twice}; }), HasSubstr("an option that `slurm` has no flag for"))
        << twice;
  }
}

TEST(ClusterSettings, RefuseOptionsThatTheScriptsRestOn) {
  const auto why = [](const std::string& option) { return with([&](auto& f) { f.directives = {option}; }); };
  for (const char* own : {"--job-name=x", "-Jx", "-J x", "--error=/x", "-e/x", "--wait", "-W", "--test-only",
                          "--comment=a --output=/x", "--constraint=\"a b\" -o/x"}) {
    EXPECT_THAT(why(own), HasSubstr("that the script does not rest on")) << own;
  }
  EXPECT_THAT(why("--job-name=x"), HasSubstr("`status` finds its outputs and its jobs by their names"));
  EXPECT_THAT(why("--outpu=/x"), HasSubstr("found \"--outpu=/x\", which sbatch may take for --output"));
  EXPECT_THAT(why("--tim=5"), HasSubstr("which sbatch may take for --time"));
  EXPECT_THAT(why("-HJname"), HasSubstr("write -H by itself"));
  for (const char* open : {"--comment=\"abc", "--comment='abc", "--comment=\"a\\\""}) {
    EXPECT_THAT(why(open), HasSubstr("expected quotes in pairs")) << open;
  }
  for (const char* good : {"--gpus=4", "--time-min=10", "--wait-all-nodes=1", "-H", "--parsable", "--hold -x node7",
                           "--comment=\"it's mine --output\"", "--comment=a # --output", "--no-requeue"}) {
    EXPECT_EQ(why(good), "") << good;
  }
}

TEST(ClusterSettings, RefuseNoRequeueWhereTheScriptGoesOnByIt) {
  const auto why = [](auto&& set) {
    return with([&](auto& f) {
      f.directives = {"--comment=a --no-requeue"};
      set(f);
    });
  };
  EXPECT_THAT(why([](auto& f) { f.form = "array"; }), HasSubstr("found \"--no-requeue\""));
  EXPECT_THAT(why([](auto& f) { f.next = "requeue"; }), HasSubstr("which --next resubmit does without"));
  EXPECT_EQ(why([](auto& f) { f.next = "resubmit"; }), "");
}

TEST(ClusterSettings, OfTheSiteFileNameTheKeyThatIsWrong) {
  const auto why = [](const std::string& text) { return refused([&] { from_site(text); }); };
  EXPECT_THAT(why(R"({"partiton": "gpu"})"), testing::AllOf(HasSubstr("partiton"), HasSubstr("partition")));
  EXPECT_THAT(why(R"({"nodes": 0})"), HasSubstr("nodes"));
  EXPECT_THAT(why(R"({"mem": "4G", "memory": "8G"})"), HasSubstr("mem: the same as \"memory\"; give one"));
  EXPECT_THAT(why(R"({"time": 12})"), HasSubstr("time"));
  EXPECT_THAT(why(R"({"setup": "export A=1"})"), HasSubstr("setup"));
  EXPECT_THAT(why(R"({"modules": ["a b"]})"), HasSubstr("modules"));
}

}  // namespace
}  // namespace runner
