// What one job costs the coordinator, part by part: each the product's own function, alone, on the messages of a job.
#pragma once

#include <cstdint>
#include <filesystem>

namespace benchmarks {

/// Microseconds a job through the state machine alone: `tasks` trainings on `workers` workers, from TasksAdded to
/// Finished, messages and actions as values.
double machine_microseconds(std::int64_t tasks, int workers);

struct JobParts {            ///< microseconds a job, whose result has so many epochs
  double decode_done = 0;    ///< the text of a TaskDone
  double journal_line = 0;   ///< encoded, checked by reading it back, written, applied to the ledger
  double sync = 0;           ///< one fsync after each line
  double encode_assign = 0;  ///< the next Assign
};
/// On a journal of its own in `folder`; `times` jobs.
JobParts part_microseconds(const std::filesystem::path& folder, int times, int epochs);

}  // namespace benchmarks
