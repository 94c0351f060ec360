// The two networks of method.md section 2 as plain structs of tensors: perturbator g (a VAE) and classifier f, with
// batch norm. Knows no losses, no optimiser and no random numbers but those that Draws hands out.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plume/draws.hpp"
#include "sweeps/job.hpp"

namespace plume {

using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

/// y = x W^T + bias, W [out, in]; bias may be undefined.
struct Linear {
  at::Tensor weight;
  at::Tensor bias;

  at::Tensor forward(const at::Tensor& x) const;
};

/// Batch norm without affine parameters, momentum 0.1, running variance from the unbiased batch variance.
struct BatchNorm {
  at::Tensor running_mean;
  at::Tensor running_var;
  double eps = 1e-5;

  /// Training: normalises by the batch's statistics (N >= 2) and updates the running ones. Else: by the running ones.
  at::Tensor forward(const at::Tensor& x, bool training) const;
};

/// f = f2 o f1: D -> H -> E (the embedding z) -> 1, no biases.
struct Classifier {
  struct Output {
    at::Tensor embedding;  ///< [N, E], after the LeakyReLU
    at::Tensor logit;      ///< [N], higher = more normal
  };
  Linear fc1_0;
  BatchNorm fc1_1;
  Linear fc1_3;
  BatchNorm fc1_4;
  Linear fc2;

  Output forward(const at::Tensor& x, bool training) const;
};

/// The perturbator g: fc1, then fc2 = mu and fc3 = logvar, z = mu + exp(logvar / 2) eps, fc4, fc5.
struct Vae {
  struct Output {
    at::Tensor mu;      ///< [N, D]
    at::Tensor logvar;  ///< [N, D]
    at::Tensor output;  ///< [N, 2D], or [N, D] where the perturbation has one parameter (add, mult)
  };
  Linear fc1, fc2, fc3, fc4, fc5;

  Output forward(const at::Tensor& x, const at::Tensor& eps) const;
};

/// All state of a training but the optimiser's.
struct Model {
  BatchNorm batch_norm;  ///< of the feature rows
  Classifier classifier;
  std::optional<Vae> vae;  ///< absent for gaussian

  at::ScalarType dtype() const { return classifier.fc2.weight.scalar_type(); }
  /// Trained tensors in the optimiser's order: classifier, then VAE, weight before bias.
  NamedTensors parameters() const;
  /// Running means and variances of the three batch norms.
  NamedTensors running_statistics() const;
};

/// Widths of the networks, e.g. 3072, 1024 and 512.
struct Widths {
  std::int64_t row;        ///< D, of a feature row and of the whole VAE
  std::int64_t hidden;     ///< H
  std::int64_t embedding;  ///< E
};
/// D, D/3 and D/6.
Widths widths_of(int dimension);

/// A model for a perturbation with drawn weights, U(+-1/sqrt(fan_in)), running means 0 and variances 1. Parameters
/// require gradients.
Model make_model(sweeps::Perturbation perturbation, const Widths& widths, const Draws& draws,
                 at::ScalarType dtype = at::kFloat);

}  // namespace plume
