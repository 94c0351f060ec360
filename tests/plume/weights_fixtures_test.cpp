// Every file of the golden reader fixtures: read exactly as listed, or refused in one line that names the file.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "plume/weights.hpp"
#include "plume/weights_zip_archive.hpp"
#include "storage/atomic_file.hpp"
#include "storage/error.hpp"

namespace plume {
namespace {

std::filesystem::path reader_folder() {
  const char* golden = std::getenv("PLUME_GOLDEN_DIR");
  return std::filesystem::path(golden ? golden : PLUME_SOURCE_DIR "/tests/golden") / "backbones" / "reader";
}

const nlohmann::json& manifest() {
  static const auto kManifest = [] {
    std::ifstream file(reader_folder() / "manifest.json");
    return nlohmann::json::parse(file);
  }();
  return kManifest;
}

std::string hex(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    constexpr char kDigits[] = "0123456789abcdef";
    text += kDigits[static_cast<unsigned char>(byte) >> 4];
    text += kDigits[static_cast<unsigned char>(byte) & 15];
  }
  return text;
}

std::string crc_text(std::string_view bytes) {
  char text[9];
  std::snprintf(text, sizeof text, "%08x", crc32_ieee(bytes));
  return text;
}

/// A file's tensors are those of the manifest, whatever their order.
void expect_tensors(const std::vector<WeightTensor>& tensors, const nlohmann::json& listed) {
  ASSERT_EQ(tensors.size(), listed.size());
  std::map<std::string, const WeightTensor*> by_name;
  for (const WeightTensor& tensor : tensors) by_name[tensor.name] = &tensor;
  for (const auto& entry : listed) {
    const std::string name = entry.at("name");
    ASSERT_TRUE(by_name.contains(name)) << name;
    const WeightTensor& tensor = *by_name[name];
    EXPECT_EQ(name_of(tensor.dtype), entry.at("dtype")) << name;
    EXPECT_EQ(tensor.shape, entry.at("shape").get<std::vector<std::int64_t>>()) << name;
    EXPECT_EQ(crc_text(tensor.bytes), entry.at("crc32")) << name;
    if (entry.contains("hex")) {
      EXPECT_EQ(hex(tensor.bytes), entry.at("hex")) << name;
    }
  }
}

void expect_one_line_naming(const std::string& message, const std::filesystem::path& file) {
  EXPECT_TRUE(message.starts_with(file.string() + ": ")) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

void expect_verdict(const nlohmann::json& entry) {
  const auto file = reader_folder() / entry.at("file").get<std::string>();
  const std::string verdict = entry.at("verdict");
  SCOPED_TRACE(verdict + " " + file.filename().string() + ": " + entry.at("note").get<std::string>());
  ASSERT_TRUE(verdict == "accept" || verdict == "refuse" || verdict == "either");
  try {
    const std::vector<WeightTensor> tensors = read_weights(file);
    EXPECT_NE(verdict, "refuse") << "was read";
    if (verdict == "accept" || !entry.at("tensors").empty()) expect_tensors(tensors, entry.at("tensors"));
    const auto format = name_of(format_of(storage::read_file(file), ""));
    EXPECT_TRUE(format.ends_with(entry.at("format").get<std::string>())) << format;
  } catch (const storage::Error& error) {
    EXPECT_NE(verdict, "accept") << error.what();
    expect_one_line_naming(error.what(), file);
  }
}

/// All fixtures of a format, each within the time and all within the memory that the README of the fixtures allows.
void expect_verdicts(const std::string& format, std::size_t expected_count) {
  std::size_t count = 0;
  for (const auto& entry : manifest().at("files")) {
    if (entry.at("format") != format) continue;
    const auto start = std::chrono::steady_clock::now();
    expect_verdict(entry);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5)) << entry.at("file");
    ++count;
  }
  EXPECT_EQ(count, expected_count);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  EXPECT_LT(usage.ru_maxrss, 256 * 1024) << "kilobytes";
}

TEST(GoldenReader, ReadsOrRefusesEveryLegacyFile) {
  expect_verdicts("legacy", 32);
}
TEST(GoldenReader, ReadsOrRefusesEveryZipFile) {
  expect_verdicts("zip", 119);
}
TEST(GoldenReader, ReadsOrRefusesEverySafetensorsFile) {
  expect_verdicts("safetensors", 55);
}

}  // namespace
}  // namespace plume
