// Which settings have an effect on a job, for who writes them side by side.
#pragma once

#include <string_view>

#include "sweeps/job.hpp"

namespace sweeps {

/// Whether a setting, called as in the canonical text ("lambda", "lr"), is in that text of the job: whether it has an
/// effect on it. Throws std::out_of_range for a name that is none.
bool has_effect(std::string_view setting, const Job& job);

}  // namespace sweeps
