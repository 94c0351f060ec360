// From flags and the site file to scripts on disk.
#include "runner/slurm_command.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <sstream>

#include "results/journal.hpp"
#include "results/text_layout.hpp"
#include "runner/batch_scripts.hpp"
#include "runner/cluster_fit.hpp"
#include "runner/cluster_forecast.hpp"
#include "runner/computing_program.hpp"
#include "runner/feature_plan.hpp"
#include "runner/missing_inputs.hpp"
#include "runner/other_form.hpp"
#include "runner/plan_lines.hpp"
#include "runner/plan_needs.hpp"
#include "runner/progress.hpp"
#include "runner/setup_lines.hpp"
#include "storage/atomic_file.hpp"
#include "storage/error.hpp"
#include "storage/json.hpp"
#include "storage/printable.hpp"
#include "sweeps/sweep.hpp"

namespace runner {
namespace {

namespace fs = std::filesystem;

fs::path placed_here(const fs::path& path) {
  return fs::absolute(path).lexically_normal();
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

/// "" for what cannot be read, which differs from every script.
std::string text_of(const fs::path& file) {
  try {
    return storage::read_regular_file(file);
  } catch (const storage::Error&) {
    return "";
  }
}

/// Of long lines what lies around the place where they begin to differ, with dots for the rest. A letter of several
/// bytes is not cut, since the first byte of a word is none within it.
std::string part_of(const std::string& line, std::size_t differs_at) {
  constexpr std::size_t kMost = 120, kBefore = 40;
  if (line.size() <= kMost) return storage::printable_line(line, kMost);
  const auto space = differs_at < kBefore ? std::string::npos : line.rfind(' ', differs_at - kBefore);
  const std::size_t begin = space == std::string::npos ? 0 : space + 1;
  const std::string before = begin > 0 ? "... " : "";
  if (line.size() - begin <= kMost) return before + storage::printable_line(line.substr(begin), kMost);
  const auto end = std::max(line.rfind(' ', begin + kMost), std::min(differs_at + kBefore, line.size()));
  return before + storage::printable_line(line.substr(begin, end - begin), 2 * kMost) + " ...";
}

/// "line 12 is "#SBATCH --time=10" there, and would be "#SBATCH --time=20"": the first that differs.
std::string first_difference(const std::string& there, const std::string& fresh) {
  std::istringstream old_lines(there), new_lines(fresh);
  std::string before, after;
  for (int line = 1;; ++line) {
    const bool has_before = static_cast<bool>(std::getline(old_lines, before));
    const bool has_after = static_cast<bool>(std::getline(new_lines, after));
    if (has_before && has_after && before == after) continue;
    const auto differs = std::mismatch(before.begin(), before.end(), after.begin(), after.end()).first - before.begin();
    const auto shown = [&](bool has, const std::string& text) {
      return has ? storage::in_quotes(part_of(text, static_cast<std::size_t>(differs))) : std::string("not there");
    };
    if (!has_before && !has_after) return "the last line's end differs";
    return fmt::format("line {} is {}, and would be {}", line, shown(has_before, before), shown(has_after, after));
  }
}

/// All or none: a folder with scripts of two minds is worse than either.
void refuse_changed(const fs::path& folder, const std::vector<ScriptFile>& scripts) {
  for (const auto& script : scripts) {
    const auto file = folder / script.name;
    std::error_code error;
    if (!fs::exists(file, error)) continue;
    const auto there = text_of(file);
    if (there == script.text) continue;
    throw storage::UsageError(fmt::format(
        "{}: is there and differs from what would be written: {}; give --force to replace it, or another --out",
        file.string(), first_difference(there, script.text)));
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

/// The journals of the run, or of its shares, as far as it has come.
results::Ledger ledger_of(const BatchRun& run) {
  results::Ledger ledger;
  std::vector<fs::path> directories{run.out};
  for (int k = 1; run.cluster.form == Form::array && k <= run.cluster.shares; ++k) {
    directories.push_back(run.out / fmt::format("share-{}-of-{}", k, run.cluster.shares));
  }
  for (const auto& directory : directories) {
    auto more = results::replay_journal(directory / "journal.jsonl").ledger;
    ledger.done.merge(more.done);
    ledger.failed.merge(more.failed);
  }
  return ledger;
}

/// What is known of the jobs before any of them runs.
struct PlannedWork {
  std::string jobs = "how many jobs depends on data that is missing";
  std::vector<std::string> forecast = {};
};

PlannedWork planned_work(const SlurmQuestion& question, const sweeps::Sweep& sweep, Site site,
                         const MissingInputs& missing, const BatchRun& run) {
  for (const auto& id : missing.data) site.data.erase(id);  // their official numbers stand in
  const FeaturePlan features(sweep, site, FeaturePlan::NoData::official);
  features.check_classes(sweep);
  const auto plan = sweeps::expand(sweep, features.class_names());
  const auto ledger = ledger_of(run);
  const auto measured = measured_times({&ledger}, [&](const auto& job) { return row_length_of(job, features); });
  PlanView view{sweep, plan, features, ledger, measured, {}, {}, "", "", 0, run.cluster};
  if (question.only.empty()) {
    view.selected.resize(plan.jobs.size());
    std::iota(view.selected.begin(), view.selected.end(), std::size_t{0});
  } else {
    view.selected = sweeps::select_jobs(plan, question.only);
  }
  for (const auto& key : plan.keys) view.left.push_back(!ledger.done.contains(key) && !ledger.failed.contains(key));
  std::vector<sweeps::Job> left;
  for (const auto i : view.selected) {
    if (view.left[i]) left.push_back(plan.jobs[i]);
  }
  const ClusterWork work{planned_jobs(view), measured, extraction_seconds(feature_needs(left, features))};
  return {fmt::format("{} jobs", results::grouped(view.selected.size())), forecast_lines(work, run.cluster)};
}

std::vector<std::string> notes(const SlurmQuestion& question, const ClusterSettings& cluster,
                               const MissingInputs& missing) {
  std::vector<std::string> lines;
  if (cluster.gpus_per_node > 0 && !question.why_gpus_idle.empty()) {
    lines.push_back(
        fmt::format("GPUs would stand idle (to ask for CPUs alone: --gpus-per-node 0 --workers-per-node {}): {}",
                    cluster.workers(), question.why_gpus_idle));
  }
  auto absent = missing.lines;
  std::error_code error;
  const bool is_file = cluster.container.find("://") == std::string::npos;  // else Apptainer fetches it
  if (!cluster.container.empty() && is_file && !fs::exists(cluster.container, error)) {
    absent.push_back(
        fmt::format("container {}: it is not there; build it there (slurm/plume.def), or give another "
                    "--container",
                    placed_here(cluster.container).string()));
  }
  for (const auto& line : absent) lines.push_back("missing: " + line);
  if (!absent.empty()) {
    lines.emplace_back("The scripts are written all the same: what is missing may be put there before they start.");
  }
  return lines;
}

}  // namespace

int write_slurm_scripts(const SlurmQuestion& question) {
  if (question.out.empty()) throw storage::UsageError("--out: expected a directory, found \"\"");
  const auto site = read_site(question.site);
  const auto sweep = sweeps::read_sweep(question.sweep, question.substitutes, question.scale);
  refuse_unused_sites(question.site, sweep);
  const auto missing = missing_inputs(sweep, site, question.site);

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
  if (!question.only.empty()) run.run_flags.emplace_back("--no-epoch-lines");  // an output file is no screen
  refuse_other_results(run);
  const auto plan = missing.classes_are_unknown ? PlannedWork{} : planned_work(question, sweep, site, missing, run);
  const auto scripts = batch_scripts(run);
  refuse_broken_setup(run.cluster.setup, scripts);
  if (!question.force) {
    refuse_other_scripts(run);
    refuse_changed(run.scripts, scripts);
  }
  remove_other_scripts(run);
  write_scripts(run.scripts, scripts);

  std::cout << fmt::format("sweep {}: {}; {}\n", sweep.name, plan.jobs, in_words(run.cluster));
  std::cout << (site.file ? fmt::format("  settings: {}, and flags\n", placed_here(*site.file).string())
                          : std::string("  settings: flags alone, since there is no site file\n"));
  for (const auto& script : scripts) std::cout << "  " << (run.scripts / script.name).string() << "\n";
  for (const auto& line : plan.forecast) std::cout << line << "\n";
  for (const auto& line : notes(question, run.cluster, missing)) std::cout << "  " << line << "\n";
  if (const auto facts = ask_cluster(question.ask ? question.ask : ask_programs())) {
    for (const auto& line : cluster_objections(*facts, run.cluster)) std::cout << line << "\n";
  }
  std::cout << "Read them, then submit with\n    " << submit_line(run) << "\nand see how far it is with\n    "
            << look_line(run) << std::endl;
  return 0;
}

}  // namespace runner
