// What stands in for the backbones and data sets that a sweep names. Private to this folder.
#pragma once

#include <string>

#include "storage/json.hpp"
#include "sweeps/sweep.hpp"

namespace sweeps {

/// `sweep` with `more` among its "substitute" (a thing that has a substitute already gets another one).
storage::JsonValue with_more_substitutes(const storage::JsonValue& sweep, const Substitutes& more,
                                         const std::string& origin);

/// The key "substitute", checked: a backbone stands in for a backbone, a data set for a data set, each of them known;
/// what is replaced is named by some block.
Substitutes read_substitutes(const storage::JsonValue& sweep);

/// `sweep` with the replaced values in its blocks, its tables' rows and its "datasets", at the same paths as before, so
/// that messages still lead to the file.
storage::JsonValue with_substitutes(const storage::JsonValue& sweep, const Substitutes& substitutes,
                                    const std::string& origin);

}  // namespace sweeps
