// The guidance terms on the classifier's embeddings (method.md section 4, ablation axis 2), one function per term and
// semantics.
#pragma once

#include <ATen/core/Tensor.h>

#include "sweeps/job.hpp"

namespace plume {

/// Eq. (6) (cossim) without its 1 / tau: cosines of every row of `a` with every row of `b`, [N, E], [M, E] -> [N, M] in
/// [-1, 1]; norms are taken as at least 1e-8.
at::Tensor cosines(const at::Tensor& a, const at::Tensor& b);

/// Full guidance as released, where Eq. (7) is transposed. s = cosine / tau; the negatives of column c are all normals
/// against the c-th pseudo-anomaly: mean_c log(sum_k exp s(z_k, z~_c) + sum_{k != c} exp s(z_k, z_c)) - mean_{k != c}
/// s(z_k, z_c).
at::Tensor full_guidance_released(const at::Tensor& normal, const at::Tensor& anomaly, double tau);
/// Full guidance of the paper, Eq. (7) (contrastive) averaged over the batch: the negatives of z_i are all
/// pseudo-anomalies z~_l.
at::Tensor full_guidance_paper(const at::Tensor& normal, const at::Tensor& anomaly, double tau);
/// Mean guidance as released, which is not the paper's: mean_i cos(z_i, mean z~) - mean_i cos(z_i, mean z); no tau, no
/// logarithm.
at::Tensor mean_guidance_released(const at::Tensor& normal, const at::Tensor& anomaly);
/// Mean guidance of the paper, the equation of its supplement ("Mean" guidance), with c = s: mean_i -log(e^c(z_i, mean
/// z) / (e^c(z_i, mean z~) + e^c(z_i, mean z))).
at::Tensor mean_guidance_paper(const at::Tensor& normal, const at::Tensor& anomaly, double tau);

/// The term of a training's settings on embeddings [N >= 2, E], a scalar; zero for guidance `none`. A batch of one row
/// has no other normals: full guidance is then not a number (batches of one row are not trained on).
at::Tensor guidance_loss(const sweeps::TrainingSettings& settings, const at::Tensor& normal, const at::Tensor& anomaly);

}  // namespace plume
