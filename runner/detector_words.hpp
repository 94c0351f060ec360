// What a saved detector is, and whether it can be believed, in a line.
#pragma once

#include <string>

#include "workers/model_file.hpp"

namespace runner {

/// "best epoch (2 of 20, counted from 0), AUROC 56.5 % on its test split, which selected the epoch"; below 50 % it says
/// what that means.
std::string epoch_in_words(const workers::ModelFacts& facts);

}  // namespace runner
