// The steps of row_maker, and back.
#include "workers/model_view.hpp"

#include <ATen/ATen.h>

#include "plume/backbone.hpp"
#include "workers/row_scan.hpp"

namespace workers {

ModelView view_of_model(const datasets::Image& image, int first_square, const ChannelStatistics& statistics,
                        int square) {
  const auto input =
      plume::preprocess(as_tensor(image).unsqueeze(0), statistics.mean, statistics.std_dev, square, first_square);
  const auto channels = [](const std::array<double, 3>& values) {
    return at::tensor({values[0], values[1], values[2]}, at::kDouble).view({1, 3, 1, 1});
  };
  const auto values = input.to(at::kDouble).mul(channels(statistics.std_dev)).add(channels(statistics.mean));
  const auto bytes = values.mul(255).round().clamp(0, 255).to(at::kByte).squeeze(0).permute({1, 2, 0}).contiguous();
  ModelView view;
  view.picture.width = view.picture.height = square;
  view.picture.rgb.assign(bytes.const_data_ptr<std::uint8_t>(), bytes.const_data_ptr<std::uint8_t>() + bytes.numel());
  view.least = input.min().item<double>();
  view.most = input.max().item<double>();
  return view;
}

}  // namespace workers
