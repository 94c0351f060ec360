// The features of a worker's next training are read while it still trains, as the kernel sees the real program do it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "tests/end_to_end/program.hpp"
#include "tests/temporary_folder.hpp"

namespace tests {
namespace {

namespace fs = std::filesystem;

/// The files of a folder that were opened to be read and were closed since it was made or last asked.
class Readings {
 public:
  explicit Readings(const fs::path& folder) : descriptor_(inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    EXPECT_GE(inotify_add_watch(descriptor_, folder.c_str(), IN_CLOSE_NOWRITE), 0) << std::strerror(errno);
  }
  ~Readings() { close(descriptor_); }
  Readings(const Readings&) = delete;
  Readings& operator=(const Readings&) = delete;

  std::vector<std::string> names() {
    std::vector<std::string> names;
    alignas(inotify_event) std::array<char, 1 << 16> bytes{};
    for (ssize_t n = 0; (n = read(descriptor_, bytes.data(), bytes.size())) > 0;) {
      for (ssize_t at = 0; at < n;) {
        inotify_event event{};
        std::memcpy(&event, bytes.data() + at, sizeof event);
        if (event.len > 0) names.emplace_back(bytes.data() + at + sizeof event);
        at += static_cast<ssize_t>(sizeof event + event.len);
      }
    }
    return names;
  }

 private:
  int descriptor_;
};

std::string block(const std::string& dataset, int epochs) {
  return R"({"dataset": ")" + dataset + R"(", "classes": ["ring"], "backbone": "efficientnet-lite0",)" +
         R"("perturbation": "linear-map", "guidance": "full", "lambda": 5, "lr": 0.001, "batch_size": 8,)" +
         R"("dimension": 384, "seeds": 1, "epochs": )" + std::to_string(epochs) + "}";
}

class NextFeatures : public testing::Test {
 protected:
  Running run(const std::string& out, const std::string& blocks, const std::vector<std::string>& more = {}) {
    write_text(
        folder / (out + ".json"),
        R"({"version": 1, "name": "two", "datasets": {)"
        R"("long": {"kind": "synthetic", "classes": 2, "train_per_class": 24, "test_per_class": 12, "seed": 1},)"
        R"("short": {"kind": "synthetic", "classes": 2, "train_per_class": 24, "test_per_class": 12, "seed": 2}},)"
        R"("blocks": [)" +
            blocks + "]}");
    std::vector<std::string> command = {program().string(),
                                        "run",
                                        out + ".json",
                                        "--out",
                                        out,
                                        "--cache",
                                        "cache",
                                        "--workers",
                                        "1",
                                        "--threads",
                                        "1",
                                        "--weights",
                                        "efficientnet-lite0=random:1"};
    command.insert(command.end(), more.begin(), more.end());
    return {command, folder.path()};
  }
  /// Names of the feature files that are there.
  std::set<std::string> feature_files() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder / "cache")) {
      if (entry.path().extension() == ".h5") names.insert(entry.path().filename().string());
    }
    return names;
  }
  std::size_t committed(const std::string& out) const {
    const fs::path journal = folder / (out + "/journal.jsonl");
    const std::string text = fs::exists(journal) ? read_text(journal) : "", mark = R"("type":"done")";
    std::size_t count = 0;
    for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) ++count;
    return count;
  }
  std::string table(const std::string& out) const { return read_text(folder / (out + "/report/tables/all.csv")); }

  TemporaryFolder folder;
};

TEST_F(NextFeatures, AreReadBeforeTheTrainingBeforeThemHasEnded) {
  ASSERT_EQ(run("first", block("long", 2)).wait().status, 0);
  const auto of_the_long = feature_files();
  ASSERT_EQ(run("second", block("short", 2)).wait().status, 0);
  ASSERT_EQ(of_the_long.size(), 2U);
  ASSERT_EQ(feature_files().size(), 4U);

  struct Reading {
    bool is_of_the_long = false;
    std::size_t after = 0;  // so many results
  };
  std::vector<Reading> readings;
  Readings in_the_cache(folder / "cache");
  Running both = run("both", block("long", 100) + "," + block("short", 20));
  const auto look = [&] {
    const std::size_t done = committed("both");
    for (const auto& name : in_the_cache.names()) {
      if (fs::path(name).extension() == ".h5") readings.push_back({of_the_long.count(name) > 0, done});
    }
    return false;
  };
  both.until(look);
  look();
  const auto ended = both.wait();
  ASSERT_EQ(ended.status, 0) << ended.errors;
  ASSERT_EQ(committed("both"), 2U);

  // The coordinator looked at all files first. Then a trainer read those of the long training, in its middle the others
  // as they lie on the disk, and took them into memory when they were needed.
  ASSERT_GE(readings.size(), 6U);
  const auto is_of_the_long = [](const Reading& reading) { return reading.is_of_the_long; };
  const auto next = std::find_if(readings.rbegin(), readings.rend(), is_of_the_long).base();
  EXPECT_EQ(readings.end() - next, 4) << "two in advance, two when they were needed";
  EXPECT_EQ(std::count_if(next, readings.end(), [](const Reading& reading) { return reading.after == 0; }), 2)
      << "they were not read while the first training ran";
}

}  // namespace
}  // namespace tests
