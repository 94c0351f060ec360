// What an --out holds of another form, or of another number of shares, than the scripts that are to be written: results
// that these would not use, and scripts that would lie beside them.
#pragma once

#include <filesystem>

#include "runner/batch_scripts.hpp"

namespace runner {

/// Throws UsageError where there are such results and none of the run's own form: it would begin anew.
void refuse_other_results(const BatchRun& run);

/// Throws UsageError where DIR/slurm holds scripts of another form.
void refuse_other_scripts(const BatchRun& run);
/// Removes them.
void remove_other_scripts(const BatchRun& run);

}  // namespace runner
