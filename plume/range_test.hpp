// The learning-rate range test of PyTorch Lightning 2.0 (method.md section 5): which rates are tried, when it stops,
// which one it suggests. Pure arithmetic on losses, no LibTorch.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace plume {

class RangeTest {
 public:
  static constexpr int kMostSteps = 100;

  /// Rate of step k (0 <= k < 100): 1e-8 for k = 0, then 1e-8 (1 / 1e-8)^((k + 1) / 100), so 1 at last.
  static double learning_rate(int k);

  /// Takes the loss of the next step, which may be non-finite, and records its smoothed value, avg / (1 - 0.98^(k+2))
  /// with avg = 0.98 avg + 0.02 loss. False: the test is over, because the smoothed loss is above four times the best
  /// so far or all steps are made.
  bool record(double loss);
  const std::vector<double>& recorded() const { return recorded_; }

  struct Suggestion {
    std::size_t index = 0;  ///< as the algorithm counts: 10 + position among the finite losses after the first ten
    double learning_rate = 0;
  };
  /// Where the smoothed losses fall fastest; absent where fewer than two are left.
  std::optional<Suggestion> suggestion() const { return suggest(recorded_); }

  /// The same for recorded losses: without the first ten and the last, and without non-finite ones; the first minimum
  /// of their central differences, one-sided at the ends.
  static std::optional<Suggestion> suggest(const std::vector<double>& recorded);
  /// Losses that `suggest` looks at.
  static std::size_t usable(const std::vector<double>& recorded);

 private:
  double average_ = 0;
  double best_ = 0;
  std::vector<double> recorded_;
};

}  // namespace plume
