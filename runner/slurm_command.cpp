// From flags and the site file to scripts on disk.
#include "runner/slurm_command.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

#include "runner/batch_scripts.hpp"
#include "runner/feature_plan.hpp"
#include "runner/progress.hpp"
#include "storage/atomic_file.hpp"
#include "storage/error.hpp"
#include "sweeps/sweep.hpp"

namespace runner {
namespace {

namespace fs = std::filesystem;

fs::path placed_here(const fs::path& path) {
  return fs::absolute(path).lexically_normal();
}

fs::path own_program() {
  std::error_code error;
  const auto path = fs::read_symlink("/proc/self/exe", error);
  if (error) throw storage::Error("/proc/self/exe cannot be read: " + error.message());
  return path;
}

/// What the user gave of the sweep and the site, so that it means the same in a job that starts elsewhere.
std::vector<std::string> flags_of(const SlurmQuestion& question, const Site& site) {
  std::vector<std::string> flags;
  const auto add = [&](const std::string& flag, const std::string& value) {
    flags.push_back(flag);
    flags.push_back(value);
  };
  if (!question.scale.empty()) add("--scale", question.scale);
  for (const auto& [from, to] : question.substitutes) add("--substitute", from + "=" + to);
  if (!question.only.empty()) add("--only", question.only);
  if (site.file) add("--site", placed_here(*site.file).string());
  for (const auto& [id, path] : question.site.data) add("--data", id + "=" + site.data.at(id).string());
  for (const auto& [id, path] : question.site.weights) add("--weights", id + "=" + site.weights.at(id).string());
  if (question.site.cache) add("--cache", site.cache.string());
  return flags;
}

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// All or none: a folder with scripts of two minds is worse than either.
void refuse_changed(const fs::path& folder, const std::vector<ScriptFile>& scripts) {
  for (const auto& script : scripts) {
    const auto file = folder / script.name;
    std::error_code error;
    if (!fs::exists(file, error) || text_of(file) == script.text) continue;
    throw storage::UsageError(
        fmt::format("{}: is there and differs from what would be written; give --force to replace it, or another --out",
                    file.string()));
  }
}

void write_scripts(const fs::path& folder, const std::vector<ScriptFile>& scripts) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw storage::UsageError(fmt::format("--out: {} cannot be made: {}; give a directory that you may write to",
                                          folder.string(), error.message()));
  }
  for (const auto& script : scripts) {
    storage::write_atomically(folder / script.name, script.text);
    if (script.executable) fs::permissions(folder / script.name, fs::perms::owner_exec, fs::perm_options::add, error);
  }
}

std::string in_words(const ClusterSettings& cluster) {
  const auto gpus = cluster.gpus_per_node > 0 ? fmt::format("{} GPU(s)", cluster.gpus_per_node) : std::string("no GPU");
  const auto limit = duration_text(static_cast<double>(seconds_of_time_limit(cluster.time).value_or(0)));
  if (cluster.form == Form::array) {
    return fmt::format("{} shares, each with {} worker(s), {} and {} CPUs on one node for up to {}", cluster.shares,
                       cluster.workers(), gpus, cluster.cpus_per_task * cluster.workers(), limit);
  }
  return fmt::format("{} node(s), each with {} worker(s), {} and {} CPUs, for up to {} an allocation", cluster.nodes,
                     cluster.workers(), gpus, cluster.cpus_per_task * (cluster.workers() + 1), limit);
}

}  // namespace

int write_slurm_scripts(const SlurmQuestion& question) {
  const auto site = read_site(question.site);
  const auto sweep = sweeps::read_sweep(question.sweep, question.substitutes, question.scale);
  const FeaturePlan features(sweep, site, FeaturePlan::NoData::official);
  features.check_classes(sweep);
  const auto plan = sweeps::expand(sweep, features.class_names());
  const auto jobs = question.only.empty() ? plan.jobs.size() : sweeps::select_jobs(plan, question.only).size();

  BatchRun run;
  run.cluster = with_flags(site.cluster, question.cluster);
  run.sweep_name = sweep.name;
  run.program = own_program();
  run.sweep = placed_here(question.sweep);
  run.out = placed_here(question.out);
  run.scripts = run.out / "slurm";
  run.folder = fs::current_path();
  run.flags = flags_of(question, site);
  run.run_flags = question.run_flags;
  const auto scripts = batch_scripts(run);
  if (!question.force) refuse_changed(run.scripts, scripts);
  write_scripts(run.scripts, scripts);

  std::cout << fmt::format("sweep {}: {} jobs; {}\n", sweep.name, jobs, in_words(run.cluster));
  for (const auto& script : scripts) std::cout << "  " << (run.scripts / script.name).string() << "\n";
  std::cout << "Read them, then submit with\n    " << submit_line(run) << "\nand see how far it is with\n    "
            << look_line(run) << std::endl;
  return 0;
}

}  // namespace runner
