// Forward passes of perturbator and classifiers.
#include "plume/networks.hpp"

#include <ATen/ATen.h>

namespace plume {

Classified Classifier::forward(const at::Tensor& x, bool training) const {
  const at::Tensor hidden = leaky(fc1_1.forward(fc1_0.forward(x), training));
  const at::Tensor embedding = leaky(fc1_4.forward(fc1_3.forward(hidden), training));
  return {embedding, fc2.forward(embedding).squeeze(1)};
}

Classified ImageClassifier::forward(const at::Tensor& x, bool training) const {
  at::Tensor maps = x.view({x.size(0), 3, 32, 32});
  for (const Stage& stage : stages) {
    maps = halved(leaky(stage.norm.forward(stage.convolution.forward(maps), training)));
  }
  const at::Tensor hidden = leaky(fc1.forward(maps.flatten(1)));
  const at::Tensor embedding = leaky(fc2.forward(hidden));
  return {embedding, fc3.forward(embedding).squeeze(1)};
}

Vae::Output Vae::forward(const at::Tensor& x, const at::Tensor& eps) const {
  const at::Tensor hidden = leaky(fc1.forward(x));
  const at::Tensor mu = fc2.forward(hidden);
  const at::Tensor logvar = fc3.forward(hidden);
  const at::Tensor z = at::addcmul(mu, at::exp(logvar * 0.5), eps);
  return {mu, logvar, fc5.forward(leaky(fc4.forward(z)))};
}

}  // namespace plume
