// Evaluation of a few rows with everything on the way kept.
#include "plume/row_views.hpp"

#include <ATen/ATen.h>

#include "plume/perturbations.hpp"

namespace plume {
namespace {

at::Tensor on_host(const at::Tensor& values) {
  return values.cpu().contiguous();
}

/// x [n, D] -> all of it.
RowViews views_of_input(const Model& model, const at::Tensor& x) {
  const Classified classified = model.classify(x, false);
  return {on_host(x), on_host(classified.embedding), on_host(classified.logit.to(at::kDouble))};
}

at::Tensor input_of(const Model& model, const InputRows& rows, const std::vector<std::int64_t>& indices) {
  return model.normalise(rows.select(at::tensor(indices, at::kLong).to(rows.device()), model.dtype()), false);
}

}  // namespace

RowViews views_of(const Model& model, const InputRows& rows, const std::vector<std::int64_t>& indices) {
  const at::NoGradGuard no_grad;
  return views_of_input(model, input_of(model, rows, indices));
}

RowViews views_of_pseudo_anomalies(const Model& model, const sweeps::TrainingSettings& settings, const InputRows& rows,
                                   const std::vector<std::int64_t>& indices, const Draws& draws) {
  const at::NoGradGuard no_grad;
  const at::Tensor x = input_of(model, rows, indices);
  const at::Tensor eps = draws.noise(0, 0, x.size(0), x.size(1)).to(x.options());
  if (!model.vae) return views_of_input(model, gaussian(x, eps, settings.sigma));
  const at::Tensor output = model.vae->forward(x, eps).output;
  return views_of_input(model, perturb(settings.perturbation, settings.semantics, x, output).anomalies);
}

}  // namespace plume
