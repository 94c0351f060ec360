// Gathers sizes and flat images from scanned sums.
#include "workers/scan_facts.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace workers {
namespace {

/// All pixels have the value v where the mean is v and the mean of squares v^2. Sums are whole numbers below 2^53, so
/// this is exact.
bool is_flat(const ScannedImage& image) {
  if (image.sums.empty()) return false;
  const double pixels = double(image.width) * image.height;
  for (std::size_t c = 0; c < image.sums.size(); ++c) {
    const double value = std::floor(image.sums[c] / pixels);
    if (value * pixels != image.sums[c] || value * value * pixels != image.squares.at(c)) return false;
  }
  return true;
}

std::int64_t area(const ScannedImage& image) {
  return std::int64_t{image.width} * image.height;
}

}  // namespace

ScanFacts facts_of(const std::vector<ScannedImage>& images) {
  ScanFacts facts;
  std::set<std::pair<int, int>> sizes;
  for (std::size_t i = 0; i < images.size(); ++i) {
    const auto& image = images[i];
    if (!image.fault.empty()) continue;
    if (sizes.empty()) {
      facts.narrowest = facts.widest = image.width;
      facts.lowest = facts.highest = image.height;
      facts.smallest_row = facts.largest_row = std::int64_t(i);
    }
    facts.narrowest = std::min(facts.narrowest, image.width);
    facts.widest = std::max(facts.widest, image.width);
    facts.lowest = std::min(facts.lowest, image.height);
    facts.highest = std::max(facts.highest, image.height);
    if (area(image) < area(images[static_cast<std::size_t>(facts.smallest_row)])) facts.smallest_row = std::int64_t(i);
    if (area(image) > area(images[static_cast<std::size_t>(facts.largest_row)])) facts.largest_row = std::int64_t(i);
    sizes.emplace(image.width, image.height);
    if (is_flat(image)) facts.flat_rows.push_back(std::int64_t(i));
  }
  facts.size_count = std::int64_t(sizes.size());
  return facts;
}

void write_facts(storage::JsonWriter& json, const ScanFacts& facts) {
  json.begin_object().key("flat").begin_array();
  for (const auto row : facts.flat_rows) json.value(row);
  json.end_array();
  json.member("largest_row", facts.largest_row).member("size_count", facts.size_count);
  json.key("sizes").begin_array();
  for (const int side : {facts.narrowest, facts.widest, facts.lowest, facts.highest}) json.value(std::int64_t{side});
  json.end_array().member("smallest_row", facts.smallest_row).end_object();
}

ScanFacts read_facts(const storage::JsonValue& value, std::int64_t rows) {
  const auto row_of = [&](const storage::JsonValue& number) {
    return number.integer(0, std::max<std::int64_t>(0, rows - 1));
  };
  ScanFacts facts;
  const auto sizes = value.at("sizes").items();
  if (sizes.size() != 4) value.at("sizes").fail("expected four sides");
  int* const sides[] = {&facts.narrowest, &facts.widest, &facts.lowest, &facts.highest};
  for (std::size_t i = 0; i < 4; ++i) *sides[i] = static_cast<int>(sizes[i].integer(0, 1 << 30));
  facts.smallest_row = row_of(value.at("smallest_row"));
  facts.largest_row = row_of(value.at("largest_row"));
  facts.size_count = value.at("size_count").integer(0);
  for (const auto& row : value.at("flat").items()) facts.flat_rows.push_back(row_of(row));
  return facts;
}

}  // namespace workers
