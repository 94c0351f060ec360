// Columns of a few rows in panels, as the kernels read them one after another. For the kernels' own files alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "plume/vectors.hpp"

namespace plume {

/// `floats` holds at least `count`. What it held before may stay: layers take turns in one memory.
inline void make_room(Floats& floats, std::int64_t count) {
  if (static_cast<std::int64_t>(floats.size()) < count) floats.resize(static_cast<std::size_t>(count));
}

/// Rows that follow one another in panels: the first of them, and how many a panel has in all.
struct PanelRows {
  std::int64_t first, all;
};

/// Of `matrix` [rows, width] the panels [begin, end), each [rows.all, kColumns]: a panel's row lies together. The last
/// panel's missing columns are 0.
template <std::int64_t kColumns>
void put_into_panels(const float* matrix, std::int64_t rows, std::int64_t width, PanelRows place, std::int64_t begin,
                     std::int64_t end, float* panels) {
  const std::int64_t whole = std::min(end, width / kColumns), left = width % kColumns;
  const bool has_narrow = begin < end && whole < end;
  for (std::int64_t r = 0; r < rows; ++r) {
    const float* const from = matrix + r * width;
    float* const to = panels + (place.first + r) * kColumns;
    for (std::int64_t p = begin; p < whole; ++p) {
      std::memcpy(to + p * place.all * kColumns, from + p * kColumns, kColumns * sizeof(float));
    }
    if (!has_narrow) continue;
    float* const last = to + whole * place.all * kColumns;
    std::fill(std::copy_n(from + whole * kColumns, left, last), last + kColumns, 0.F);
  }
}

}  // namespace plume
