// Trainings that the last run of a directory left in their middle, and that the next one goes on with, in words.
#pragma once

#include <string>

#include "runner/status_directory.hpp"

namespace runner {

/// "3 training(s) made way with a checkpoint, the farthest at epoch 12 of 40, and 1 training(s) that were cut off go on
/// from a checkpoint, the farthest from epoch 5 of 40"; "" where there are none. By the journal, and the heads of the
/// checkpoints in DIR/attempts; `picture` has a status.
std::string trainings_left(const RunPicture& picture);

}  // namespace runner
