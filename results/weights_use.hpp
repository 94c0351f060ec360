// Which weights the numbers of a row or a cell rest on, and what marks a row whose numbers are not the paper's to
// compare with.
#pragma once

#include <compare>
#include <set>
#include <string>
#include <vector>

#include "sweeps/published_weights.hpp"

namespace results {

/// Whatever WeightsUse::mark() may be, but for "".
std::vector<std::string> weights_marks();

/// A set: classes of one row may have been computed at different times, with different weights.
class WeightsUse {
 public:
  /// `identity` as JobResult::weights has it; nothing is added where it is empty.
  void add(const std::string& backbone, const std::string& identity);
  void add(const WeightsUse& other);

  bool has(sweeps::WeightsKind kind) const;
  /// "" for the paper's weights, and for trained ones of a backbone that the paper does not have (departures_of says
  /// so); else "untrained", "not the paper's weights" or both, after "partly" where others are among them.
  std::string mark() const;
  /// Each, for a note: "resnet50 random:0", "resnet50 1a2b3c4d, the paper's begin with 0676ba61", "vgg16 397923af, the
  /// paper's".
  std::vector<std::string> listed() const;
  /// Names of sweeps::WeightsKind joined by "+", for a column of a CSV: "paper", "paper+untrained", "".
  std::string kinds() const;

  bool operator==(const WeightsUse&) const = default;

 private:
  struct Weights {
    std::string backbone;
    std::string identity;
    auto operator<=>(const Weights&) const = default;
  };
  std::set<Weights> all_;
};

}  // namespace results
