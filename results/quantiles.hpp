// Order statistics of a few numbers. Private to this folder.
#pragma once

#include <vector>

namespace results {

/// Of at least one number. The quartiles are those of R and NumPy by default (type 7: linear between order statistics):
/// 1, 2, 3, 5 have 1.75, 2.5, 3.5.
struct FiveNumbers {
  double low = 0, first_quartile = 0, median = 0, third_quartile = 0, high = 0;
};
FiveNumbers five_numbers(std::vector<double> values);

}  // namespace results
