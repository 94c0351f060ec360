// Smaller versions of a whole sweep, by name. Private to this folder.
#pragma once

#include <string>

#include "storage/json.hpp"
#include "sweeps/sweep.hpp"

namespace sweeps {

/// `sweep` with `scale` as its "scale"; as it is where that is empty.
storage::JsonValue with_scale(const storage::JsonValue& sweep, const std::string& scale, const std::string& origin);

/// The key "scale": the name of a known one, or empty where there is none.
std::string read_scale(const storage::JsonValue& sweep);

/// Lowers rows, width, epochs and seeds of a block's jobs; nothing is raised. Jobs that become one are one.
void lower(Block& block, const std::string& scale);
/// The values of the same axes in a selection, so that it still matches.
void lower(Selection& where, const std::string& scale);

}  // namespace sweeps
