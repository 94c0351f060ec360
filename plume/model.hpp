// All state of a training but the optimiser's, and its initial value from drawn weights.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "plume/draws.hpp"
#include "plume/networks.hpp"
#include "sweeps/job.hpp"

namespace plume {

using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;
std::vector<at::Tensor> values_of(const NamedTensors& named);

struct Model {
  std::optional<BatchNorm> batch_norm;  ///< of the feature rows; absent for images, which come normalised
  std::variant<Classifier, ImageClassifier> classifier;
  std::optional<Vae> vae;  ///< absent for gaussian and for rotation

  at::ScalarType dtype() const;
  /// rows [N, D] -> the networks' input x. Updates the running statistics in training.
  at::Tensor normalise(const at::Tensor& rows, bool training) const;
  /// x [N, D] through the classifier.
  Classified classify(const at::Tensor& x, bool training) const;

  /// Trained tensors in the optimiser's order: classifier, then VAE, weight before bias.
  NamedTensors parameters() const;
  /// Running means and variances of the batch norms.
  NamedTensors running_statistics() const;
  /// Has its linear layers note their passes (LinearPasses). For each of parameters(): where, or null where its
  /// gradient is autograd's.
  std::vector<std::shared_ptr<LinearPasses>> note_passes();
  /// The same values in tensors of its own, which note no passes; parameters require gradients.
  Model clone() const;
  /// The same on `device`.
  Model copy_on(at::Device device) const;
};

/// Widths of the networks, e.g. 3072, 1024 and 512.
struct Widths {
  std::int64_t row;        ///< D, of a feature row and of the whole VAE
  std::int64_t hidden;     ///< H
  std::int64_t embedding;  ///< E
};
/// D, D/3 and D/6.
Widths widths_of(int dimension);

/// A model for a perturbation of feature rows with drawn weights, U(+-1/sqrt(fan_in)), running means 0 and variances 1.
/// Parameters require gradients.
Model make_model(sweeps::Perturbation perturbation, const Widths& widths, const Draws& draws,
                 at::ScalarType dtype = at::kFloat);
/// The image classifier alone, with `outputs` logits an image: no feature batch norm, no VAE.
Model make_image_model(std::int64_t outputs, const Draws& draws, at::ScalarType dtype = at::kFloat);
/// The same for PLAD: image classifier and a VAE of 3072 = 3 x 32 x 32 with two halves, no feature batch norm.
Model make_plad_model(const Draws& draws, at::ScalarType dtype = at::kFloat);

}  // namespace plume
