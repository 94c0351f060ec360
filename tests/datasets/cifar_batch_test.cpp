// The Python layout of a CIFAR file, in small: 3 records of 8 bytes, written by real Pythons
// (tests/storage/pickles/make.py), damaged in every place.
#include "datasets/cifar_batch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/error.hpp"
#include "tests/storage/plain_files.hpp"

namespace datasets {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::string_literals;

/// Ten classes.
CifarFormat ten() {
  CifarFormat format;
  format.name = "CIFAR-10";
  format.labels = {{"labels", "label", std::vector<std::string>(10, "name")}};
  format.row_bytes = 8;
  return format;
}
/// Fine labels 0, 81 and 99 are in coarse classes 4, 19 and 13; all others in 0.
CifarFormat hundred() {
  CifarFormat format;
  format.name = "CIFAR-100";
  format.labels = {{"coarse_labels", "coarse label", std::vector<std::string>(20, "coarse")},
                   {"fine_labels", "fine label", std::vector<std::string>(100, "fine")}};
  format.class_of.resize(100);
  format.class_of[0] = 4;
  format.class_of[81] = 19;
  format.class_of[99] = 13;
  format.row_bytes = 8;
  return format;
}

std::string fixture(const std::string& name) {
  return storage_test::read_plainly(std::filesystem::path(PLUME_SOURCE_DIR "/tests/storage/pickles") / name);
}

/// What is said to `bytes`: "" when they are read. Any other exception than storage::Error fails the test.
std::string refusal(const std::string& bytes, const CifarFormat& format, std::size_t records = 3) {
  try {
    const CifarBatch batch = parse_python_batch(bytes, "file", format, records);
    EXPECT_EQ(batch.classes.size(), records);
    EXPECT_LE(batch.first + records * format.row_bytes, batch.bytes.size());
    for (const std::uint8_t found : batch.classes) EXPECT_LT(found, format.labels[0].names.size());
  } catch (const storage::Error& error) {
    return error.what();
  }
  return "";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(CifarPythonBatch, GivesRowsAndClasses) {
  for (const char* name : {"cifar10_python2", "cifar10_python3_protocol2", "cifar10_python3_protocol3",
                           "cifar10_python3_protocol4", "cifar10_bytes_protocol2"}) {
    const CifarBatch batch = parse_python_batch(fixture(name), "file", ten(), 3);
    EXPECT_THAT(batch.classes, ElementsAre(0, 9, 4)) << name;
    EXPECT_EQ(std::string(batch.row(1), 8), "\x80\x81\xbf\xc0\xc1\xfd\xfe\xff") << name;
    EXPECT_EQ(std::string(batch.row(2), 8), "\n\r'\\(.tb") << name;
  }
  for (const char* name : {"cifar100_python2", "cifar100_python3_protocol4"}) {
    const CifarBatch batch = parse_python_batch(fixture(name), "file", hundred(), 3);
    EXPECT_THAT(batch.classes, ElementsAre(4, 13, 19)) << name;
    EXPECT_EQ(std::string(batch.row(0), 8), "\0\1\2\3\x7c\x7d\x7e\x7f"s) << name;
  }
}

TEST(CifarPythonBatch, SaysWhichEntryIsWrong) {
  const std::string good = fixture("cifar10_python2");
  ASSERT_EQ(refusal(good, ten()), "");
  EXPECT_EQ(refusal(good, ten(), 4), "file: \"data\" has shape [3, 8], expected [4, 8]");
  EXPECT_EQ(refusal(good, hundred()), "file: has no key \"coarse_labels\"");
  EXPECT_EQ(refusal(replaced(good, "K\4e", "e"), ten()), "file: \"labels\" has 2 items, expected 3");
  EXPECT_EQ(refusal(replaced(good, "K\4e", "Ne"), ten()), "file: record 2 has a label that is no integer");
  EXPECT_EQ(refusal(replaced(good, "K\4e", "K\12e"), ten()), "file: record 2 has label 10, expected 0 to 9");
  EXPECT_EQ(refusal(replaced(good, "K\4e",
                             "J\xff\xff\xff\xff"
                             "e"),
                    ten()),
            "file: record 2 has label -1, expected 0 to 9");
  EXPECT_EQ(refusal(replaced(good, "\4data", "\4Data"), ten()), "file: has no key \"data\"");
  EXPECT_EQ(refusal(replaced(good,
                             "\x0b"
                             "batch_label",
                             "\6labels"),
                    ten()),
            "file: has the key \"labels\" twice");
  EXPECT_EQ(refusal("\x80\x02]."s, ten()), "file: not a dictionary");
  EXPECT_EQ(refusal("\x80\x02}U\4data]sU\6labels]s."s, ten()), "file: \"data\" is not a numpy array");
  EXPECT_THAT(refusal(fixture("cifar100_python2"),
                      [] {
                        CifarFormat format = hundred();
                        format.class_of[81] = 7;
                        return format;
                      }()),
              HasSubstr("file: record 2 has fine label 81 (fine) with coarse label 19 (coarse), expected 7 (coarse)"));
}

TEST(CifarPythonBatch, IsReadOrRefusedWhateverIsDamaged) {
  const std::vector<std::pair<std::string, CifarFormat>> files = {
      {fixture("cifar10_python2"), ten()},
      {fixture("cifar10_python3_protocol2"), ten()},
      {fixture("cifar100_python3_protocol4"), hundred()},
  };
  for (const auto& [whole, format] : files) {
    for (std::size_t at = 0; at < whole.size(); ++at) {
      ASSERT_THAT(refusal(whole.substr(0, at), format), testing::StartsWith("file: ")) << at;
      for (int value = 0; value < 256; value += 15) {
        std::string damaged = whole;
        damaged[at] = static_cast<char>(value);
        const std::string message = refusal(damaged, format);
        ASSERT_TRUE(message.empty() || message.starts_with("file: ")) << at;
      }
    }
  }
}

}  // namespace
}  // namespace datasets
