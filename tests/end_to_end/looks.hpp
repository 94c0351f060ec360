// `status` and `explain` as a user types them, on runs that really run.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/end_to_end/processes.hpp"
#include "tests/end_to_end/program.hpp"
#include "tests/end_to_end/tiny_sweep.hpp"

namespace tests {

/// Epochs so many that no training ends by itself.
inline const SweepShape kEndless{2, 100000};

class Look : public testing::Test {
 protected:
  /// Made in a folder of its own, so that looking does not write where the run's output is kept.
  Ended look(const std::vector<std::string>& arguments, const std::vector<std::string>& environment = {}) const {
    return run_program(arguments, from_.path(), environment);
  }
  Ended status(const std::filesystem::path& directory, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"status", directory.string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return look(arguments);
  }
  Ended explain(const std::filesystem::path& directory, const std::string& what) const {
    return look({"explain", directory.string(), what});
  }
  nlohmann::json document(const std::filesystem::path& directory) const {
    return nlohmann::json::parse(status(directory, {"--json"}).output, nullptr, false);
  }
  /// Until a look shows it.
  bool shows(Running& run, const std::filesystem::path& directory,
             const std::function<bool(const nlohmann::json&)>& seen) const {
    return run.until([&] {
      const auto now = document(directory);
      return !now.is_discarded() && seen(now);
    });
  }
  static bool trains(const nlohmann::json& now) {
    if (now["status"].is_null()) return false;
    const auto& workers = now["status"]["workers"];
    return workers.size() == 1 && workers[0].contains("task") && workers[0]["task"].value("epochs_done", 0) > 1;
  }
  TemporaryFolder from_;
};

}  // namespace tests
