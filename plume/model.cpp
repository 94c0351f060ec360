// Names, order and initial values of a model's tensors.
#include "plume/model.hpp"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <cmath>

namespace plume {
namespace {

constexpr double kFeatureEps = 1e-5;
constexpr double kClassifierEps = 1e-4;

/// Makes the layers: the random numbers are those of `draws`, by the name of each tensor.
struct Maker {
  const Draws& draws;
  at::ScalarType dtype;

  at::Tensor parameter(const std::string& name, at::IntArrayRef shape, std::int64_t fan_in) const {
    const double bound = 1 / std::sqrt(static_cast<double>(fan_in));
    return draws.initial_weight(name, shape, bound).to(dtype).contiguous().set_requires_grad(true);
  }
  Linear linear(const std::string& name, std::int64_t in, std::int64_t out, bool has_bias) const {
    Linear layer{parameter(fmt::format("{}.weight", name), {out, in}, in), {}};
    if (has_bias) layer.bias = parameter(fmt::format("{}.bias", name), {out}, in);
    return layer;
  }
  Convolution convolution(const std::string& name, std::int64_t in, std::int64_t out) const {
    constexpr std::int64_t kSide = 5;
    return {parameter(fmt::format("{}.weight", name), {out, in, kSide, kSide}, in * kSide * kSide)};
  }
  BatchNorm batch_norm(std::int64_t width, double eps) const {
    return {at::zeros({width}, dtype), at::ones({width}, dtype), eps};
  }
  Vae vae(std::int64_t row, std::int64_t outputs) const {
    return {linear("vae.fc1", row, row, true), linear("vae.fc2", row, row, true), linear("vae.fc3", row, row, true),
            linear("vae.fc4", row, row, true), linear("vae.fc5", row, outputs, true)};
  }
};

bool has_two_halves(sweeps::Perturbation perturbation) {
  return perturbation == sweeps::Perturbation::linear_map || perturbation == sweeps::Perturbation::add_mult;
}

// One list of a model's layers and their names serves parameters, running statistics and copies: `visit(name, layer)`
// is called for each layer in the optimiser's order.

template <typename Visit>
void visit_layers(Classifier& classifier, const Visit& visit) {
  visit("classifier.fc1.0", classifier.fc1_0);
  visit("classifier.fc1.1", classifier.fc1_1);
  visit("classifier.fc1.3", classifier.fc1_3);
  visit("classifier.fc1.4", classifier.fc1_4);
  visit("classifier.fc2", classifier.fc2);
}

template <typename Visit>
void visit_layers(ImageClassifier& classifier, const Visit& visit) {
  for (std::size_t i = 0; i < classifier.stages.size(); ++i) {
    visit(fmt::format("classifier.convs.{}.0", i), classifier.stages[i].convolution);
    visit(fmt::format("classifier.convs.{}.1", i), classifier.stages[i].norm);
  }
  visit("classifier.fc1", classifier.fc1);
  visit("classifier.fc2", classifier.fc2);
  visit("classifier.fc3", classifier.fc3);
}

template <typename Visit>
void visit_layers(Model& model, const Visit& visit) {
  if (model.batch_norm) visit("batch_norm", *model.batch_norm);
  std::visit([&](auto& classifier) { visit_layers(classifier, visit); }, model.classifier);
  if (!model.vae) return;
  visit("vae.fc1", model.vae->fc1);
  visit("vae.fc2", model.vae->fc2);
  visit("vae.fc3", model.vae->fc3);
  visit("vae.fc4", model.vae->fc4);
  visit("vae.fc5", model.vae->fc5);
}

/// Appends what is trained of a layer.
void append(NamedTensors& list, const std::string& name, const Linear& layer) {
  list.emplace_back(fmt::format("{}.weight", name), layer.weight);
  if (layer.bias.defined()) list.emplace_back(fmt::format("{}.bias", name), layer.bias);
}
void append(NamedTensors& list, const std::string& name, const Convolution& layer) {
  list.emplace_back(fmt::format("{}.weight", name), layer.weight);
}
void append(NamedTensors&, const std::string&, const BatchNorm&) {}

at::Tensor copy_of(const at::Tensor& tensor, at::Device device) {
  if (!tensor.defined()) return {};
  return tensor.detach()
      .to(device, tensor.scalar_type(), /*non_blocking=*/false, /*copy=*/true)
      .set_requires_grad(tensor.requires_grad());
}
Linear copy_of(const Linear& layer, at::Device device) {
  return {copy_of(layer.weight, device), copy_of(layer.bias, device)};
}
Convolution copy_of(const Convolution& layer, at::Device device) {
  return {copy_of(layer.weight, device)};
}
BatchNorm copy_of(const BatchNorm& layer, at::Device device) {
  return {copy_of(layer.running_mean, device), copy_of(layer.running_var, device), layer.eps};
}

}  // namespace

std::vector<at::Tensor> values_of(const NamedTensors& named) {
  std::vector<at::Tensor> tensors;
  for (const auto& [name, tensor] : named) tensors.push_back(tensor);
  return tensors;
}

at::ScalarType Model::dtype() const {
  return std::visit([](const auto& one) { return one.fc2.weight.scalar_type(); }, classifier);
}

at::Tensor Model::normalise(const at::Tensor& rows, bool training) const {
  return batch_norm ? batch_norm->forward(rows, training) : rows;
}

Classified Model::classify(const at::Tensor& x, bool training) const {
  return std::visit([&](const auto& one) { return one.forward(x, training); }, classifier);
}

NamedTensors Model::parameters() const {
  NamedTensors list;
  Model handles = *this;
  visit_layers(handles, [&](const std::string& name, const auto& layer) { append(list, name, layer); });
  return list;
}

NamedTensors Model::running_statistics() const {
  NamedTensors list;
  Model handles = *this;
  visit_layers(handles, [&](const std::string& name, const auto& layer) {
    if constexpr (std::is_same_v<std::decay_t<decltype(layer)>, BatchNorm>) {
      list.emplace_back(fmt::format("{}.running_mean", name), layer.running_mean);
      list.emplace_back(fmt::format("{}.running_var", name), layer.running_var);
    }
  });
  return list;
}

std::vector<std::shared_ptr<LinearPasses>> Model::note_passes() {
  std::vector<std::shared_ptr<LinearPasses>> noted;
  visit_layers(*this, [&](const std::string& name, auto& layer) {
    NamedTensors of_layer;
    append(of_layer, name, layer);
    const auto first = noted.size();
    noted.resize(first + of_layer.size());
    if constexpr (std::is_same_v<std::decay_t<decltype(layer)>, Linear>) {
      layer.passes = std::make_shared<LinearPasses>();
      noted[first] = layer.passes;  // the weight comes before the bias
    }
  });
  return noted;
}

Model Model::clone() const {
  return copy_on(std::visit([](const auto& one) { return one.fc2.weight.device(); }, classifier));
}

Model Model::copy_on(at::Device device) const {
  Model copy = *this;
  visit_layers(copy, [device](const std::string&, auto& layer) { layer = copy_of(layer, device); });
  return copy;
}

Widths widths_of(int dimension) {
  return {dimension, dimension / 3, dimension / 6};
}

Model make_model(sweeps::Perturbation perturbation, const Widths& widths, const Draws& draws, at::ScalarType dtype) {
  const Maker make{draws, dtype};
  const auto [D, H, E] = widths;
  Model model;
  model.batch_norm = make.batch_norm(D, kFeatureEps);
  model.classifier = Classifier{make.linear("classifier.fc1.0", D, H, false), make.batch_norm(H, kClassifierEps),
                                make.linear("classifier.fc1.3", H, E, false), make.batch_norm(E, kClassifierEps),
                                make.linear("classifier.fc2", E, 1, false)};
  if (perturbation != sweeps::Perturbation::gaussian) model.vae = make.vae(D, has_two_halves(perturbation) ? 2 * D : D);
  return model;
}

Model make_image_model(std::int64_t outputs, const Draws& draws, at::ScalarType dtype) {
  const Maker make{draws, dtype};
  ImageClassifier classifier;
  std::int64_t channels = 3;
  for (std::size_t i = 0; i < classifier.stages.size(); ++i) {
    const std::int64_t wider = std::int64_t{16} << i;
    classifier.stages[i] = {make.convolution(fmt::format("classifier.convs.{}.0", i), channels, wider),
                            make.batch_norm(wider, kClassifierEps)};
    channels = wider;
  }
  classifier.fc1 = make.linear("classifier.fc1", 512, 128, false);  // 128 maps of 2 x 2
  classifier.fc2 = make.linear("classifier.fc2", 128, 64, false);
  classifier.fc3 = make.linear("classifier.fc3", 64, outputs, false);
  Model model;
  model.classifier = std::move(classifier);
  return model;
}

Model make_plad_model(const Draws& draws, at::ScalarType dtype) {
  Model model = make_image_model(1, draws, dtype);
  model.vae = Maker{draws, dtype}.vae(sweeps::kPaperDimension, 2 * sweeps::kPaperDimension);
  return model;
}

}  // namespace plume
