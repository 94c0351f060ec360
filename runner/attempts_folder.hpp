// DIR/attempts/<job key>-<attempt>/: what is left of a try that did not count. Nothing but checkpoints
// (workers/checkpoint_files.hpp) is read by a run, and nothing by a table.
#pragma once

#include <filesystem>
#include <string>

#include "results/journal.hpp"

namespace runner {

/// DIR/attempts
std::filesystem::path attempts_of(const std::filesystem::path& run);

/// DIR/attempts/<key>-<attempt>
std::filesystem::path attempt_folder(const std::filesystem::path& run, const sweeps::JobKey& key, int attempt);

/// Writes `text` as stderr.txt there; the file's path. Never throws: a full disk must not end a run that can still go
/// on; "" then.
std::filesystem::path keep_standard_error(const std::filesystem::path& run, const sweeps::JobKey& key, int attempt,
                                          const std::string& text);

/// Writes a result that came too late as late-result.json there (late-result-2.json, ... should there be several): why
/// it does not count, who sent it, when, and the result as the journal would have it. Never throws; "" on failure.
std::filesystem::path keep_late_result(const std::filesystem::path& run, const results::Done& late,
                                       const std::string& worker, const std::string& why);

/// What a job came to, and the kind of processor (storage::processor_kind()) on which.
struct ComputedResult {
  results::JobResult result;
  std::string processor;
};
/// Whether two results of one job differ where everything that they may depend on is the same: device kind, threads and
/// kind of processor (kinds may round differently).
bool contradict(const ComputedResult& one, const ComputedResult& other);

}  // namespace runner
