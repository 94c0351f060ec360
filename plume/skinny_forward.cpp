// y = x W^T with the batch in the vectors: x lies transposed in panels of two vectors, and a few rows of W times a
// panel are sums in registers. W is taken in blocks of columns, so that the panels' part stays in the first cache; the
// sums of some dozen rows wait in a tile, and what comes next of W is asked for while they are made.
#include <algorithm>

#include "plume/panels.hpp"
#include "plume/skinny_product.hpp"
#include "plume/vectors.hpp"

namespace plume {
namespace {

constexpr std::int64_t kBlockColumns = 128;  // of W
constexpr std::int64_t kGroupsOfTile = 8;    // of rows of W
constexpr std::int64_t kFloatsOfLine = 16;

/// What one thread does.
struct Share {
  const float* panels;  ///< [panels][in][2 vectors]
  std::int64_t rows, in, out;
  const float* weight;
  const float* bias;
  float* y;
  std::int64_t begin, end;  ///< groups of rows of W
};

/// kRows rows of W times `count` columns of a panel: added to `sums` [kRows][2 vectors], or put there where `first`.
/// Meanwhile what lies `ahead` is asked for, where there is a panel after which it is needed.
template <typename Vector, int kRows, bool kAsk>
[[gnu::always_inline]] inline void add_products(const float* const (&w)[kRows], std::ptrdiff_t ahead,
                                                const float* panel, std::int64_t count, bool first, float* sums) {
  constexpr std::int64_t kLanes = kLanesOf<Vector>;
  Vector sum[kRows][2] = {};
  std::int64_t k = 0;
  const auto add_column = [&]() __attribute__((always_inline)) {
    const auto x0 = load<Vector>(panel + 2 * kLanes * k), x1 = load<Vector>(panel + 2 * kLanes * k + kLanes);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      sum[r][0] += w[r][k] * x0;
      sum[r][1] += w[r][k] * x1;
    }
    ++k;
  };
  while (k + kFloatsOfLine <= count) {
    if constexpr (kAsk) {
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) __builtin_prefetch(w[r] + k + ahead);
    }
#pragma GCC unroll 4
    for (int i = 0; i < kFloatsOfLine; ++i) add_column();
  }
  while (k < count) add_column();
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 2
    for (int v = 0; v < 2; ++v) {
      float* const to = sums + (2 * r + v) * kLanes;
      if (!first) sum[r][v] += load<Vector>(to);
      store(to, sum[r][v]);
    }
  }
}

/// The tile [groups][panels][kRows][kPanel] to y, whose first column is row `row` of W.
template <int kRows, std::int64_t kPanel>
void put(const Share& share, const float* tile, std::int64_t row, std::int64_t groups) {
  const std::int64_t panels = pieces(share.rows, kPanel);
  for (std::int64_t n = 0; n < share.rows; ++n) {
    for (std::int64_t g = 0; g < groups; ++g) {
      const float* const sums = tile + (g * panels + n / kPanel) * kRows * kPanel + n % kPanel;
      const std::int64_t first = row + g * kRows, count = std::min<std::int64_t>(kRows, share.out - first);
      for (std::int64_t r = 0; r < count; ++r) {
        share.y[n * share.out + first + r] = sums[r * kPanel] + (share.bias ? share.bias[first + r] : 0.F);
      }
    }
  }
}

template <typename Vector, int kRows>
[[gnu::always_inline]] inline void compute_share(const Share& share) {
  constexpr std::int64_t kPanel = 2 * kLanesOf<Vector>;
  static_assert(kMostSkinnyRows % kPanel == 0);
  alignas(64) float tile[kGroupsOfTile * kRows * kMostSkinnyRows];
  const std::int64_t panels = pieces(share.rows, kPanel);
  for (std::int64_t block = share.begin; block < share.end; block += kGroupsOfTile) {
    const std::int64_t groups = std::min(kGroupsOfTile, share.end - block);
    for (std::int64_t first = 0; first < share.in; first += kBlockColumns) {
      const std::int64_t count = std::min(kBlockColumns, share.in - first);
      for (std::int64_t g = 0; g < groups; ++g) {
        const float* w[kRows];  // beyond the last row: it again, whose sums nobody reads
        for (int r = 0; r < kRows; ++r)
          w[r] = share.weight + std::min((block + g) * kRows + r, share.out - 1) * share.in + first;
        const std::ptrdiff_t ahead =
            g + 1 < groups ? kRows * share.in : kBlockColumns - (groups - 1) * kRows * share.in;
        for (std::int64_t p = 0; p < panels; ++p) {
          const float* const panel = share.panels + (p * share.in + first) * kPanel;
          float* const sums = tile + (g * panels + p) * kRows * kPanel;
          if (p == 0)
            add_products<Vector, kRows, true>(w, ahead, panel, count, first == 0, sums);
          else
            add_products<Vector, kRows, false>(w, ahead, panel, count, first == 0, sums);
        }
      }
    }
    put<kRows, kPanel>(share, tile, block * kRows, groups);
  }
}

void compute_portable(const Share& share) {
  compute_share<Vector4, 6>(share);
}
#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] void compute_avx2(const Share& share) {
  compute_share<Vector8, 6>(share);
}
[[gnu::target("avx512f")]] void compute_avx512(const Share& share) {
  compute_share<Vector16, 8>(share);
}
#endif

struct Kind {
  std::int64_t rows, panel;
  void (*compute)(const Share& share);
};

constexpr Kind kKinds[] = {{6, 8, compute_portable},
#if defined(__x86_64__)
                           {6, 16, compute_avx2},
                           {8, 32, compute_avx512}
#endif
};

/// Columns [begin, end) of four rows of x, `in` apart, to lanes of a panel.
void transpose_four(const float* x, std::int64_t in, std::int64_t begin, std::int64_t end, std::int64_t panel,
                    float* to) {
  std::int64_t k = begin;
  for (; k + 4 <= end; k += 4) {
    const auto a = load<Vector4>(x + k), b = load<Vector4>(x + in + k);
    const auto c = load<Vector4>(x + 2 * in + k), d = load<Vector4>(x + 3 * in + k);
    const Vector4 ab01 = __builtin_shufflevector(a, b, 0, 4, 1, 5), ab23 = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    const Vector4 cd01 = __builtin_shufflevector(c, d, 0, 4, 1, 5), cd23 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    store(to + k * panel, Vector4(__builtin_shufflevector(ab01, cd01, 0, 1, 4, 5)));
    store(to + (k + 1) * panel, Vector4(__builtin_shufflevector(ab01, cd01, 2, 3, 6, 7)));
    store(to + (k + 2) * panel, Vector4(__builtin_shufflevector(ab23, cd23, 0, 1, 4, 5)));
    store(to + (k + 3) * panel, Vector4(__builtin_shufflevector(ab23, cd23, 2, 3, 6, 7)));
  }
  for (; k < end; ++k) {
    for (int i = 0; i < 4; ++i) to[k * panel + i] = x[i * in + k];
  }
}

/// Columns [begin, end) of x [rows, in] to panels [in, panel] of rows; the last panel's missing rows are 0.
void transpose(const float* x, std::int64_t rows, std::int64_t in, std::int64_t begin, std::int64_t end,
               std::int64_t panel, float* panels) {
  const auto lane = [&](std::int64_t n) { return panels + n / panel * panel * in + n % panel; };
  if (rows % panel != 0) std::fill_n(lane(rows / panel * panel) + begin * panel, (end - begin) * panel, 0.F);
  std::int64_t n = 0;
  for (; n + 4 <= rows; n += 4) transpose_four(x + n * in, in, begin, end, panel, lane(n));
  for (; n < rows; ++n) {
    for (std::int64_t k = begin; k < end; ++k) lane(n)[k * panel] = x[n * in + k];
  }
}

}  // namespace

struct SkinnyForward::Layout {
  Kind kind;
  Floats panels;
  std::int64_t rows = 0, in = 0;
};

SkinnyForward::SkinnyForward(const std::string& kind) : layout_(std::make_unique<Layout>()) {
  layout_->kind = kKinds[index_of_vector_kind(kind)];
}
SkinnyForward::~SkinnyForward() = default;

void SkinnyForward::lay_out(const float* x, std::int64_t rows, std::int64_t in, const ShareOut& share_out) {
  auto& l = *layout_;
  l.rows = rows;
  l.in = in;
  const std::int64_t panel = l.kind.panel;
  make_room(l.panels, pieces(rows, panel) * panel * in);
  share_out(pieces(in, kFloatsOfLine), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t line = begin; line < end; ++line) {  // a line of each row is read but once
      const std::int64_t column = line * kFloatsOfLine;
      transpose(x, rows, in, column, std::min(column + kFloatsOfLine, in), panel, l.panels.data());
    }
  });
}

std::int64_t SkinnyForward::blocks(std::int64_t out) const {
  return pieces(out, layout_->kind.rows);
}

void SkinnyForward::compute(const float* weight, const float* bias, std::int64_t out, float* y, std::int64_t begin,
                            std::int64_t end) const {
  const auto& l = *layout_;
  l.kind.compute({l.panels.data(), l.rows, l.in, out, weight, bias, y, begin, end});
}

}  // namespace plume
