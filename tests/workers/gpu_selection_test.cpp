// CUDA_VISIBLE_DEVICES in all its forms, against lists of GPUs that are not there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "workers/gpus.hpp"

namespace workers {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Uuids = std::vector<std::string>;

const std::string kA = "GPU-8932f937-d72c-4106-c12f-20bd9faed9f6";
const std::string kB = "GPU-8932f938-0000-0000-0000-000000000000";
const std::string kC = "GPU-aaaaaaaa-0000-0000-0000-00000000000c";
const std::string kM = "MIG-c6d4f1ef-42e4-5de3-91c7-45d71c87eb3f";
const std::string kN = "MIG-cba663e8-9bed-5b25-b243-5985ef7c9beb";

InstalledGpu h100(const std::string& uuid) {
  return {{uuid, "NVIDIA H100", false, 80}, false, {}};
}
std::vector<InstalledGpu> three() {
  return {h100(kA), h100(kB), h100(kC)};
}
/// A GPU with two instances beside one that is whole.
InstalledGpu in_mig_mode() {
  return {{kA, "NVIDIA H100", false, 80},
          true,
          {{{kM, "NVIDIA H100 MIG 3g.40gb", true, 40}, 2, 0}, {{kN, "NVIDIA H100 MIG 3g.40gb", true, 40}, 1, 0}}};
}

VisibleGpus with(const std::vector<InstalledGpu>& installed, const std::string& list, bool counts_by_bus = false) {
  return visible_among(installed, {list, counts_by_bus});
}

Uuids uuids(const VisibleGpus& visible) {
  Uuids all;
  for (const auto& gpu : visible.gpus) all.push_back(gpu.uuid);
  return all;
}

/// What a list selects without a word about it.
Uuids quietly(const std::string& list, const std::vector<InstalledGpu>& installed = three()) {
  const auto visible = with(installed, list);
  EXPECT_THAT(visible.notes, IsEmpty()) << list;
  EXPECT_EQ(visible.refusal, "") << list;
  return uuids(visible);
}

TEST(GpuSelection, IsOfAllGpusWhereTheVariableIsNotSet) {
  const auto visible = visible_among(three(), {});
  EXPECT_THAT(uuids(visible), ElementsAre(kA, kB, kC));
  EXPECT_THAT(visible.notes, IsEmpty());
}

TEST(GpuSelection, IsOfNoneWhereTheListSaysSoOnPurpose) {
  for (const std::string list : {"", " ", "-1", " -1 ", "-17", "NoDevFiles"}) {
    EXPECT_THAT(quietly(list), IsEmpty()) << list;
    EXPECT_TRUE(hides_all({list, false})) << list;
  }
  EXPECT_FALSE(hides_all({}));
  EXPECT_FALSE(hides_all({"0", false}));
}

TEST(GpuSelection, TakesIndicesInTheirOrder) {
  EXPECT_THAT(quietly("0"), ElementsAre(kA));
  EXPECT_THAT(quietly("2,0"), ElementsAre(kC, kA));
  EXPECT_THAT(quietly(" 1 ,\t2 "), ElementsAre(kB, kC));
  EXPECT_THAT(quietly("002"), ElementsAre(kC));
}

TEST(GpuSelection, TakesUuidsAndPrefixesThatOneGpuHas) {
  EXPECT_THAT(quietly(kC), ElementsAre(kC));
  EXPECT_THAT(quietly(kC + "," + kA), ElementsAre(kC, kA));
  EXPECT_THAT(quietly("GPU-aa"), ElementsAre(kC));
  EXPECT_THAT(quietly("GPU-8932f938,GPU-8932f937"), ElementsAre(kB, kA));
}

TEST(GpuSelection, TakesInstancesOfAGpuInMigModeInBothForms) {
  const std::vector<InstalledGpu> one = {in_mig_mode()};
  EXPECT_THAT(quietly(kN, one), ElementsAre(kN));
  EXPECT_THAT(quietly(kN + "," + kM, one), ElementsAre(kN, kM));
  EXPECT_THAT(quietly("MIG-cba", one), ElementsAre(kN));
  EXPECT_THAT(quietly("MIG-" + kA + "/2/0", one), ElementsAre(kM));
  EXPECT_THAT(with(one, "MIG-" + kA + "/2/1").notes, ElementsAre(HasSubstr("no such device is here")));
  EXPECT_THAT(with(one, "MIG-" + kA + "/2").gpus, IsEmpty());
}

TEST(GpuSelection, TakesAGpuInMigModeForAllItsInstances) {
  const std::vector<InstalledGpu> one = {in_mig_mode()};
  EXPECT_THAT(uuids(visible_among(one, {})), ElementsAre(kM, kN));
  EXPECT_THAT(quietly("0", one), ElementsAre(kM, kN));
  EXPECT_THAT(quietly(kA, one), ElementsAre(kM, kN));
  EXPECT_THAT(uuids(visible_among({in_mig_mode(), h100(kC)}, {})), ElementsAre(kM, kN, kC));
}

TEST(GpuSelection, SaysThatAGpuInMigModeHasNoInstance) {
  const std::vector<InstalledGpu> bare = {{{kA, "NVIDIA H100", false, 80}, true, {}}, h100(kC)};
  EXPECT_THAT(visible_among(bare, {}).notes,
              ElementsAre("GPU-8932f937 (NVIDIA H100) is in MIG mode without an instance"));
  EXPECT_THAT(with(bare, kA).notes, ElementsAre(HasSubstr("in MIG mode without an instance")));
}

struct Ended {
  std::string list;
  Uuids used;
  std::string said;
};
void PrintTo(const Ended& ended, std::ostream* out) {
  *out << ended.list;
}
class GpuSelectionOf : public testing::TestWithParam<Ended> {};

TEST_P(GpuSelectionOf, AListEndsAtItsFirstEntryThatNamesNoGpuAndItSaysSo) {
  const auto visible = with(three(), GetParam().list);
  EXPECT_EQ(uuids(visible), GetParam().used);
  ASSERT_EQ(visible.notes.size(), 1U);
  EXPECT_THAT(visible.notes[0], AllOf(HasSubstr("CUDA_VISIBLE_DEVICES="), HasSubstr(GetParam().said)));
  EXPECT_EQ(visible.notes[0].find('\n'), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(
    Each, GpuSelectionOf,
    testing::Values(Ended{"2,0,7,1",
                          {kC, kA},
                          "7 names no GPU (this process may open 3 GPU(s), counted from 0), and CUDA ends the "
                          "list there; not used: 7, 1"},
                    Ended{"3", {}, "not used: 3"}, Ended{"0,-1,1", {kA}, "not used: -1, 1"},
                    Ended{"0,,1", {kA}, "an empty entry names no GPU"}, Ended{",0", {}, "an empty entry names no GPU"},
                    Ended{"all", {}, "all names no GPU (that is neither an index nor a UUID)"},
                    Ended{"0 1", {}, "0 1 names no GPU"}, Ended{"1gpu2", {}, "neither an index"},
                    Ended{"0x1", {}, "neither an index"}, Ended{"99999999999999999999", {}, "neither an index"},
                    Ended{"+1", {}, "neither an index"}, Ended{"0;1", {}, "neither an index"},
                    Ended{"0\n1", {}, "neither an index"}, Ended{"GPU-893", {}, "several devices begin so"},
                    Ended{"GPU-", {}, "several devices begin so"}, Ended{"gpu-aa", {}, "neither an index"},
                    Ended{"GPU-aaaaaaab", {}, "no such device is here"},
                    Ended{"GPU-aa,1", {kC}, "of another form than the first"},
                    Ended{"1,GPU-aa", {kB}, "of another form than the first"},
                    Ended{"MIG-c6d4f1ef", {}, "no such device is here"},
                    Ended{"MIG-GPU-aa/0/0", {}, "no such device is here"},
                    Ended{"1,0,1", {}, "1 is there twice, and CUDA shows no GPU at all then"},
                    Ended{"GPU-aa," + kC, {}, "is there twice"}));

TEST(GpuSelection, HasNothingToSayWhereOnlyTheEndIsMarked) {
  EXPECT_THAT(quietly("0,1,-1"), ElementsAre(kA, kB));
  EXPECT_THAT(quietly("0,1,"), ElementsAre(kA, kB));
}

TEST(GpuSelection, CutsALongListInItsLine) {
  std::string list = "7";
  for (int i = 0; i < 10'000; ++i) list += ",0";
  const auto visible = with(three(), list);
  ASSERT_EQ(visible.notes.size(), 1U);
  EXPECT_LT(visible.notes[0].size(), 600U);
}

TEST(GpuSelection, RefusesIndicesWhereGpusDifferAndSaysWhatMendsIt) {
  std::vector<InstalledGpu> mixed = three();
  mixed[0].gpu.name = "NVIDIA T400";
  const auto visible = with(mixed, "1");
  EXPECT_THAT(visible.gpus, IsEmpty());
  EXPECT_EQ(
      visible.refusal,
      "CUDA_VISIBLE_DEVICES=1: which GPU is meant? the GPUs here differ (NVIDIA H100, NVIDIA T400), and CUDA counts "
      "them from the fastest on; set CUDA_DEVICE_ORDER=PCI_BUS_ID, or name them by UUID (nvidia-smi -L lists them)");
  EXPECT_THAT(uuids(with(mixed, "1", true)), ElementsAre(kB)) << "counted as the driver does";
  EXPECT_THAT(quietly("GPU-aa", mixed), ElementsAre(kC));
  EXPECT_THAT(quietly("2,1,0", mixed), ElementsAre(kC, kB, kA)) << "all of them, however they are counted";
  EXPECT_THAT(quietly("-1", mixed), IsEmpty());
}

TEST(GpuSelection, RefusesIndicesWhereOnlySomeGpusAreInMigMode) {
  const std::vector<InstalledGpu> mixed = {in_mig_mode(), h100(kC)};
  EXPECT_THAT(with(mixed, "1", true).refusal,
              HasSubstr("only some of the GPUs here are in MIG mode; name the devices by UUID"));
  EXPECT_THAT(quietly(kC, mixed), ElementsAre(kC));
}

/// Whatever is in the variable: devices of the list, none twice, and never fewer than meant without a line.
TEST(GpuSelection, KeepsItsPromisesForAnyList) {
  const std::vector<std::string> words = {"0",
                                          "1",
                                          "2",
                                          "3",
                                          "-1",
                                          "",
                                          " ",
                                          "GPU-",
                                          "GPU-8932f937",
                                          kC,
                                          kM,
                                          "MIG-",
                                          "MIG-c",
                                          "MIG-" + kA + "/1/0",
                                          ",",
                                          "\t",
                                          "NoDevFiles",
                                          "0x",
                                          "\xff",
                                          "\n",
                                          "/",
                                          "all"};
  std::mt19937 random(7);
  for (int round = 0; round < 20'000; ++round) {
    std::string list;
    for (unsigned n = random() % 5; n > 0; --n) list += words[random() % words.size()] + (random() % 4 > 0 ? "," : "");
    const auto installed = random() % 2 == 0 ? three() : std::vector<InstalledGpu>{in_mig_mode()};
    const auto visible = with(installed, list);
    std::set<std::string> different;
    for (const auto& gpu : visible.gpus) different.insert(gpu.uuid);
    ASSERT_EQ(different.size(), visible.gpus.size()) << list;
    ASSERT_LE(visible.notes.size(), 1U) << list;
    ASSERT_EQ(visible.refusal, "") << list;
    if (visible.gpus.empty() && visible.notes.empty()) {
      ASSERT_TRUE(hides_all({list, false})) << list;
    }
  }
}

TEST(GpuNames, AreShortButTellInstancesApart) {
  EXPECT_EQ(short_uuid(kA), "GPU-8932f937");
  EXPECT_EQ(short_uuid(kM), "MIG-c6d4f1ef");
  EXPECT_EQ(short_uuid("MIG-" + kA + "/1/0"), "MIG-GPU-8932f937/1/0");
  EXPECT_EQ(short_uuid("GPU-1"), "GPU-1");
  EXPECT_EQ(text_of({kA, "NVIDIA H100", false, 0}), "GPU-8932f937 (NVIDIA H100)");
}

TEST(GpuNames, BecomePartOfAnEnvironmentOnlyWhenTheyAreUuids) {
  for (const auto& good : {kA, kM, "MIG-" + kA + "/1/0"}) EXPECT_TRUE(is_gpu_uuid(good)) << good;
  for (const std::string bad : {"", "0", "GPU-", "MIG-", "gpu-1", "GPU-1,GPU-2", "GPU-1 ", "GPU-1\n", "XGPU-1"}) {
    EXPECT_FALSE(is_gpu_uuid(bad)) << bad;
  }
  EXPECT_FALSE(is_gpu_uuid("GPU-" + std::string(93, 'a')));
}

}  // namespace
}  // namespace workers
