// Forward passes and initial state of perturbator and classifier (method.md section 2; Fig. 2 of the paper).
#include "plume/networks.hpp"

#include <ATen/ATen.h>

#include <cmath>

namespace plume {
namespace {

constexpr double kLeakySlope = 0.01;
constexpr double kMomentum = 0.1;
constexpr double kFeatureEps = 1e-5;
constexpr double kClassifierEps = 1e-4;

struct Maker {
  const Draws& draws;
  at::ScalarType dtype;

  at::Tensor parameter(const std::string& name, at::IntArrayRef shape, std::int64_t fan_in) const {
    const double bound = 1 / std::sqrt(static_cast<double>(fan_in));
    return draws.initial_weight(name, shape, bound).to(dtype).contiguous().set_requires_grad(true);
  }
  Linear linear(const std::string& name, std::int64_t in, std::int64_t out, bool has_bias) const {
    Linear layer{parameter(name + ".weight", {out, in}, in), {}};
    if (has_bias) layer.bias = parameter(name + ".bias", {out}, in);
    return layer;
  }
  BatchNorm batch_norm(std::int64_t width, double eps) const {
    return {at::zeros({width}, dtype), at::ones({width}, dtype), eps};
  }
};

void append(NamedTensors& list, const std::string& name, const Linear& layer) {
  list.emplace_back(name + ".weight", layer.weight);
  if (layer.bias.defined()) list.emplace_back(name + ".bias", layer.bias);
}

void append(NamedTensors& list, const std::string& name, const BatchNorm& norm) {
  list.emplace_back(name + ".running_mean", norm.running_mean);
  list.emplace_back(name + ".running_var", norm.running_var);
}

bool has_two_halves(sweeps::Perturbation perturbation) {
  return perturbation == sweeps::Perturbation::linear_map || perturbation == sweeps::Perturbation::add_mult;
}

}  // namespace

at::Tensor Linear::forward(const at::Tensor& x) const {
  return bias.defined() ? at::linear(x, weight, bias) : at::linear(x, weight);
}

at::Tensor BatchNorm::forward(const at::Tensor& x, bool training) const {
  return at::batch_norm(x, {}, {}, running_mean, running_var, training, kMomentum, eps, /*cudnn_enabled=*/false);
}

Classifier::Output Classifier::forward(const at::Tensor& x, bool training) const {
  const at::Tensor hidden = at::leaky_relu(fc1_1.forward(fc1_0.forward(x), training), kLeakySlope);
  const at::Tensor embedding = at::leaky_relu(fc1_4.forward(fc1_3.forward(hidden), training), kLeakySlope);
  return {embedding, fc2.forward(embedding).squeeze(1)};
}

Vae::Output Vae::forward(const at::Tensor& x, const at::Tensor& eps) const {
  const at::Tensor hidden = at::leaky_relu(fc1.forward(x), kLeakySlope);
  const at::Tensor mu = fc2.forward(hidden);
  const at::Tensor logvar = fc3.forward(hidden);
  const at::Tensor z = at::addcmul(mu, at::exp(logvar * 0.5), eps);
  return {mu, logvar, fc5.forward(at::leaky_relu(fc4.forward(z), kLeakySlope))};
}

NamedTensors Model::parameters() const {
  NamedTensors list;
  append(list, "classifier.fc1.0", classifier.fc1_0);
  append(list, "classifier.fc1.3", classifier.fc1_3);
  append(list, "classifier.fc2", classifier.fc2);
  if (vae) {
    append(list, "vae.fc1", vae->fc1);
    append(list, "vae.fc2", vae->fc2);
    append(list, "vae.fc3", vae->fc3);
    append(list, "vae.fc4", vae->fc4);
    append(list, "vae.fc5", vae->fc5);
  }
  return list;
}

NamedTensors Model::running_statistics() const {
  NamedTensors list;
  append(list, "batch_norm", batch_norm);
  append(list, "classifier.fc1.1", classifier.fc1_1);
  append(list, "classifier.fc1.4", classifier.fc1_4);
  return list;
}

Widths widths_of(int dimension) {
  return {dimension, dimension / 3, dimension / 6};
}

Model make_model(sweeps::Perturbation perturbation, const Widths& widths, const Draws& draws, at::ScalarType dtype) {
  const Maker make{draws, dtype};
  const auto [D, H, E] = widths;
  Model model;
  model.batch_norm = make.batch_norm(D, kFeatureEps);
  model.classifier = {make.linear("classifier.fc1.0", D, H, false), make.batch_norm(H, kClassifierEps),
                      make.linear("classifier.fc1.3", H, E, false), make.batch_norm(E, kClassifierEps),
                      make.linear("classifier.fc2", E, 1, false)};
  if (perturbation != sweeps::Perturbation::gaussian) {
    const std::int64_t outputs = has_two_halves(perturbation) ? 2 * D : D;
    model.vae =
        Vae{make.linear("vae.fc1", D, D, true), make.linear("vae.fc2", D, D, true), make.linear("vae.fc3", D, D, true),
            make.linear("vae.fc4", D, D, true), make.linear("vae.fc5", D, outputs, true)};
  }
  return model;
}

}  // namespace plume
