// A baseline that profits from a typical orientation: how well a network trained on the normal class tells by how much
// an image was turned (I. Golan, R. El-Yaniv, NeurIPS 2018; D. Hendrycks et al., NeurIPS 2019). Not in the paper.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

#include "plume/draws.hpp"
#include "plume/input_rows.hpp"
#include "plume/model.hpp"

namespace plume {

/// Images [n, C, S, S] by 0, 90, 180 and 270 degrees counter-clockwise, [4 n, C, S, S]: all n by 0 first, then by 90
/// ... Pixels move, none is interpolated.
at::Tensor in_four_turns(const at::Tensor& images);

/// Cross-entropy, a scalar: the mean over logits [4 n, 4] of in_four_turns of -log p(its turn).
at::Tensor turn_loss(const at::Tensor& logits);

/// The classifier of images (networks.hpp) with four outputs, trained on images [n >= 1, 3, 32, 32] bytes of the normal
/// class by the recipe of rotation.cpp. Calls `on_progress` after each batch. Throws storage::Error where the loss is
/// not finite.
Model trained_on_turns(const at::Tensor& train, const ChannelStatistics& statistics, const Draws& draws,
                       const std::function<void()>& on_progress);

/// Score of each image [m, 3, 32, 32] bytes: the sum over the four turns of log p(right turn), in doubles, <= 0.
std::vector<double> turn_scores(const Model& model, const at::Tensor& images, const ChannelStatistics& statistics,
                                const std::function<void()>& on_progress);

/// Both. Bit-equal when called again with the same thread count.
std::vector<double> rotation_scores(const at::Tensor& train, const at::Tensor& test,
                                    const ChannelStatistics& statistics, const Draws& draws,
                                    const std::function<void()>& on_progress);

}  // namespace plume
