// Pooling of features, normalisation of images.
#include "plume/input_rows.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "plume/adaptive_pool.hpp"

namespace plume {
namespace {

constexpr double kLargestByte = 255;
constexpr std::int64_t kPiece = 1024;  ///< images at a time

/// [1, 3, 1, 1].
at::Tensor per_channel(const std::array<double, 3>& values) {
  return at::tensor(at::ArrayRef<double>(values), at::kDouble).view({1, 3, 1, 1});
}

/// In pieces: LibTorch's kernel for GPUs counts a result's values in an int.
at::Tensor pooled_once(const at::Tensor& rows, std::int64_t dimension) {
  constexpr std::int64_t kRows = 65'536;
  if (rows.size(1) == dimension) return rows;
  at::Tensor pooled = at::empty({rows.size(0), dimension}, rows.options());
  for (std::int64_t begin = 0; begin < rows.size(0); begin += kRows) {
    const std::int64_t count = std::min(kRows, rows.size(0) - begin);
    pooled.narrow(0, begin, count).copy_(adaptive_pool(rows.narrow(0, begin, count), dimension));
  }
  return pooled;
}

}  // namespace

ChannelStatistics statistics_of(const at::Tensor& images) {
  const double pixels = static_cast<double>(images.numel()) / 3;
  // Bytes and their squares are summed in int64, so that no order of rows changes a bit.
  at::Tensor sums = at::zeros({3}, at::kLong), squares = at::zeros({3}, at::kLong);
  for (std::int64_t begin = 0; begin < images.size(0); begin += kPiece) {
    const at::Tensor piece = images.narrow(0, begin, std::min(kPiece, images.size(0) - begin)).to(at::kLong);
    sums += piece.sum({0, 2, 3});
    squares += at::mul(piece, piece).sum({0, 2, 3});
  }
  ChannelStatistics statistics;
  for (std::size_t c = 0; c < 3; ++c) {
    const auto channel = static_cast<std::int64_t>(c);
    const double mean = static_cast<double>(sums[channel].item<std::int64_t>()) / pixels;
    const double square = static_cast<double>(squares[channel].item<std::int64_t>()) / pixels;
    statistics.mean[c] = mean / kLargestByte;
    statistics.std_dev[c] = std::sqrt(std::max(0.0, square - mean * mean)) / kLargestByte;
  }
  return statistics;
}

InputRows InputRows::features(at::Tensor rows, std::int64_t dimension) {
  return {std::move(rows), dimension};
}

InputRows InputRows::images(at::Tensor rows, const ChannelStatistics& statistics) {
  const std::int64_t dimension = rows[0].numel();
  InputRows input(std::move(rows), dimension);
  std::array<double, 3> divisors = statistics.std_dev;
  std::replace(divisors.begin(), divisors.end(), 0.0, 1.0);
  input.mean_ = per_channel(statistics.mean);
  input.std_dev_ = per_channel(divisors);
  return input;
}

InputRows InputRows::on(at::Device device) const {
  const at::Tensor there = rows_.to(device);
  InputRows moved(mean_.defined() ? there : pooled_once(there, dimension_), dimension_);
  if (mean_.defined()) {
    moved.mean_ = mean_.to(device);
    moved.std_dev_ = std_dev_.to(device);
  }
  return moved;
}

at::Tensor InputRows::prepared(const at::Tensor& rows, at::ScalarType dtype) const {
  if (!mean_.defined()) return adaptive_pool(rows.to(dtype), dimension_);
  const at::Tensor images = rows.to(dtype) / kLargestByte;
  return ((images - mean_.to(dtype)) / std_dev_.to(dtype)).flatten(1);
}

at::Tensor InputRows::select(const at::Tensor& indices, at::ScalarType dtype) const {
  return prepared(rows_.index_select(0, indices), dtype);
}

at::Tensor InputRows::slice(std::int64_t begin, std::int64_t count, at::ScalarType dtype) const {
  return prepared(rows_.narrow(0, begin, count), dtype);
}

}  // namespace plume
