// AdamW of a linear layer's weight whose gradient never is in memory: it is a product of few rows, made piece by piece
// in registers where the update needs it. The gradient of the layer's input can be made in the same pass over the
// weight. Plain arrays, no LibTorch.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "plume/adamw_step.hpp"
#include "plume/share_out.hpp"

namespace plume {

/// What a pass of a layer left: the gradient of its output and its input, both [rows, ...] and contiguous. The weight's
/// gradient is the sum over passes of output_gradient^T input.
struct LayerPass {
  const float* output_gradient;  ///< [rows, out]
  const float* input;            ///< [rows, in]
  std::int64_t rows;
};

/// A weight and its moments: [out, in] as laid out, contiguous.
struct WeightState {
  float* weight;
  float* first_moment;
  float* second_moment;
};

/// The passes of one layer after another, laid out for the update, in memory that is kept from step to step.
class FoldedUpdate {
 public:
  /// `kind`: of vector_kinds(); "": the last.
  explicit FoldedUpdate(const std::string& kind = "");
  ~FoldedUpdate();
  FoldedUpdate(FoldedUpdate&&) noexcept;
  FoldedUpdate& operator=(FoldedUpdate&&) = delete;

  /// Copies the passes of a weight [out, in].
  void lay_out(const std::vector<LayerPass>& passes, std::int64_t out, std::int64_t in,
               const ShareOut& share_out = do_alone);
  /// Blocks of columns of the weight: what threads share out. The bits do not depend on how.
  std::int64_t blocks() const;
  /// Updates the blocks [begin, end) in place: reads weight and moments once and writes them once.
  void update(const WeightState& state, const AdamWStep& step, std::int64_t begin, std::int64_t end) const;
  /// The same, and of dx [rows, in] = dy W these columns, by the weight as it was: the bits of SkinnyGradient
  /// (skinny_product.hpp). One pass has been laid out, of at most kMostSkinnyRows.
  void update_behind(const WeightState& state, const AdamWStep& step, float* dx, std::int64_t begin,
                     std::int64_t end) const;

 private:
  struct Layout;
  std::unique_ptr<Layout> layout_;
};

}  // namespace plume
