// The weight passes by in pieces of a few rows and three vectors. Of each: its part of dx, where that is wanted
// (gradient_panels.hpp); its gradient, in registers; the update. All of it is arithmetic that memory has to keep up
// with, so the same piece of the next rows is asked for all along, but not into the first cache: rows that are a
// multiple of 4 KiB apart have the same few places there (and so would the moments have those of their weight, if
// adamw.cpp did not lay them elsewhere). One text serves AVX-512, AVX2 and any other processor
// (vectors.hpp).
#include "plume/folded_update.hpp"

#include <algorithm>

#include "plume/gradient_panels.hpp"
#include "plume/panels.hpp"
#include "plume/skinny_product.hpp"
#include "plume/vectors.hpp"

namespace plume {
namespace {

constexpr std::int64_t kColumnsOfTile = 768;  // long pieces of rows, which memory likes; its sums take part of a cache
constexpr std::int64_t kFloatsOfLine = 16;
constexpr int kSecondCache = 2;  // of __builtin_prefetch

template <typename Vector>
[[gnu::always_inline]] inline Vector root(const Vector& of) {
  Vector result;
  for (std::size_t i = 0; i < sizeof(Vector) / sizeof(float); ++i) result[i] = __builtin_sqrtf(of[i]);
  return result;
}

/// Of one vector of the weight, g its gradient: adamw.hpp.
template <typename Vector>
[[gnu::always_inline]] inline void update_vector(const WeightState& state, const Vector& g, const AdamWStep& step) {
  auto m = load<Vector>(state.first_moment);
  m += step.one_minus_beta1 * (g - m);
  auto v = load<Vector>(state.second_moment);
  v = v * step.beta2 + step.one_minus_beta2 * g * g;
  auto p = load<Vector>(state.weight) * step.decay;
  p -= step.step_size * (m / (root(v) * step.root_scale + step.eps));
  store(state.first_moment, m);
  store(state.second_moment, v);
  store(state.weight, p);
}

WeightState at(const WeightState& state, std::int64_t offset) {
  return {state.weight + offset, state.first_moment + offset, state.second_moment + offset};
}

/// How a kind of vectors goes about it: kGroup rows at a time, the gradients of kGradients of them in registers.
/// kIsLater: a piece is updated while the next one's gradient is made, since roots and divisions have a unit of their
/// own; which takes more registers than there are without AVX-512.
template <typename VectorOfKind, int kRows, int kRowsOfGradient, bool kUpdatesLater>
struct WayOf {
  using Vector = VectorOfKind;
  static constexpr int kGroup = kRows, kGradients = kRowsOfGradient;
  static constexpr bool kIsLater = kUpdatesLater;
  static constexpr std::int64_t kLanes = kLanesOf<Vector>, kPanel = kPanelOf<Vector>;
  static constexpr int kVectors = kGroup * kVectorsOfPanel;  ///< of a piece
  static_assert(kGroup % kGradients == 0 && kColumnsOfTile % kPanel == 0);
};

/// What one thread does.
struct Share {
  const WeightState& state;
  const AdamWStep& step;
  const float* inputs;            ///< [panels][depth][panel]
  const float* output_gradients;  ///< [groups][even(depth)][group]
  std::int64_t depth;
  std::int64_t out, in;
  float* dx;                ///< null: nobody asks for it
  std::int64_t begin, end;  ///< panels
};

/// A piece of weight and moments, its rows `stride` apart, and its gradient, where that is kept.
template <typename Way>
struct Piece {
  using Vector = typename Way::Vector;

  WeightState state{};
  std::int64_t offsets[Way::kVectors];  ///< of its vectors
  alignas(64) float gradient[Way::kVectors * Way::kLanes];

  explicit Piece(std::int64_t stride) {
    for (int i = 0; i < Way::kVectors; ++i) {
      offsets[i] = i / kVectorsOfPanel * stride + i % kVectorsOfPanel * Way::kLanes;
    }
  }
  /// A vector of the piece, g its gradient.
  [[gnu::always_inline]] void update(std::int64_t vector, const Vector& g, const AdamWStep& step) {
    update_vector<Vector>(at(state, offsets[vector]), g, step);
  }
  [[gnu::always_inline]] void keep(std::int64_t vector, const Vector& g) { store(gradient + vector * Way::kLanes, g); }
  [[gnu::always_inline]] void update_kept(std::int64_t vector, const AdamWStep& step) {
    update(vector, load<Vector>(gradient + vector * Way::kLanes), step);
  }
};

/// Rows [kFirst, kFirst + kGradients) of a piece's gradient, summed in registers. Before row k of the first kTimes of
/// the passes it calls meanwhile(k), and at the end put(r, v, sum) with vector v of row r.
template <typename Way, int kFirst, int kTimes, typename Meanwhile, typename Put>
[[gnu::always_inline]] inline void sum_gradient(const float* input, const float* output_gradient, std::int64_t depth,
                                                const Meanwhile& meanwhile, const Put& put) {
  using Vector = typename Way::Vector;
  Vector sums[Way::kGradients][kVectorsOfPanel] = {};
  const auto add_row = [&](std::int64_t k) __attribute__((always_inline)) {
    Vector x[kVectorsOfPanel];
#pragma GCC unroll 3
    for (int v = 0; v < kVectorsOfPanel; ++v) x[v] = load<Vector>(input + k * Way::kPanel + v * Way::kLanes);
#pragma GCC unroll 8
    for (int r = 0; r < Way::kGradients; ++r) {
      const float dy = output_gradient[k * Way::kGroup + kFirst + r];
#pragma GCC unroll 3
      for (int v = 0; v < kVectorsOfPanel; ++v) sums[r][v] += dy * x[v];
    }
  };
  std::int64_t k = 0;
  for (const std::int64_t first = std::min<std::int64_t>(depth, kTimes); k < first; ++k) {
    meanwhile(k);
    add_row(k);
  }
  for (; k < depth; ++k) add_row(k);
#pragma GCC unroll 8
  for (int r = 0; r < Way::kGradients; ++r) {
#pragma GCC unroll 3
    for (int v = 0; v < kVectorsOfPanel; ++v) {
      put(kFirst + r, v, sums[r][v]);
    }
  }
}

/// A thread's way over its share of the weight. kBehind: the update goes behind the input's gradient.
template <typename Way, bool kBehind>
class Sweep {
 public:
  [[gnu::always_inline]] explicit Sweep(const Share& share)
      : share_(share), rows_(even(share.depth)), pieces_{Piece<Way>(share.in), Piece<Way>(share.in)} {
    for (int i = 0; i < kLines; ++i) lines_[i] = i / kLinesOfRow * share.in + i % kLinesOfRow * kFloatsOfLine;
  }

  [[gnu::always_inline]] void run() {
    for (std::int64_t section = 0; section < share_.out; section += kRowsOfSection) {
      const std::int64_t section_end = std::min(section + kRowsOfSection, share_.out);
      for (std::int64_t begin = share_.begin; begin < share_.end; begin += kPanelsOfTile) {
        const std::int64_t end = std::min(begin + kPanelsOfTile, share_.end);
        if (kBehind) std::fill_n(tile_, (end - begin) * rows_ * kPanel, 0.F);
        for (std::int64_t row = section; row < section_end; row += kGroup) {
          const bool is_last = row + kGroup >= section_end;
          ahead_ = is_last ? (section - row) * share_.in + (end - begin) * kPanel : kGroup * share_.in;
          for (std::int64_t p = begin; p < end; ++p) pass_by(row, p, tile_ + (p - begin) * rows_ * kPanel);
        }
        if (kBehind) put_sums<kPanel>(tile_, share_.depth, share_.in, begin, end, section == 0, share_.dx);
      }
    }
    finish_waiting(0);
  }

 private:
  using Vector = typename Way::Vector;
  static constexpr int kGroup = Way::kGroup;
  static constexpr std::int64_t kPanel = Way::kPanel, kPanelsOfTile = kColumnsOfTile / kPanel;
  static constexpr int kLinesOfRow = pieces(kPanel, kFloatsOfLine), kLines = kGroup * kLinesOfRow;

  /// The piece at `row` of panel p, whose part of dx is added to `sums`.
  [[gnu::always_inline]] void pass_by(std::int64_t row, std::int64_t p, float* sums) {
    const WeightState state = at(share_.state, row * share_.in + p * kPanel), next = at(state, ahead_);
    const std::int64_t rows = std::min<std::int64_t>(kGroup, share_.out - row);
    const std::int64_t columns = std::min(kPanel, share_.in - p * kPanel);
    if (rows < kGroup || columns < kPanel) {
      at_the_edge(state, rows, columns, next, row, p, sums);
      return;
    }
    Piece<Way>& piece = pieces_[next_];
    piece.state = state;
    if (kBehind) differentiate(state.weight, share_.in, next, row, sums);
    finish(piece, next, row, p);
    waits_ = Way::kIsLater;
    if (waits_) next_ = 1 - next_;
  }

  /// What comes `next` of weight and first moments is asked for meanwhile.
  [[gnu::always_inline]] void differentiate(const float* weight, std::int64_t stride, const WeightState& next,
                                            std::int64_t row, float* sums) {
    const float* w[kGroup];
    for (int r = 0; r < kGroup; ++r) w[r] = weight + r * stride;
    const auto ask = [&](std::int64_t n) __attribute__((always_inline)) {
      __builtin_prefetch(next.weight + lines_[n], 0, kSecondCache);
      __builtin_prefetch(next.first_moment + lines_[n], 0, kSecondCache);
    };
    add_products<Vector, kGroup, kLines>(w, share_.output_gradients + row * rows_, rows_, sums, ask);
  }

  /// Makes the gradient of `piece` and updates it, or keeps the gradient and updates the piece that waits; asks for
  /// what differentiate() does not.
  template <int kFirst = 0>
  [[gnu::always_inline]] void finish(Piece<Way>& piece, const WeightState& next, std::int64_t row, std::int64_t p,
                                     std::int64_t updated = 0) {
    constexpr int kLast = kFirst + Way::kGradients, kLinesNow = Way::kGradients * kLinesOfRow;
    const auto meanwhile = [&](std::int64_t k) __attribute__((always_inline)) {
      if (k < kLinesNow) {
        const std::int64_t line = lines_[kFirst * kLinesOfRow + k];
        __builtin_prefetch(next.second_moment + line, 0, kSecondCache);
        if (!kBehind) {
          __builtin_prefetch(next.weight + line, 0, kSecondCache);
          __builtin_prefetch(next.first_moment + line, 0, kSecondCache);
        }
      }
      if (Way::kIsLater && waits_ && k % 2 == 0 && updated < Way::kVectors)
        pieces_[1 - next_].update_kept(updated++, share_.step);
    };
    const auto put = [&](int r, int v, const Vector& g) __attribute__((always_inline)) {
      if (Way::kIsLater)
        piece.keep(r * kVectorsOfPanel + v, g);
      else
        piece.update(r * kVectorsOfPanel + v, g, share_.step);
    };
    sum_gradient<Way, kFirst, Way::kIsLater ? 1 << 30 : kLinesNow>(
        share_.inputs + p * share_.depth * kPanel, share_.output_gradients + row * rows_, share_.depth, meanwhile, put);
    if constexpr (kLast < kGroup)
      finish<kLast>(piece, next, row, p, updated);
    else
      finish_waiting(updated);
  }

  [[gnu::always_inline]] void finish_waiting(std::int64_t updated) {
    if (!waits_) return;
    for (; updated < Way::kVectors; ++updated) pieces_[1 - next_].update_kept(updated, share_.step);
    waits_ = false;
  }

  /// A piece of fewer rows or columns, in a copy that is a whole one: all have the same arithmetic.
  [[gnu::always_inline]] void at_the_edge(const WeightState& state, std::int64_t rows, std::int64_t columns,
                                          const WeightState& next, std::int64_t row, std::int64_t p, float* sums) {
    float copy[3][kGroup * kPanel] = {};
    float* const there[3] = {state.weight, state.first_moment, state.second_moment};
    for (int i = 0; i < 3; ++i) {
      for (std::int64_t r = 0; r < rows; ++r) std::copy_n(there[i] + r * share_.in, columns, copy[i] + r * kPanel);
    }
    for (std::int64_t r = rows; r < kGroup; ++r) {  // its last row again, times 0, as skinny_gradient.cpp has it
      std::copy_n(copy[0] + (rows - 1) * kPanel, kPanel, copy[0] + r * kPanel);
    }
    Piece<Way> piece(kPanel);
    piece.state = {copy[0], copy[1], copy[2]};
    if (kBehind) differentiate(copy[0], kPanel, next, row, sums);
    finish(piece, next, row, p);
    for (int i = 0; Way::kIsLater && i < Way::kVectors; ++i) piece.update_kept(i, share_.step);
    for (int i = 0; i < 3; ++i) {
      for (std::int64_t r = 0; r < rows; ++r) std::copy_n(copy[i] + r * kPanel, columns, there[i] + r * share_.in);
    }
  }

  const Share& share_;
  const std::int64_t rows_;  ///< of the tile's sums
  Piece<Way> pieces_[2];     ///< in turn one is made and one waits for its update
  int next_ = 0;
  bool waits_ = false;
  std::int64_t ahead_ = 0;      ///< to what comes after the same piece
  std::int64_t lines_[kLines];  ///< of a piece: offsets
  alignas(64) float tile_[kBehind ? kPanelsOfTile * kMostSkinnyRows * kPanel : 1];
};

template <typename Way>
[[gnu::always_inline]] inline void update_share(const Share& share) {
  if (share.dx == nullptr)
    Sweep<Way, false>(share).run();
  else
    Sweep<Way, true>(share).run();
}

void update_portable(const Share& share) {
  update_share<WayOf<Vector4, 4, 4, false>>(share);
}
#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] void update_avx2(const Share& share) {
  update_share<WayOf<Vector8, 4, 4, false>>(share);
}
[[gnu::target("avx512f")]] void update_avx512(const Share& share) {
  update_share<WayOf<Vector16, 8, 4, true>>(share);
}
#endif

struct Kind {
  std::int64_t group, panel;
  void (*update)(const Share& share);
  decltype(&put_into_panels<4>) put_output_gradients, put_inputs;
};

constexpr Kind kKinds[] = {{4, 12, update_portable, put_into_panels<4>, put_into_panels<12>},
#if defined(__x86_64__)
                           {4, 24, update_avx2, put_into_panels<4>, put_into_panels<24>},
                           {8, 48, update_avx512, put_into_panels<8>, put_into_panels<48>}
#endif
};

}  // namespace

struct FoldedUpdate::Layout {
  Kind kind;
  Floats inputs, output_gradients;
  std::int64_t depth = 0, out = 0, in = 0;

  void update(const WeightState& state, const AdamWStep& step, float* dx, std::int64_t begin, std::int64_t end) const {
    kind.update({state, step, inputs.data(), output_gradients.data(), depth, out, in, dx, begin, end});
  }
};

FoldedUpdate::FoldedUpdate(const std::string& kind) : layout_(std::make_unique<Layout>()) {
  layout_->kind = kKinds[index_of_vector_kind(kind)];
}
FoldedUpdate::~FoldedUpdate() = default;
FoldedUpdate::FoldedUpdate(FoldedUpdate&&) noexcept = default;

void FoldedUpdate::lay_out(const std::vector<LayerPass>& passes, std::int64_t out, std::int64_t in,
                           const ShareOut& share_out) {
  auto& l = *layout_;
  l.out = out;
  l.in = in;
  l.depth = 0;
  for (const auto& pass : passes) l.depth += pass.rows;
  const std::int64_t group = l.kind.group, groups = pieces(out, group), all = even(l.depth);
  const std::int64_t panels = pieces(in, l.kind.panel);
  make_room(l.output_gradients, groups * group * all);
  make_room(l.inputs, panels * l.kind.panel * l.depth);
  share_out(panels, [&](std::int64_t begin, std::int64_t end) {
    std::int64_t first = 0;
    for (const auto& pass : passes) {
      l.kind.put_inputs(pass.input, pass.rows, in, {first, l.depth}, begin, end, l.inputs.data());
      first += pass.rows;
    }
  });
  share_out(groups, [&](std::int64_t begin, std::int64_t end) {
    std::int64_t first = 0;
    for (const auto& pass : passes) {
      l.kind.put_output_gradients(pass.output_gradient, pass.rows, out, {first, all}, begin, end,
                                  l.output_gradients.data());
      first += pass.rows;
    }
    if (all == l.depth) return;
    for (std::int64_t g = begin; g < end; ++g) {
      std::fill_n(l.output_gradients.data() + (g * all + l.depth) * group, group, 0.F);
    }
  });
}

std::int64_t FoldedUpdate::blocks() const {
  return pieces(layout_->in, layout_->kind.panel);
}

void FoldedUpdate::update(const WeightState& state, const AdamWStep& step, std::int64_t begin, std::int64_t end) const {
  layout_->update(state, step, nullptr, begin, end);
}

void FoldedUpdate::update_behind(const WeightState& state, const AdamWStep& step, float* dx, std::int64_t begin,
                                 std::int64_t end) const {
  layout_->update(state, step, dx, begin, end);
}

}  // namespace plume
