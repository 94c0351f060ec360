// What a scan tells of a split's images besides statistics and checksums: their sizes, and which are one flat colour.
// Knows no LibTorch.
#pragma once

#include <cstdint>
#include <vector>

#include "storage/json.hpp"
#include "workers/messages.hpp"

namespace workers {

struct ScanFacts {
  int narrowest = 0, widest = 0, lowest = 0, highest = 0;  ///< widths and heights, pixels
  std::int64_t smallest_row = 0, largest_row = 0;          ///< by area; the first of equals
  std::int64_t size_count = 0;                             ///< distinct sizes
  std::vector<std::int64_t> flat_rows;                     ///< all pixels have one colour; rows of features are none
  bool operator==(const ScanFacts&) const = default;
};

/// Of the images of a split in row order; those that could not be read are left out.
ScanFacts facts_of(const std::vector<ScannedImage>& images);

void write_facts(storage::JsonWriter& json, const ScanFacts& facts);
/// Of a split of `rows` rows. Throws storage::Error for what write_facts does not write.
ScanFacts read_facts(const storage::JsonValue& value, std::int64_t rows);

}  // namespace workers
