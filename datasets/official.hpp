// What is fixed by the kind of a data set, whether its files are at hand or not: classes and how many images there are.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "datasets/dataset.hpp"

namespace datasets {

/// Images of each class, or of all that may be normal and of all that are only anomalies.
struct OfficialCounts {
  const char* kind;
  bool each_class;
  std::int64_t normal[2];     ///< by split
  std::int64_t anomalies[2];  ///< by split; -1: not said
};
/// Null where no number is published.
const OfficialCounts* official_counts_of(const std::string& kind);

/// The classes of the kind and as many rows as there officially are (classes of one count share it evenly; 2 of each
/// where no number is published, none of anomalies that are not said), without anything to read. Null for kinds whose
/// classes their files say.
std::unique_ptr<Dataset> official_dataset(const std::string& kind);

}  // namespace datasets
