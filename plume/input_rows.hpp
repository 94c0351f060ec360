// The rows of one split as the networks take them: pooled features, or normalised images (method.md sections 1.4 and
// 2).
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>

namespace plume {

/// Mean and standard deviation of each colour channel, in units of [0, 1].
struct ChannelStatistics {
  std::array<double, 3> mean{};
  std::array<double, 3> std_dev{};
};

/// Of images [n >= 1, 3, H, W] uint8: pooled over all their pixels, population standard deviation. Exact sums.
ChannelStatistics statistics_of(const at::Tensor& images);

/// Rows that become networks' input [N, D] batch by batch. Handles only, nothing is copied but by on().
class InputRows {
 public:
  /// A backbone's features [n, L] float32, pooled to D = `dimension`.
  static InputRows features(at::Tensor rows, std::int64_t dimension);
  /// Images [n, 3, 32, 32] uint8: (v / 255 - mean) / std a channel, flattened to D = 3072. A channel without spread is
  /// only centred.
  static InputRows images(at::Tensor rows, const ChannelStatistics& statistics);

  /// The same rows in the memory of `device`, features pooled once for all: a GPU has one warp a row for it, which a
  /// step would wait for each time.
  InputRows on(at::Device device) const;

  std::int64_t size() const { return rows_.size(0); }
  std::int64_t dimension() const { return dimension_; }
  at::Device device() const { return rows_.device(); }
  /// Rows `indices` [N] int64 as [N, D] of `dtype`.
  at::Tensor select(const at::Tensor& indices, at::ScalarType dtype) const;
  /// Rows [begin, begin + count) as [count, D] of `dtype`.
  at::Tensor slice(std::int64_t begin, std::int64_t count, at::ScalarType dtype) const;

 private:
  InputRows(at::Tensor rows, std::int64_t dimension) : rows_(std::move(rows)), dimension_(dimension) {}
  at::Tensor prepared(const at::Tensor& rows, at::ScalarType dtype) const;

  at::Tensor rows_;
  std::int64_t dimension_;
  at::Tensor mean_, std_dev_;  ///< [1, 3, 1, 1] doubles; undefined for features
};

}  // namespace plume
