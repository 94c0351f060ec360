// dx = dy W: pieces of W in registers (gradient_panels.hpp), the sums of some columns of dx in the first cache.
#include <algorithm>

#include "plume/gradient_panels.hpp"
#include "plume/panels.hpp"
#include "plume/skinny_product.hpp"
#include "plume/vectors.hpp"

namespace plume {
namespace {

constexpr std::int64_t kColumnsOfTile = 192;  // whose sums of 32 rows take half of the first cache
constexpr int kSecondCache = 2;               // of __builtin_prefetch

/// What one thread does.
struct Share {
  const float* factors;  ///< dy: [groups of rows of W][rows][rows of a group]
  std::int64_t rows;     ///< of dx
  std::int64_t in, out;
  const float* weight;
  float* dx;
  std::int64_t begin, end;  ///< panels
};

/// Rows of W one after another, as far as they are wide, with a place for a piece at the edge.
template <int kGroup, std::int64_t kPanel>
struct Pieces {
  const float* rows[kGroup];  ///< beyond the last: it again, times 0
  std::ptrdiff_t ahead;       ///< to what comes after the same piece
  alignas(64) float edge[kGroup * kPanel] = {};

  /// The piece from `column` on, and asks for the one that follows, but not into the first cache: rows that are a
  /// multiple of 4 KiB apart have the same few places there, and would throw each other out.
  [[gnu::always_inline]] void take(std::int64_t column, std::int64_t width, const float* (&piece)[kGroup]) {
    for (int r = 0; r < kGroup; ++r) {
      if (width == kPanel) {
        piece[r] = rows[r] + column;
        for (std::int64_t c = 0; c < kPanel; c += 16) __builtin_prefetch(piece[r] + ahead + c, 0, kSecondCache);
        __builtin_prefetch(piece[r] + ahead + kPanel - 1, 0, kSecondCache);
      } else {
        std::copy_n(rows[r] + column, width, edge + r * kPanel);
        piece[r] = edge + r * kPanel;
      }
    }
  }
};

template <typename Vector, int kGroup>
[[gnu::always_inline]] inline void compute_share(const Share& share) {
  constexpr std::int64_t kPanel = kPanelOf<Vector>, kPanelsOfTile = kColumnsOfTile / kPanel;
  static_assert(kColumnsOfTile % kPanel == 0);
  alignas(64) float tile[kPanelsOfTile * kMostSkinnyRows * kPanel];
  Pieces<kGroup, kPanel> pieces_of_rows;
  const std::int64_t rows = even(share.rows);
  for (std::int64_t section = 0; section < share.out; section += kRowsOfSection) {
    const std::int64_t section_end = std::min(section + kRowsOfSection, share.out);
    for (std::int64_t begin = share.begin; begin < share.end; begin += kPanelsOfTile) {
      const std::int64_t end = std::min(begin + kPanelsOfTile, share.end);
      std::fill_n(tile, (end - begin) * rows * kPanel, 0.F);
      for (std::int64_t row = section; row < section_end; row += kGroup) {
        for (int r = 0; r < kGroup; ++r)
          pieces_of_rows.rows[r] = share.weight + std::min(row + r, share.out - 1) * share.in;
        pieces_of_rows.ahead =
            row + kGroup < section_end ? kGroup * share.in : (section - row) * share.in + (end - begin) * kPanel;
        for (std::int64_t p = begin; p < end; ++p) {
          const float* piece[kGroup];
          pieces_of_rows.take(p * kPanel, std::min(kPanel, share.in - p * kPanel), piece);
          add_products<Vector, kGroup, 0>(piece, share.factors + row * rows, rows, tile + (p - begin) * rows * kPanel,
                                          [](std::int64_t) {});
        }
      }
      put_sums<kPanel>(tile, share.rows, share.in, begin, end, section == 0, share.dx);
    }
  }
}

void compute_portable(const Share& share) {
  compute_share<Vector4, 4>(share);
}
#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] void compute_avx2(const Share& share) {
  compute_share<Vector8, 4>(share);
}
[[gnu::target("avx512f")]] void compute_avx512(const Share& share) {
  compute_share<Vector16, 8>(share);
}
#endif

struct Kind {
  std::int64_t group, panel;
  void (*compute)(const Share& share);
  void (*put)(const float* dy, std::int64_t rows, std::int64_t out, PanelRows place, std::int64_t begin,
              std::int64_t end, float* factors);
};

constexpr Kind kKinds[] = {{4, 12, compute_portable, put_into_panels<4>},
#if defined(__x86_64__)
                           {4, 24, compute_avx2, put_into_panels<4>},
                           {8, 48, compute_avx512, put_into_panels<8>}
#endif
};

}  // namespace

struct SkinnyGradient::Layout {
  Kind kind;
  Floats factors;
  std::int64_t rows = 0, out = 0;
};

SkinnyGradient::SkinnyGradient(const std::string& kind) : layout_(std::make_unique<Layout>()) {
  layout_->kind = kKinds[index_of_vector_kind(kind)];
}
SkinnyGradient::~SkinnyGradient() = default;

void SkinnyGradient::lay_out(const float* dy, std::int64_t rows, std::int64_t out, const ShareOut& share_out) {
  auto& l = *layout_;
  l.rows = rows;
  l.out = out;
  const std::int64_t group = l.kind.group, groups = pieces(out, group), all = even(rows);
  make_room(l.factors, groups * group * all);
  share_out(groups, [&](std::int64_t begin, std::int64_t end) {
    l.kind.put(dy, rows, out, {0, all}, begin, end, l.factors.data());
    if (all == rows) return;
    for (std::int64_t g = begin; g < end; ++g) std::fill_n(l.factors.data() + (g * all + rows) * group, group, 0.F);
  });
}

std::int64_t SkinnyGradient::blocks(std::int64_t in) const {
  return pieces(in, layout_->kind.panel);
}

void SkinnyGradient::compute(const float* weight, std::int64_t in, float* dx, std::int64_t begin,
                             std::int64_t end) const {
  const auto& l = *layout_;
  l.kind.compute({l.factors.data(), l.rows, in, l.out, weight, dx, begin, end});
}

}  // namespace plume
