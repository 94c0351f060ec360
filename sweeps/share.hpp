// One share of a sweep's jobs, for runs that do not know of each other: the tasks of a job array.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sweeps/job.hpp"

namespace sweeps {

/// Share `number` of `of`, both from 1.
struct Share {
  int number = 1;
  int of = 1;
  bool operator==(const Share&) const = default;
};

inline constexpr int kMostShares = 100'000;

/// "3/8"; throws storage::UsageError that names --share and says what to write.
Share parse_share(const std::string& text);

/// Those of `selected` (indices into `jobs`) that are in the share, in their order. Every one is in exactly one share,
/// numbers differ by one at most, and long and short trainings are dealt out alike, whatever the order of the axes. The
/// same jobs give the same shares on every machine.
std::vector<std::size_t> share_of(const std::vector<Job>& jobs, const std::vector<std::size_t>& selected, Share share);

}  // namespace sweeps
