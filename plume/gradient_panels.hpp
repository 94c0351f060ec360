// What the two kernels have in common that make dx = dy W: a piece of W in registers, a few rows of it, three vectors
// wide, by which the rows of dx pass, whose sums lie in the first caches. So W is read in place. (With the sums in
// registers it would have to be copied together first, since the rows of a narrow piece fall on the same few lines of
// the cache: that took a third of the time.) For the kernels' own files alone.
#pragma once

#include <algorithm>
#include <cstdint>

#include "plume/vectors.hpp"

namespace plume {

inline constexpr int kVectorsOfPanel = 3;  ///< of a panel of columns of W: one piece wide
template <typename Vector>
inline constexpr std::int64_t kPanelOf = kVectorsOfPanel* kLanesOf<Vector>;

/// Rows of W whose products are summed before they are added to dx: as many pages as the processor remembers; and
/// partial sums round less.
inline constexpr std::int64_t kRowsOfSection = 512;

/// The sums are made for an even number of rows: two at a time hide more of the latency.
constexpr std::int64_t even(std::int64_t rows) {
  return rows + rows % 2;
}

/// Adds to `sums` [rows][panel] the product of `factors` [rows][kGroup] and a piece of W, whose rows begin at `w`.
/// Before row n of the first kTimes it calls meanwhile(n).
template <typename Vector, int kGroup, int kTimes, typename Meanwhile>
[[gnu::always_inline]] inline void add_products(const float* const (&w)[kGroup], const float* factors,
                                                std::int64_t rows, float* sums, const Meanwhile& meanwhile) {
  constexpr std::int64_t kLanes = kLanesOf<Vector>;
  Vector piece[kGroup][kVectorsOfPanel];
#pragma GCC unroll 8
  for (int r = 0; r < kGroup; ++r) {
#pragma GCC unroll 3
    for (int v = 0; v < kVectorsOfPanel; ++v) piece[r][v] = load<Vector>(w[r] + v * kLanes);
  }
  const auto add_row = [&](std::int64_t n) __attribute__((always_inline)) {
    float* const to = sums + n * kPanelOf<Vector>;
    Vector sum[kVectorsOfPanel];
#pragma GCC unroll 3
    for (int v = 0; v < kVectorsOfPanel; ++v) sum[v] = load<Vector>(to + v * kLanes);
#pragma GCC unroll 8
    for (int r = 0; r < kGroup; ++r) {
      const float factor = factors[n * kGroup + r];
#pragma GCC unroll 3
      for (int v = 0; v < kVectorsOfPanel; ++v) sum[v] += factor * piece[r][v];
    }
#pragma GCC unroll 3
    for (int v = 0; v < kVectorsOfPanel; ++v) store(to + v * kLanes, sum[v]);
  };
  std::int64_t n = 0;
  for (const std::int64_t first = std::min<std::int64_t>(rows, even(kTimes)); n < first; n += 2) {
    meanwhile(n);
    meanwhile(n + 1);
    add_row(n);
    add_row(n + 1);
  }
  for (; n < rows; n += 2) {
    add_row(n);
    add_row(n + 1);
  }
}

/// The sums `tile` [panels][even(rows)][kPanel] of the panels [begin, end) to dx [rows, in]: there where `first`, else
/// to what is there.
template <std::int64_t kPanel>
[[gnu::always_inline]] inline void put_sums(const float* tile, std::int64_t rows, std::int64_t in, std::int64_t begin,
                                            std::int64_t end, bool first, float* dx) {
  for (std::int64_t p = begin; p < end; ++p) {
    const std::int64_t column = p * kPanel, width = std::min(kPanel, in - column);
    for (std::int64_t n = 0; n < rows; ++n) {
      const float* __restrict const sums = tile + ((p - begin) * even(rows) + n) * kPanel;
      float* __restrict const to = dx + n * in + column;
      for (std::int64_t c = 0; c < width; ++c) to[c] = first ? sums[c] : to[c] + sums[c];
    }
  }
}

}  // namespace plume
