// Where a tensor lies in its storage (offset, sizes, strides), proven to stay inside it, and its bytes made contiguous.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plume/weights.hpp"

namespace plume {

/// Elements of one type that tensors look at.
struct StorageInfo {
  Dtype dtype = Dtype::float32;
  std::string_view key;    ///< what the file calls it
  std::int64_t count = 0;  ///< elements, >= 0
};

/// A strided view, as a file describes it; in elements. Example: sizes [2, 3], strides [1, 2], offset 0 is a transposed
/// [3, 2].
struct TensorView {
  std::size_t storage = 0;  ///< index of its StorageInfo
  std::int64_t offset = 0;
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> strides;
};

inline constexpr std::size_t kMostDimensions = 64;

std::optional<std::int64_t> checked_product(std::int64_t a, std::int64_t b);
std::optional<std::int64_t> checked_sum(std::int64_t a, std::int64_t b);
/// The product of all sizes; nothing for a negative size or a product (also a partial one) beyond 63 bits.
std::optional<std::int64_t> element_count(const std::vector<std::int64_t>& sizes);

/// What is wrong with `view` over a storage of `count` elements; empty when every element lies inside.
std::string fault_of(const TensorView& view, std::int64_t count);

/// The same elements in the same order with the fewest dimensions: none of one element, and none that could be joined
/// with the next. A view without fault of at least one element. Example: sizes [1, 2, 3, 1], strides [9, 3, 1, 7]
/// become [6] and [1].
TensorView joined(const TensorView& view);

/// The elements of a view without fault, row-major. `storage` holds the bytes of the whole storage.
std::string contiguous_bytes(const TensorView& view, Dtype dtype, std::string_view storage);

}  // namespace plume
