// Does what PLUME_FAULT asks for, inside the trainer.
#pragma once

#include <optional>

#include "workers/fault_on_request.hpp"

namespace workers {

/// The first of `faults` that is due befalls this process: throws, ends it, or never returns. Else returns.
void strike_if_due(const std::vector<FaultOnRequest>& faults, const sweeps::Job& job, int attempt,
                   std::optional<int> epoch);

}  // namespace workers
