// Reads every #include line of the tree and fails on one that climbs to a later folder or passes a wall.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

/// A folder may include only itself and those before it.
const std::vector<std::string> kFolders = {"storage", "sweeps", "results", "datasets", "plume", "workers", "runner"};

struct Include {
  std::string file;  ///< relative to the root
  int line = 0;
  std::string what;
};

/// A header of a library that only some files may include.
struct Wall {
  std::string pattern;               ///< of the included header
  std::vector<std::string> allowed;  ///< prefixes of the files that may
};
const std::vector<Wall> kWalls = {
    {"hdf5.*\\.h|H5.*\\.h", {"storage/"}},
    {"mpi\\.h|mpi-ext\\.h", {"runner/mpi_world."}},
    {"CLI/.*", {"runner/"}},
    {"spdlog/.*", {"runner/event_log.cpp"}},
    {"openssl/.*", {"storage/"}},
    {"(ATen|torch|c10|caffe2)/.*",
     {"plume/", "workers/checkpoint_keeper.cpp", "workers/fault_strikes.cpp", "workers/kept_training.cpp",
      "workers/model_view.cpp", "workers/row_maker.cpp", "workers/row_scan.cpp", "workers/saved_model.cpp",
      "workers/scoring.cpp", "workers/task_runner.cpp", "workers/trainer_device.cpp", "workers/trainer_process.cpp",
      "workers/trainer_settings.cpp", "workers/weights_check.cpp"}},
    {"jpeglib\\.h|jerror\\.h", {"datasets/"}},
    {"png.*\\.h|libpng.*/.*", {"datasets/"}},
    {"boost/.*", {"results/inference.cpp"}},
    {"dlfcn\\.h", {"workers/shared_library.cpp"}},
};

std::vector<Include> includes_of(const fs::path& root, const fs::path& file) {
  static const std::regex form(R"(^\s*#\s*include\s*[<"]([^>"]+)[>"])");
  std::vector<Include> found;
  std::ifstream in(file);
  std::string text;
  for (int line = 1; std::getline(in, text); ++line) {
    std::smatch match;
    if (std::regex_search(text, match, form)) found.push_back({fs::relative(file, root).string(), line, match[1]});
  }
  return found;
}

std::vector<Include> includes_of_tree(const fs::path& root) {
  std::vector<Include> all;
  for (const auto& folder : kFolders) {
    if (!fs::exists(root / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const auto extension = entry.path().extension();
      if (extension != ".hpp" && extension != ".cpp") continue;
      const auto some = includes_of(root, entry.path());
      all.insert(all.end(), some.begin(), some.end());
    }
  }
  return all;
}

std::string folder_of(const std::string& path) {
  return path.substr(0, path.find('/'));
}

std::vector<std::string> faults(const std::vector<Include>& includes) {
  std::vector<std::string> found;
  for (const auto& include : includes) {
    const auto place = include.file + ":" + std::to_string(include.line) + " includes " + include.what;
    const auto from = std::find(kFolders.begin(), kFolders.end(), folder_of(include.file));
    const auto to = std::find(kFolders.begin(), kFolders.end(), folder_of(include.what));
    if (include.what.find('/') != std::string::npos && to != kFolders.end() && to > from)
      found.push_back(place + ": it climbs");
    for (const auto& wall : kWalls) {
      if (!std::regex_match(include.what, std::regex(wall.pattern))) continue;
      const bool allowed = std::any_of(wall.allowed.begin(), wall.allowed.end(),
                                       [&](const auto& p) { return include.file.rfind(p, 0) == 0; });
      if (!allowed) found.push_back(place + ": past a wall");
    }
    const fs::path file = include.file;
    const bool header = file.extension() == ".hpp" && file.filename() != "precompiled.hpp";  // nobody includes that one
    if (header && include.what.rfind("nlohmann/", 0) == 0)
      found.push_back(place + ": nlohmann/json belongs in .cpp files");
    if (header && include.what.rfind("fmt/", 0) == 0)
      found.push_back(place + ": no fmt type may cross a target's boundary");
    const bool weights = include.file.rfind("plume/weights", 0) == 0;
    if (weights && std::regex_match(include.what, std::regex("(ATen|torch|c10|caffe2)/.*")))
      found.push_back(place + ": the weight reader knows no LibTorch");
  }
  return found;
}

TEST(IncludeOrder, NoFileIncludesALaterFolderOrPassesAWall) {
  const auto includes = includes_of_tree(PLUME_SOURCE_DIR);
  ASSERT_GT(includes.size(), 100U) << "the tree was not found";
  for (const auto& fault : faults(includes)) ADD_FAILURE() << fault;
}

/// Sources that do not include the header of their name before anything else.
std::vector<std::string> late_headers(const std::vector<Include>& includes) {
  std::set<std::string> headers, begun;
  for (const auto& include : includes) headers.insert(include.what);
  std::vector<std::string> late;
  for (const auto& include : includes) {
    const fs::path file = include.file;
    const auto own = fs::path(file).replace_extension(".hpp").string();
    if (file.extension() != ".cpp" || !begun.insert(include.file).second) continue;
    if (include.what != own && headers.contains(own))
      late.push_back(include.file + " includes " + include.what + " first");
  }
  return late;
}

TEST(IncludeOrder, OfASourceBeginsWithItsOwnHeaderWhichSoCompilesAlone) {
  for (const auto& fault : late_headers(includes_of_tree(PLUME_SOURCE_DIR))) ADD_FAILURE() << fault;
}

TEST(IncludeOrder, WouldSeeAHeaderThatComesLate) {
  EXPECT_EQ(late_headers({{"runner/a.cpp", 2, "vector"}, {"runner/a.cpp", 3, "runner/a.hpp"}}).size(), 1U);
  EXPECT_EQ(late_headers({{"runner/a.cpp", 2, "vector"}, {"runner/b.cpp", 2, "runner/a.hpp"}}).size(), 1U);
  EXPECT_TRUE(late_headers({{"runner/a.cpp", 2, "runner/a.hpp"}, {"runner/main.cpp", 1, "vector"}}).empty());
}

TEST(IncludeOrder, WouldSeeAFolderThatClimbs) {
  EXPECT_EQ(faults({{"storage/a.hpp", 3, "runner/link.hpp"}}).size(), 1U);
  EXPECT_TRUE(faults({{"runner/a.hpp", 3, "storage/json.hpp"}}).empty());
}

TEST(IncludeOrder, WouldSeeAHeaderPastItsWall) {
  EXPECT_EQ(faults({{"runner/coordinator.cpp", 1, "mpi.h"}}).size(), 1U);
  EXPECT_EQ(faults({{"workers/supervisor.cpp", 1, "ATen/ATen.h"}}).size(), 1U);
  EXPECT_EQ(faults({{"results/journal.cpp", 1, "hdf5.h"}}).size(), 1U);
  EXPECT_EQ(faults({{"storage/json.hpp", 1, "nlohmann/json.hpp"}}).size(), 1U);
  EXPECT_EQ(faults({{"plume/weights_zip.cpp", 1, "ATen/ATen.h"}}).size(), 1U);
  EXPECT_EQ(faults({{"results/statistics.cpp", 1, "boost/math/distributions/normal.hpp"}}).size(), 1U);
}

}  // namespace
