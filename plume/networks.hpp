// The networks of method.md section 2 (Fig. 2 of the paper): perturbator g (a VAE), classifier f, and the classifier of
// images that PLAD and the baseline rotation have. Knows no losses, no optimiser and no random numbers.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>

#include "plume/layers.hpp"

namespace plume {

/// What a classifier makes of its input.
struct Classified {
  at::Tensor embedding;  ///< [N, E]: z, on which the guidance acts
  at::Tensor logit;      ///< [N], higher = more normal; of a network with several outputs [N, outputs]
};

/// f = f2 o f1: D -> H -> E (the embedding z, after its LeakyReLU) -> 1, no biases.
struct Classifier {
  Linear fc1_0;
  BatchNorm fc1_1;
  Linear fc1_3;
  BatchNorm fc1_4;
  Linear fc2;

  /// x [N, D].
  Classified forward(const at::Tensor& x, bool training) const;
};

/// A classifier of 3x32x32 images, PLAD's and rotation's, LeNet-like: four times (convolution, batch norm, LeakyReLU,
/// 2x2 maximum pool) with 16, 32, 64, 128 channels, then 512 -> 128 -> 64 -> 1 (rotation: 4), no biases.
struct ImageClassifier {
  struct Stage {
    Convolution convolution;
    BatchNorm norm;
  };
  std::array<Stage, 4> stages;
  Linear fc1, fc2, fc3;

  /// x [N, 3072]: flattened images, channels first. The embedding is the input of the last layer.
  Classified forward(const at::Tensor& x, bool training) const;
};

/// The perturbator g: fc1, then fc2 = mu and fc3 = logvar, z = mu + exp(logvar / 2) eps, fc4, fc5.
struct Vae {
  struct Output {
    at::Tensor mu;      ///< [N, D]
    at::Tensor logvar;  ///< [N, D]
    at::Tensor output;  ///< [N, 2D], or [N, D] where the perturbation has one parameter (add, mult)
  };
  Linear fc1, fc2, fc3, fc4, fc5;

  /// x and eps [N, D].
  Output forward(const at::Tensor& x, const at::Tensor& eps) const;
};

}  // namespace plume
