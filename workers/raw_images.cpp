// From rows of pixels to channels; the resize is datasets/exact_resize's.
#include "workers/raw_images.hpp"

#include "datasets/exact_resize.hpp"
#include "storage/feature_file.hpp"

namespace workers {

void append_raw_image(const datasets::Image& image, int first_square, std::vector<std::uint8_t>& rows) {
  const auto small = datasets::exact_resize(image, first_square, static_cast<int>(storage::kImageSide));
  for (std::size_t channel = 0; channel < 3; ++channel) {
    for (std::size_t i = channel; i < small.rgb.size(); i += 3) rows.push_back(small.rgb[i]);
  }
}

}  // namespace workers
