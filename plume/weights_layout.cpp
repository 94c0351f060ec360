// Bounds of strided views, and the copy that removes the strides.
#include "plume/weights_layout.hpp"

#include <cstring>

namespace plume {

std::optional<std::int64_t> checked_product(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
  return result;
}

std::optional<std::int64_t> checked_sum(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) return std::nullopt;
  return result;
}

std::optional<std::int64_t> element_count(const std::vector<std::int64_t>& sizes) {
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) {
    if (size < 0) return std::nullopt;
    const auto product = checked_product(count, size);
    if (!product) return std::nullopt;
    count = *product;
  }
  return count;
}

std::string fault_of(const TensorView& view, std::int64_t count) {
  if (view.sizes.size() != view.strides.size()) return "has sizes and strides of different lengths";
  if (view.sizes.size() > kMostDimensions) return "has more than 64 dimensions";
  if (view.offset < 0) return "has a negative offset";
  for (const std::int64_t stride : view.strides) {
    if (stride < 0) return "has a negative stride";
  }
  const auto elements = element_count(view.sizes);
  if (!elements) return "has a negative size, or more elements than 63 bits can count";
  if (*elements == 0) return "";
  std::optional<std::int64_t> last = view.offset;
  for (std::size_t d = 0; d < view.sizes.size() && last; ++d) {
    const auto reach = checked_product(view.sizes[d] - 1, view.strides[d]);
    last = reach ? checked_sum(*last, *reach) : std::nullopt;
  }
  if (!last || *last >= count) return "reaches beyond the end of its storage";
  return "";
}

namespace {

/// Copies element by element: an odometer over all dimensions but the last, a loop over the last. Every dimension has
/// two elements or more, so that the odometer takes no more steps than there are elements.
template <std::size_t kSize>
void copy_strided(const TensorView& view, const char* storage, char* out) {
  const std::size_t last = view.sizes.size() - 1;
  std::vector<std::int64_t> index(view.sizes.size(), 0);
  std::int64_t from = view.offset;
  for (;;) {
    for (std::int64_t i = 0; i < view.sizes[last]; ++i, out += kSize) {
      std::memcpy(out, storage + static_cast<std::size_t>(from + i * view.strides[last]) * kSize, kSize);
    }
    std::size_t d = last;
    while (d-- > 0) {
      if (index[d] + 1 < view.sizes[d]) {
        ++index[d];
        from += view.strides[d];
        break;
      }
      from -= index[d] * view.strides[d];
      index[d] = 0;
    }
    if (d == static_cast<std::size_t>(-1)) return;
  }
}

}  // namespace

TensorView joined(const TensorView& view) {
  TensorView result{view.storage, view.offset, {}, {}};
  for (std::size_t d = 0; d < view.sizes.size(); ++d) {
    const std::int64_t size = view.sizes[d], stride = view.strides[d];
    if (size == 1) continue;  // its stride may be anything
    if (!result.sizes.empty() && checked_product(size, stride) == result.strides.back()) {
      result.sizes.back() *= size;
      result.strides.back() = stride;
    } else {
      result.sizes.push_back(size);
      result.strides.push_back(stride);
    }
  }
  return result;
}

std::string contiguous_bytes(const TensorView& given, Dtype dtype, std::string_view storage) {
  const std::size_t size = size_of(dtype);
  const auto elements = static_cast<std::size_t>(element_count(given.sizes).value());
  if (elements == 0) return {};
  const TensorView view = joined(given);
  if (view.sizes.empty() || (view.sizes.size() == 1 && view.strides[0] == 1))
    return std::string(storage.substr(static_cast<std::size_t>(view.offset) * size, elements * size));
  std::string out(elements * size, '\0');
  switch (size) {
    case 1:
      copy_strided<1>(view, storage.data(), out.data());
      break;
    case 2:
      copy_strided<2>(view, storage.data(), out.data());
      break;
    case 4:
      copy_strided<4>(view, storage.data(), out.data());
      break;
    default:
      copy_strided<8>(view, storage.data(), out.data());
      break;
  }
  return out;
}

}  // namespace plume
