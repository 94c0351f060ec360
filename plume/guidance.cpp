// Full (contrastive) and mean guidance, as released and as in the paper.
#include "plume/guidance.hpp"

#include <ATen/ATen.h>

#include <limits>

namespace plume {
namespace {

constexpr double kCosineEps = 1e-8;

at::Tensor unit_rows(const at::Tensor& z) {
  return z / z.norm(2, {1}, /*keepdim=*/true).clamp_min(kCosineEps);
}

/// The logarithm keeps its range by log-sum-exp, so a small tau cannot overflow. `to_anomalies` [N, N]: row i holds the
/// similarities that are the negatives of normal i.
at::Tensor contrastive(const at::Tensor& among_normals, const at::Tensor& to_anomalies) {
  const std::int64_t n = among_normals.size(0);
  const at::Tensor itself = at::eye(n, among_normals.options().dtype(at::kBool).requires_grad(false));
  const at::Tensor others = among_normals.masked_fill(itself, -std::numeric_limits<double>::infinity());
  const at::Tensor log_denominator = at::logsumexp(at::cat({to_anomalies, others}, 1), {1});
  const at::Tensor positives = among_normals.masked_fill(itself, 0).sum() / static_cast<double>(n * (n - 1));
  return log_denominator.mean() - positives;
}

at::Tensor cosines_with_mean(const at::Tensor& z, const at::Tensor& of) {
  return cosines(z, of.mean(0, /*keepdim=*/true)).squeeze(1);
}

}  // namespace

at::Tensor cosines(const at::Tensor& a, const at::Tensor& b) {
  return at::mm(unit_rows(a), unit_rows(b).t());
}

at::Tensor full_guidance_released(const at::Tensor& normal, const at::Tensor& anomaly, double tau) {
  return contrastive(cosines(normal, normal) / tau, cosines(anomaly, normal) / tau);
}

at::Tensor full_guidance_paper(const at::Tensor& normal, const at::Tensor& anomaly, double tau) {
  return contrastive(cosines(normal, normal) / tau, cosines(normal, anomaly) / tau);
}

at::Tensor mean_guidance_released(const at::Tensor& normal, const at::Tensor& anomaly) {
  return cosines_with_mean(normal, anomaly).mean() - cosines_with_mean(normal, normal).mean();
}

at::Tensor mean_guidance_paper(const at::Tensor& normal, const at::Tensor& anomaly, double tau) {
  const at::Tensor margin = (cosines_with_mean(normal, normal) - cosines_with_mean(normal, anomaly)) / tau;
  return -at::log_sigmoid(margin).mean();  // -log(e^p / (e^q + e^p)) = -log sigmoid(p - q)
}

at::Tensor guidance_loss(const sweeps::TrainingSettings& settings, const at::Tensor& normal,
                         const at::Tensor& anomaly) {
  const bool released = settings.semantics == sweeps::Semantics::released;
  switch (settings.guidance) {
    case sweeps::Guidance::full:
      return released ? full_guidance_released(normal, anomaly, settings.tau)
                      : full_guidance_paper(normal, anomaly, settings.tau);
    case sweeps::Guidance::mean:
      return released ? mean_guidance_released(normal, anomaly) : mean_guidance_paper(normal, anomaly, settings.tau);
    case sweeps::Guidance::none:
      break;
  }
  return at::zeros({}, normal.options().requires_grad(false));
}

}  // namespace plume
