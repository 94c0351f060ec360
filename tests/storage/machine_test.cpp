// Times as text, and back.
#include "storage/machine.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace storage {
namespace {

TEST(UtcText, ReadsBackAsTheSameSecond) {
  EXPECT_EQ(utc_text(1'700'000'000), "2023-11-14T22:13:20Z");
  EXPECT_EQ(utc_seconds("2023-11-14T22:13:20Z"), 1'700'000'000);
}

TEST(UtcText, TakesNothingThatIsNoTimeOrNotWrittenSo) {
  for (const char* text : {"", "now", "2023-11-14T22:13:20", "2023-02-31T00:00:00Z", "2023-11-14T22:13:20Z ",
                           " 2023-11-14T22:13:20Z", "2023-11-14 22:13:20Z"}) {
    EXPECT_FALSE(utc_seconds(text)) << text;
  }
}

std::string kind_of(const std::string& cpuinfo) {
  std::istringstream file(cpuinfo);
  return processor_kind(file);
}

TEST(ProcessorKind, IsItsNameAndTheWidestOfItsVectors) {
  const std::string name = "processor\t: 0\nvendor_id\t: AuthenticAMD\nmodel name\t: AMD EPYC\n";
  EXPECT_EQ(kind_of(name + "flags\t\t: fpu avx avx2 avx512f avx512dq\n"), "AMD EPYC, AVX-512");
  EXPECT_EQ(kind_of(name + "flags\t\t: fpu avx2 fma\n"), "AMD EPYC, AVX2");
  EXPECT_EQ(kind_of(name + "flags\t\t: fpu avx avx2x\n"), "AMD EPYC, no AVX2");
}

TEST(ProcessorKind, OfOneThatSaysLittleIsThatLittle) {
  EXPECT_EQ(kind_of(""), "unknown processor");
  EXPECT_EQ(kind_of("model name\t: Cortex-A72\n"), "Cortex-A72");
  EXPECT_EQ(kind_of("flags\t\t: avx2\n"), "unknown processor, AVX2");
}

TEST(ProcessorKind, IsShortAndPrintable) {
  EXPECT_EQ(kind_of("model name\t: a\x1b[31m\xc3\xa9\n"), "a?[31m??");
  EXPECT_EQ(kind_of("model name\t: " + std::string(5000, 'x') + "\n"), std::string(100, 'x'));
}

TEST(ProcessorKind, OfThisMachineIsKnown) {
  EXPECT_NE(processor_kind(), "unknown processor");
}

}  // namespace
}  // namespace storage
