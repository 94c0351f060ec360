// sweeps/geometric-bias.json through the real binary at --scale quick: synthetic images and two folders of a handful of
// pictures each. A table over four data sets, with all of its cells.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <sstream>

#include "tests/datasets/jpeg_writer.hpp"
#include "tests/end_to_end/program.hpp"
#include "tests/temporary_folder.hpp"

namespace tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Five training and three test pictures of each class, lighter from class to class.
void write_pictures(const std::filesystem::path& folder, const std::vector<std::string>& classes) {
  int shade = 10;
  for (const std::string& name : classes) {
    for (int i = 0; i < 8; ++i) {
      const std::string split = i < 5 ? "train" : "test";
      write_text(folder / split / name / (std::to_string(i) + ".jpg"), datasets_test::jpeg(40, 36, shade + 3 * i));
    }
    shade += 60;
  }
}

std::vector<std::string> lines_with(const std::string& text, const std::string& wanted) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (line.find(wanted) != std::string::npos) lines.push_back(line);
  }
  return lines;
}

TEST(GeometricBias, FillsATableOverFourDataSets) {
  const TemporaryFolder folder;
  write_pictures(folder / "cifar", {"airplane", "automobile", "bird"});
  write_pictures(folder / "plankton", {"acantharia_protist", "appendicularian_s_shape", "chaetognath_non_sagitta"});
  // Sixty trainings: more than the usual time, beside other tests.
  const auto ended =
      Running({program().string(), "run", PLUME_SOURCE_DIR "/sweeps/geometric-bias.json", "--scale", "quick", "--out",
               "out", "--cache", "cache", "--data", "cifar10-jpeg=cifar", "--data", "plankton10=plankton", "--weights",
               "efficientnet-lite0=random:1", "--workers", "2", "--threads", "1"},
              folder.path())
          .wait(std::chrono::seconds(600));
  ASSERT_EQ(ended.status, 0) << ended.errors;

  const std::string csv = read_text(folder / "out/report/tables/geometric-bias.csv");
  for (const char* column : {"\"synthetic, upright\"", "\"synthetic, turned\"", "CIFAR-10", "plankton"}) {
    for (const char* row : {"\"PLUME: LinearMap, guided\"", "\"kNN, l2-normalised\"", "rotation prediction"}) {
      const std::string place = std::string("geometric-bias,") + row + "," + column + ",";
      for (const char* mode : {"best", "last"}) {
        const auto lines = lines_with(csv, place + mode + ",");
        ASSERT_EQ(lines.size(), 1U) << place << mode;
        EXPECT_THAT(lines[0].substr(place.size()), testing::ContainsRegex("^" + std::string(mode) + ",[0-9]"));
      }
    }
  }
  const std::string table = read_text(folder / "out/report/tables/geometric-bias.md");
  EXPECT_THAT(table, AllOf(HasSubstr("Columns are of different data sets"), HasSubstr("synthetic-upright (upright)"),
                           HasSubstr("rotation prediction: not in the paper. A baseline that trains a small network"),
                           Not(HasSubstr("incomplete"))));
  EXPECT_THAT(read_text(folder / "out/report/tables/plankton10.md"), HasSubstr("| rotation prediction"));
}

}  // namespace
}  // namespace tests
