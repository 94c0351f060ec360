// Hand-made directories of runs of one sweep: 2 classes x 2 seeds. Test-only.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "runner/run_file.hpp"
#include "tests/results/samples.hpp"

namespace samples {

constexpr const char* kSweepOfFour =
    R"({"version":1,"name":"small","blocks":[{"dataset":"cifar10","classes":["cat","dog"],
  "backbone":"efficientnet-lite0","train_rows":1000,"dimension":384,"epochs":2,"lr":0.0005,"seeds":2}],
  "tables":[{"id":"small","rows":[{"name":"PLUME","where":{}}],"modes":["best","last"]}]})";

class RunDirectories : public testing::Test {
 protected:
  /// DIR/run.json and DIR/journal.jsonl.
  std::string directory(const std::string& name, const std::vector<results::Entry>& entries,
                        const std::string& sweep = kSweepOfFour) {
    const std::filesystem::path made = folder / name;
    std::filesystem::create_directories(made);
    runner::RunFile file;
    runner::freeze(file, sweeps::parse_sweep(sweep, "sweep.json"), classes);
    runner::write_run_file(made, file);
    std::string journal;
    for (const results::Entry& entry : entries) journal += results::encode(entry) + "\n";
    write_bytes(made / "journal.jsonl", journal);
    return made.string();
  }
  static results::Entry run(const std::string& name, std::uint64_t seed, const std::string& device = "cpu") {
    sweeps::Job job = training(name, seed);
    const double auc = (name == "cat" ? 0.5 : 0.75) + 0.125 * static_cast<double>(seed);
    results::JobResult result = finished({auc, auc / 2});
    result.device = device;
    return done(job, result);
  }

  const TemporaryFolder folder;
  const sweeps::ClassNames classes = {{"cifar10", {{"cat", "dog"}, {}, {}}}};
  const std::vector<results::Entry> all = {run("cat", 0), run("dog", 0), run("cat", 1), run("dog", 1)};
};

}  // namespace samples
