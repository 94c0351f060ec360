// Products of a few rows and a large weight: the forward pass of a linear layer, and the gradient of its input. The
// weight is read in place and once; the rows lie in the caches. Plain arrays, no LibTorch. Sums are made in an order
// that depends on the shape alone.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "plume/share_out.hpp"

namespace plume {

inline constexpr std::int64_t kMostSkinnyRows = 64;

/// y = x W^T + bias, W [out, in].
class SkinnyForward {
 public:
  /// `kind`: of vector_kinds(); "": the last.
  explicit SkinnyForward(const std::string& kind = "");
  ~SkinnyForward();
  SkinnyForward(const SkinnyForward&) = delete;
  SkinnyForward& operator=(const SkinnyForward&) = delete;

  /// Copies x [rows <= kMostSkinnyRows, in], contiguous, into memory that is kept for the next.
  void lay_out(const float* x, std::int64_t rows, std::int64_t in, const ShareOut& share_out = do_alone);
  /// Blocks of rows of a weight of `out` rows: what threads share out. The bits do not depend on how.
  std::int64_t blocks(std::int64_t out) const;
  /// Of y [rows, out] the columns that the blocks [begin, end) make. `weight` [out, in] and y are contiguous; `bias`
  /// [out] or null.
  void compute(const float* weight, const float* bias, std::int64_t out, float* y, std::int64_t begin,
               std::int64_t end) const;

 private:
  struct Layout;
  std::unique_ptr<Layout> layout_;
};

/// dx = dy W, W [out, in].
class SkinnyGradient {
 public:
  /// `kind`: of vector_kinds(); "": the last.
  explicit SkinnyGradient(const std::string& kind = "");
  ~SkinnyGradient();
  SkinnyGradient(const SkinnyGradient&) = delete;
  SkinnyGradient& operator=(const SkinnyGradient&) = delete;

  /// Copies dy [rows <= kMostSkinnyRows, out], contiguous, into memory that is kept for the next.
  void lay_out(const float* dy, std::int64_t rows, std::int64_t out, const ShareOut& share_out = do_alone);
  /// Blocks of columns of a weight of `in` columns: what threads share out. The bits do not depend on how.
  std::int64_t blocks(std::int64_t in) const;
  /// Of dx [rows, in] the columns of the blocks [begin, end). `weight` [out, in] and dx are contiguous.
  void compute(const float* weight, std::int64_t in, float* dx, std::int64_t begin, std::int64_t end) const;

 private:
  struct Layout;
  std::unique_ptr<Layout> layout_;
};

}  // namespace plume
