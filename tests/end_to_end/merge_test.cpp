// Two runs of one sweep, a seed each, reported together: the report of one run of both.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/end_to_end/program.hpp"
#include "tests/temporary_folder.hpp"

namespace tests {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr const char* kSweep = R"({"version": 1, "name": "tiny",
  "datasets": {"synthetic": {"kind": "synthetic", "classes": 2, "train_per_class": 24, "test_per_class": 12}},
  "blocks": [{"dataset": "synthetic", "backbone": "efficientnet-lite0", "train_rows": 24, "test_rows": 12,
              "lr": 0.001, "dimension": 384, "batch_size": 8, "epochs": 2, "seeds": 2}],
  "tables": [{"id": "tiny", "rows": [{"name": "PLUME", "where": {}}]}]})";

class Merging : public testing::Test {
 protected:
  Merging() { write_text(folder / "sweep.json", kSweep); }
  Ended run(const std::string& out, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"run",       "sweep.json", "--out",     out,
                                          "--cache",   "cache",      "--threads", "1",
                                          "--workers", "1",          "--weights", "efficientnet-lite0=random:1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments, folder.path());
  }
  std::vector<std::pair<std::string, std::string>> files(const std::string& report) const {
    std::vector<std::pair<std::string, std::string>> all;
    for (const auto& entry : fs::recursive_directory_iterator(folder / report)) {
      if (!entry.is_regular_file() || is_about_times(entry.path())) continue;
      all.emplace_back(fs::relative(entry.path(), folder / report).string(), read_text(entry.path()));
    }
    std::sort(all.begin(), all.end());
    return all;
  }
  const TemporaryFolder folder;
};

TEST_F(Merging, TwoRunsOfASeedEachAreOneRunOfBoth) {
  const auto both = run("both");
  ASSERT_EQ(both.status, 0) << both.errors;
  ASSERT_EQ(run("first", {"--only", "seed=0"}).status, 0);
  ASSERT_EQ(run("second", {"--only", "seed=1"}).status, 0);

  const auto merged = run_program({"report", "first", "second", "--out", "merged"}, folder.path());

  ASSERT_EQ(merged.status, 0) << merged.errors;
  EXPECT_THAT(merged.output, HasSubstr("Report: merged/index.html"));
  ASSERT_GE(files("merged").size(), 4U);
  EXPECT_EQ(files("merged"), files("both/report"));
  const auto homeless = run_program({"report", "first", "second"}, folder.path());
  EXPECT_EQ(homeless.status, 2);
  EXPECT_THAT(homeless.errors, HasSubstr("--out: missing"));
}

}  // namespace
}  // namespace tests
