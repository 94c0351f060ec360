// Counts the results of every form that a directory may have.
#include "runner/other_form.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "results/journal.hpp"
#include "runner/shares_directory.hpp"
#include "storage/error.hpp"

namespace runner {
namespace {

namespace fs = std::filesystem;

std::size_t results_in(const fs::path& directory) {
  return results::replay_journal(directory / "journal.jsonl").ledger.done.size();
}

/// By the number of shares; 0: of a run in `out` itself. None that are not there.
std::map<int, std::size_t> results_of_forms(const fs::path& out) {
  std::map<int, std::size_t> results;
  if (const auto own = results_in(out); own > 0) results[0] = own;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(out, error)) {
    const auto share = share_called(entry.path().filename().string());
    const auto found = share ? results_in(entry.path()) : 0;
    if (found > 0) results[share->of] += found;
  }
  return results;
}

std::string in_words(int shares) {
  return shares == 0 ? "one run" : fmt::format("{} share(s)", shares);
}

std::string flags_of(int shares, const BatchRun& run) {
  if (shares == 0) return "--form mpirun (or srun)";
  return run.cluster.form == Form::array ? fmt::format("--shares {}", shares)
                                         : fmt::format("--form array --shares {}", shares);
}

std::vector<fs::path> other_scripts(const BatchRun& run) {
  const std::vector<const char*> names =
      run.cluster.form == Form::array
          ? std::vector<const char*>{"run.sbatch"}
          : std::vector<const char*>{"submit", "extract.sbatch", "share.sbatch", "report.sbatch"};
  std::vector<fs::path> found;
  for (const auto* name : names) {
    std::error_code ignored;
    if (fs::exists(run.scripts / name, ignored)) found.push_back(run.scripts / name);
  }
  return found;
}

}  // namespace

void refuse_other_results(const BatchRun& run) {
  const int ours = run.cluster.form == Form::array ? run.cluster.shares : 0;
  const auto results = results_of_forms(run.out);
  if (results.empty() || results.contains(ours)) return;
  const auto [theirs, count] = *std::max_element(results.begin(), results.end(),
                                                 [](const auto& a, const auto& b) { return a.second < b.second; });
  throw storage::UsageError(
      fmt::format("--out: {} holds {} result(s) of {}, and {} would use none of them; give {}, or another --out",
                  run.out.string(), count, in_words(theirs), in_words(ours), flags_of(theirs, run)));
}

void refuse_other_scripts(const BatchRun& run) {
  const auto found = other_scripts(run);
  if (found.empty()) return;
  throw storage::UsageError(fmt::format(
      "{}: is a script of another --form; give --force to have it removed, or another --out", found.front().string()));
}

void remove_other_scripts(const BatchRun& run) {
  for (const auto& script : other_scripts(run)) {
    std::error_code error;
    fs::remove(script, error);
    if (error) throw storage::Error(fmt::format("{}: cannot be removed: {}", script.string(), error.message()));
  }
}

}  // namespace runner
