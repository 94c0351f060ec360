// Mean of the training rows, then one distance a test row.
#include "plume/mean_distance.hpp"

#include <ATen/ATen.h>

#include "plume/feature_scaling.hpp"

namespace plume {

at::Tensor mean_row(const at::Tensor& rows, sweeps::FeatureScaling scaling, const std::function<void()>& on_progress) {
  const at::NoGradGuard no_grad;
  // Of the differences from the first row: equal rows then have no rounding, and a large offset costs no digits.
  const at::Tensor first = scaled(rows.narrow(0, 0, 1), scaling).squeeze(0);
  at::Tensor sum = at::zeros_like(first);
  for_each_piece(rows, scaling, [&](std::int64_t, const at::Tensor& piece) {
    sum += (piece - first).sum(0);
    on_progress();
  });
  return first + sum / rows.size(0);
}

std::vector<double> mean_distance_scores(sweeps::FeatureScaling scaling, const at::Tensor& train,
                                         const at::Tensor& test, const std::function<void()>& on_progress) {
  const at::NoGradGuard no_grad;
  const at::Tensor mean = mean_row(train, scaling, on_progress).unsqueeze(0);
  std::vector<double> scores;
  scores.reserve(static_cast<std::size_t>(test.size(0)));
  for_each_piece(test, scaling, [&](std::int64_t, const at::Tensor& piece) {
    const at::Tensor far = distances(piece, mean).contiguous();
    const double* values = far.const_data_ptr<double>();
    for (std::int64_t i = 0; i < far.numel(); ++i) scores.push_back(-values[i]);
    on_progress();
  });
  return scores;
}

}  // namespace plume
