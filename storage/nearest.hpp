// The nearest right word for a mistyped one, for error messages.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace storage {

/// The candidate with the smallest edit distance (insertions, deletions, replacements, swaps of neighbours) to `word`, if
/// that distance is at most a third of the longer word's length, rounded up; the first of equals. Example: "lamda" -> "lambda".
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates);

/// `a, b or c`, for "expected ...".
std::string listed(const std::vector<std::string>& words);

/// ` (did you mean "lambda"?)`, or `; expected a, b or c` where nothing is near. Begins with its own separator.
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace storage
