// The driver's libraries, opened by a real process: stand-ins that pretend to have GPUs, or none at all.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/workers/pretended_gpus.hpp"

namespace workers {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using tests::kFirstGpu;
using tests::kSecondGpu;
using tests::kTwoGpus;

/// What gpus_program prints in an environment.
std::string look(std::vector<std::string> environment, const std::string& arguments = "") {
  std::string command = "env -u CUDA_VISIBLE_DEVICES -u CUDA_DEVICE_ORDER -u PRETEND_NVML -u PRETEND_CUDA";
  for (const auto& variable : environment) command += " '" + variable + "'";
  command += std::string(" ") + GPUS_PROGRAM + " " + arguments + " 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  std::string text;
  for (int c = fgetc(pipe); c != EOF; c = fgetc(pipe)) text += static_cast<char>(c);
  EXPECT_EQ(pclose(pipe), 0);
  return text;
}

std::string look_at(const std::string& gpus, const std::string& more = "PLUME_TEST=1",
                    const std::string& arguments = "") {
  auto environment = tests::pretending(STAND_IN_DRIVERS, gpus);
  environment.push_back(more);
  return look(environment, arguments);
}

TEST(GpuDrivers, AreAskedForUuidNameAndMemory) {
  EXPECT_EQ(look_at(kTwoGpus),
            kFirstGpu + "|NVIDIA H100|whole|85899345920\n" + kSecondGpu + "|NVIDIA H100|whole|85899345920\n");
  EXPECT_EQ(look_at(kTwoGpus, "CUDA_VISIBLE_DEVICES=1"), kSecondGpu + "|NVIDIA H100|whole|85899345920\n");
}

TEST(GpuDrivers, AreAskedForTheInstancesOfAGpuInMigMode) {
  const auto gpus = kFirstGpu +
                    "=NVIDIA H100;MIG-c6d4f1ef-42e4-5de3-91c7-45d71c87eb3f@2/0=NVIDIA H100 MIG 3g.40gb;"
                    "MIG-cba663e8-9bed-5b25-b243-5985ef7c9beb@1/0=NVIDIA H100 MIG 3g.40gb";
  EXPECT_EQ(look_at(gpus),
            "MIG-c6d4f1ef-42e4-5de3-91c7-45d71c87eb3f|NVIDIA H100 MIG 3g.40gb|MIG|85899345920\n"
            "MIG-cba663e8-9bed-5b25-b243-5985ef7c9beb|NVIDIA H100 MIG 3g.40gb|MIG|85899345920\n");
  EXPECT_EQ(look_at(gpus, "CUDA_VISIBLE_DEVICES=MIG-" + kFirstGpu + "/1/0"),
            "MIG-cba663e8-9bed-5b25-b243-5985ef7c9beb|NVIDIA H100 MIG 3g.40gb|MIG|85899345920\n");
  EXPECT_THAT(look_at(kFirstGpu + "=NVIDIA H100;+"),
              HasSubstr("note: GPU-8932f937 (NVIDIA H100) is in MIG mode without"));
}

TEST(GpuDrivers, ThatAreNotThereAreNoGpusAndNoWord) {
  EXPECT_EQ(look({"LD_LIBRARY_PATH=/nowhere"}), "");
  EXPECT_EQ(look({"LD_LIBRARY_PATH=/nowhere", "CUDA_VISIBLE_DEVICES=0,1"}), "");
  EXPECT_EQ(look_at(kTwoGpus, "PRETEND_NVML=9"), "") << "installed, but not loaded";
}

TEST(GpuDrivers, ThatFailSaySoInOneLine) {
  EXPECT_EQ(look_at(kTwoGpus, "PRETEND_NVML=18"),
            "note: the NVIDIA driver fails: Driver/library version mismatch (NVML error 18); no GPU is used\n");
  EXPECT_EQ(look_at("!15;" + kSecondGpu + "=NVIDIA H100"),
            kSecondGpu +
                "|NVIDIA H100|whole|85899345920\n"
                "note: the NVIDIA driver fails at GPU 0: Pretended Error (NVML error 15); no GPU is used there\n");
}

TEST(GpuDrivers, AreNotAskedWhereEveryGpuIsHidden) {
  auto environment = tests::pretending(STAND_IN_DRIVERS);
  environment.insert(environment.end(), {"PRETEND_NVML=18", "CUDA_VISIBLE_DEVICES="});
  EXPECT_EQ(look(environment), "");
}

TEST(GpuDrivers, LeaveOutWhatACgroupHidesAndCountWithoutIt) {
  const auto gpus = "!4;" + kTwoGpus;
  EXPECT_EQ(look_at(gpus, "CUDA_VISIBLE_DEVICES=0"), kFirstGpu + "|NVIDIA H100|whole|85899345920\n");
  EXPECT_THAT(look_at(gpus, "CUDA_VISIBLE_DEVICES=2"), HasSubstr("this process may open 2 GPU(s)"));
}

TEST(GpuDrivers, RefuseAnIndexThatMayMeanEitherOfTwoKinds) {
  EXPECT_THAT(look_at(kFirstGpu + "=NVIDIA T400;" + kSecondGpu + "=NVIDIA H100", "CUDA_VISIBLE_DEVICES=0"),
              testing::StartsWith("refused: CUDA_VISIBLE_DEVICES=0: which GPU is meant?"));
}

TEST(GpuDrivers, SayWhatCudaShowsInTheFormThatIsCompared) {
  const auto mig = kFirstGpu + "=NVIDIA H100;MIG-c6d4f1ef-42e4-5de3-91c7-45d71c87eb3f@2/0=a;" + kSecondGpu + "=b";
  EXPECT_EQ(look_at(kTwoGpus, "CUDA_VISIBLE_DEVICES=" + kSecondGpu, "--cuda GPU-"), kSecondGpu + "\n");
  EXPECT_EQ(look_at(mig, "PRETEND_CUDA=all", "--cuda MIG-"),
            "MIG-c6d4f1ef-42e4-5de3-91c7-45d71c87eb3f\nMIG-" + kSecondGpu.substr(4) + "\n");
  EXPECT_EQ(look_at(mig, "PRETEND_CUDA=all", "--cuda MIG-GPU-x/2/0"),
            "MIG-" + kFirstGpu + "\nMIG-" + kSecondGpu + "\n");
  EXPECT_EQ(look_at(kTwoGpus, "CUDA_VISIBLE_DEVICES=7", "--cuda GPU-"), "");
}

TEST(GpuDrivers, SayWhyCudaCannotBeUsed) {
  EXPECT_EQ(look({"LD_LIBRARY_PATH=/nowhere"}, "--cuda GPU-"),
            "error: libcuda.so.1 cannot be loaded, though NVML lists GPUs\n");
  EXPECT_EQ(look_at(kTwoGpus, "PRETEND_CUDA=803", "--cuda GPU-"),
            "error: CUDA cannot be used: cuInit returns CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (error 803)\n");
}

}  // namespace
}  // namespace workers
