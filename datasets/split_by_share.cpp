// Draws the test split of a class from its counter-based stream. Knows no files.
#include "datasets/split_by_share.hpp"

#include <algorithm>
#include <cmath>

#include "sweeps/random_stream.hpp"

namespace datasets {

std::int64_t test_count(double test, std::int64_t n) {
  const auto nearest = static_cast<std::int64_t>(std::floor(test * static_cast<double>(n) + 0.5));
  return std::clamp<std::int64_t>(nearest, 1, n - 1);
}

std::vector<bool> drawn_for_test(const sweeps::SplitByShare& split, const std::string& kind,
                                 const std::string& class_name, std::int64_t n) {
  const sweeps::RandomStream stream(split.seed, kind, class_name, "split");
  const std::vector<std::int64_t> order = stream.permutation(0, n);
  std::vector<bool> drawn(order.size(), false);
  const auto count = static_cast<std::size_t>(test_count(split.test, n));
  for (std::size_t k = 0; k < count; ++k) drawn[static_cast<std::size_t>(order[k])] = true;
  return drawn;
}

}  // namespace datasets
