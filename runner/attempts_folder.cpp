// Small files beside the journal, each written whole or not at all.
#include "runner/attempts_folder.hpp"

#include <fmt/format.h>

#include "storage/atomic_file.hpp"
#include "storage/error.hpp"
#include "storage/json.hpp"
#include "storage/machine.hpp"
#include "workers/checkpoint_files.hpp"

namespace runner {
namespace {

namespace fs = std::filesystem;
constexpr int kFormatVersion = 1;
constexpr int kMostLateResults = 100;

fs::path publish_under_free_name(const fs::path& folder, const std::string& text) {
  for (int n = 1; n <= kMostLateResults; ++n) {
    const fs::path file = folder / (n == 1 ? std::string("late-result.json") : fmt::format("late-result-{}.json", n));
    if (storage::publish_first(storage::write_temporary(file, text), file) == storage::Publish::won) return file;
  }
  return {};
}

}  // namespace

fs::path attempts_of(const fs::path& run) {
  return run / "attempts";
}

fs::path attempt_folder(const fs::path& run, const sweeps::JobKey& key, int attempt) {
  return workers::attempt_folder(attempts_of(run), key, attempt);
}

fs::path keep_standard_error(const fs::path& run, const sweeps::JobKey& key, int attempt, const std::string& text) {
  const fs::path file = attempt_folder(run, key, attempt) / "stderr.txt";
  try {
    storage::write_atomically(file, text);
    return file;
  } catch (const storage::Error&) {
    return {};
  }
}

fs::path keep_late_result(const fs::path& run, const results::Done& late, const std::string& worker,
                          const std::string& why) {
  storage::JsonWriter json;
  json.begin_object().member("v", kFormatVersion).member("why", why).member("worker", worker);
  json.member("arrived", storage::utc_now());
  json.key("line").raw(results::encode(late)).end_object();
  try {
    return publish_under_free_name(attempt_folder(run, sweeps::key_of(late.job), late.attempt), json.text() + "\n");
  } catch (const storage::Error&) {
    return {};
  }
}

bool contradict(const ComputedResult& one, const ComputedResult& other) {
  return one.result.device == other.result.device && one.result.threads == other.result.threads &&
         one.processor == other.processor && !(one.result == other.result);
}

}  // namespace runner
