// Which of a class's images are the test split where a program makes the split (sweeps::SplitByShare).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sweeps/sweep.hpp"

namespace datasets {

/// How many of a class's `n` >= 2 images are tested on: n * test, rounded to nearest (halves up), at least 1 and at
/// most n - 1. E.g. of 0.2: 1 of 2, 1 of 7, 2 of 8, 2 of 12, 3 of 13.
std::int64_t test_count(double test, std::int64_t n);

/// For each of the class's `n` >= 2 images, in the order of their names, whether it is tested on: the first test_count
/// of a permutation that depends on the seed, the kind of data set, the class and n alone.
std::vector<bool> drawn_for_test(const sweeps::SplitByShare& split, const std::string& kind,
                                 const std::string& class_name, std::int64_t n);

}  // namespace datasets
