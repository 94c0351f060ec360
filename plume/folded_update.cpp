// For a few rows of the weight at a time, the gradient in tiles of registers into a strip that stays in the first
// cache; then row by row the update. While the gradient is made, what the update will read is on its way there: a
// kilobyte of each row and moment at a time (in long strips nothing overlaps, in tiles of 64 bytes memory is twice as
// slow). One text serves AVX-512, AVX2 and any other processor (vectors.hpp).
#include "plume/folded_update.hpp"

#include <algorithm>

#include "plume/panels.hpp"
#include "plume/vectors.hpp"

namespace plume {
namespace {

constexpr std::int64_t kTileRows = 6;       // 12 sums, 2 inputs and 1 factor fit 16 registers
constexpr std::int64_t kPanelColumns = 32;  // of the packed inputs: two vectors of AVX-512, four of AVX2
constexpr std::int64_t kStripColumns = 256;
constexpr std::int64_t kLineFloats = 16;  // of a cache line

template <typename Vector>
[[gnu::always_inline]] inline Vector root(const Vector& of) {
  Vector result;
  for (std::size_t i = 0; i < sizeof(Vector) / sizeof(float); ++i) result[i] = __builtin_sqrtf(of[i]);
  return result;
}

/// Of one vector of the weight, g its gradient: adamw.hpp.
template <typename Vector>
[[gnu::always_inline]] inline void update_vector(const WeightState& state, const float* gradient,
                                                 const AdamWStep& step) {
  const auto g = load<Vector>(gradient);
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

/// `count` columns of a row. The last ones, less than a vector, in a copy that is one: all have the same arithmetic.
template <typename Vector>
[[gnu::always_inline]] inline void update_row(const WeightState& row, const float* gradient, std::int64_t count,
                                              const AdamWStep& step) {
  constexpr std::int64_t kLanes = kLanesOf<Vector>;
  std::int64_t c = 0;
  for (; c + kLanes <= count; c += kLanes) update_vector<Vector>(at(row, c), gradient + c, step);
  const std::int64_t left = count - c;
  if (left == 0) return;
  float copy[3][kLanes] = {};
  float* const last[3] = {row.weight + c, row.first_moment + c, row.second_moment + c};
  for (int i = 0; i < 3; ++i) std::copy_n(last[i], left, copy[i]);
  update_vector<Vector>({copy[0], copy[1], copy[2]}, gradient + c, step);
  for (int i = 0; i < 3; ++i) std::copy_n(copy[i], left, last[i]);
}

/// The gradient of kTileRows rows and two vectors of columns, from panels of `depth`, into a strip.
template <typename Vector>
[[gnu::always_inline]] inline void make_tile(const float* input, const float* output_gradient, std::int64_t depth,
                                             float* strip) {
  constexpr std::int64_t kLanes = kLanesOf<Vector>;
  Vector sums[kTileRows][2] = {};
  for (std::int64_t k = 0; k < depth; ++k) {
    const auto x0 = load<Vector>(input + k * kPanelColumns);
    const auto x1 = load<Vector>(input + k * kPanelColumns + kLanes);
#pragma GCC unroll 6
    for (std::int64_t r = 0; r < kTileRows; ++r) {
      const float dy = output_gradient[k * kTileRows + r];
      sums[r][0] += dy * x0;
      sums[r][1] += dy * x1;
    }
  }
#pragma GCC unroll 6
  for (std::int64_t r = 0; r < kTileRows; ++r) {
    store(strip + r * kStripColumns, sums[r][0]);
    store(strip + r * kStripColumns + kLanes, sums[r][1]);
  }
}

/// Asks memory for `count` columns of `rows` rows of a weight and its moments, which are going to be written.
[[gnu::always_inline]] inline void ask_for(const WeightState& state, std::int64_t rows, std::int64_t in,
                                           std::int64_t count) {
  for (std::int64_t r = 0; r < rows; ++r) {
    const WeightState row = at(state, r * in);
    for (std::int64_t c = 0; c < count; c += kLineFloats) {
      __builtin_prefetch(row.weight + c, /*written=*/1);
      __builtin_prefetch(row.first_moment + c, 1);
      __builtin_prefetch(row.second_moment + c, 1);
    }
  }
}

/// What one thread does.
struct Share {
  const WeightState& state;
  const float* inputs;            ///< panels of columns
  const float* output_gradients;  ///< panels of rows
  std::int64_t depth;
  std::int64_t out, in;
  std::int64_t begin, end;  ///< blocks of kTileRows rows
};

template <typename Vector>
[[gnu::always_inline]] inline void update_share(const Share& share, const AdamWStep& step) {
  constexpr std::int64_t kColumns = 2 * kLanesOf<Vector>;
  static_assert(kPanelColumns % kColumns == 0 && kStripColumns % kPanelColumns == 0);
  alignas(64) float strip[kTileRows * kStripColumns];
  for (std::int64_t block = share.begin; block < share.end; ++block) {
    const std::int64_t row = block * kTileRows, rows = std::min(kTileRows, share.out - row);
    const float* output_gradient = share.output_gradients + row * share.depth;
    for (std::int64_t first = 0; first < share.in; first += kStripColumns) {
      const std::int64_t count = std::min(kStripColumns, share.in - first);
      for (std::int64_t c = 0; c < count; c += kColumns) {
        ask_for(at(share.state, row * share.in + first + c), rows, share.in, std::min(kColumns, count - c));
        const std::int64_t panel = (first + c) / kPanelColumns * kPanelColumns;
        make_tile<Vector>(share.inputs + panel * share.depth + (first + c - panel), output_gradient, share.depth,
                          strip + c);
      }
      for (std::int64_t r = 0; r < rows; ++r) {
        update_row<Vector>(at(share.state, (row + r) * share.in + first), strip + r * kStripColumns, count, step);
      }
    }
  }
}

void update_portable(const Share& share, const AdamWStep& step) {
  update_share<Vector4>(share, step);
}
#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] void update_avx2(const Share& share, const AdamWStep& step) {
  update_share<Vector8>(share, step);
}
[[gnu::target("avx512f")]] void update_avx512(const Share& share, const AdamWStep& step) {
  update_share<Vector16>(share, step);
}
#endif

using Kind = void (*)(const Share& share, const AdamWStep& step);
constexpr Kind kKinds[] = {update_portable,
#if defined(__x86_64__)
                           update_avx2, update_avx512
#endif
};

}  // namespace

struct FoldedUpdate::Layout {
  Kind kind;
  Floats inputs, output_gradients;
  std::int64_t depth = 0, out = 0, in = 0;
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
  const std::int64_t columns = pieces(in, kPanelColumns), rows = pieces(out, kTileRows);
  make_room(l.inputs, columns * kPanelColumns * l.depth);
  make_room(l.output_gradients, rows * kTileRows * l.depth);
  share_out(columns, [&](std::int64_t begin, std::int64_t end) {
    std::int64_t first = 0;
    for (const auto& pass : passes) {
      put_into_panels<kPanelColumns>(pass.input, pass.rows, in, {first, l.depth}, begin, end, l.inputs.data());
      first += pass.rows;
    }
  });
  share_out(rows, [&](std::int64_t begin, std::int64_t end) {
    std::int64_t first = 0;
    for (const auto& pass : passes) {
      put_into_panels<kTileRows>(pass.output_gradient, pass.rows, out, {first, l.depth}, begin, end,
                                 l.output_gradients.data());
      first += pass.rows;
    }
  });
}

std::int64_t FoldedUpdate::blocks() const {
  return pieces(layout_->out, kTileRows);
}

void FoldedUpdate::update(const WeightState& state, const AdamWStep& step, std::int64_t begin, std::int64_t end) const {
  const auto& l = *layout_;
  l.kind({state, l.inputs.data(), l.output_gradients.data(), l.depth, l.out, l.in, begin, end}, step);
}

}  // namespace plume
