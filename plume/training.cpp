// The training loop. No files, no clock: what is random comes from Draws, what happens goes to the caller.
#include "plume/training.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "plume/adaptive_pool.hpp"
#include "plume/one_cycle.hpp"
#include "plume/training_step.hpp"

namespace plume {
namespace {

constexpr std::int64_t kEvaluationRows = 2048;

std::vector<at::Tensor> tensors_of(const NamedTensors& named) {
  std::vector<at::Tensor> tensors;
  for (const auto& [name, tensor] : named) tensors.push_back(tensor);
  return tensors;
}

results::LossTerms read(const StepLosses& losses) {
  const at::NoGradGuard no_grad;
  return {losses.total.item().toDouble(), losses.classification.item().toDouble(), losses.noise.item().toDouble(),
          losses.kl.item().toDouble(), losses.guidance.item().toDouble()};
}

void add(results::LossTerms& sum, const results::LossTerms& terms) {
  sum.total += terms.total;
  sum.classification += terms.classification;
  sum.noise += terms.noise;
  sum.kl += terms.kl;
  sum.guidance += terms.guidance;
}

results::LossTerms divided(const results::LossTerms& sum, double count) {
  return {sum.total / count, sum.classification / count, sum.noise / count, sum.kl / count, sum.guidance / count};
}

}  // namespace

Trainer::Trainer(const sweeps::TrainingSettings& settings, Model model, at::Tensor train_rows, const Draws& draws)
    : settings_(settings),
      model_(std::move(model)),
      train_rows_(std::move(train_rows)),
      draws_(draws),
      parameters_(tensors_of(model_.parameters())),
      optimiser_(parameters_, settings.weight_decay) {}

bool Trainer::drops_single_row() const {
  return train_rows_.size(0) % settings_.batch_size == 1;
}

std::int64_t Trainer::batches_per_epoch() const {
  const std::int64_t batch = settings_.batch_size;
  return (train_rows_.size(0) + batch - 1) / batch - (drops_single_row() ? 1 : 0);
}

results::LossTerms Trainer::train_on(const at::Tensor& rows, const at::Tensor& eps, double learning_rate,
                                     double beta1) {
  const StepLosses losses = losses_of(forward_in_training(model_, settings_, rows, eps), settings_);
  const results::LossTerms terms = read(losses);
  if (std::isfinite(terms.total)) optimiser_.step(gradients_of(losses.total, parameters_), learning_rate, beta1);
  return terms;
}

std::optional<Trainer::Epoch> Trainer::run_epoch(int epoch,
                                                 const std::function<void(const results::LossTerms&)>& on_batch) {
  const std::int64_t n = train_rows_.size(0), batches = batches_per_epoch();
  std::vector<std::int64_t> permutation = draws_.permutation(epoch, n);
  const at::Tensor order = at::from_blob(permutation.data(), {n}, at::kLong);
  Epoch result;
  for (std::int64_t batch = 0; batch < batches; ++batch) {
    const std::int64_t begin = batch * settings_.batch_size;
    const std::int64_t count = std::min<std::int64_t>(settings_.batch_size, n - begin);
    const at::Tensor rows = adaptive_pool(train_rows_.index_select(0, order.narrow(0, begin, count)).to(model_.dtype()),
                                          settings_.dimension);
    const at::Tensor eps = draws_.noise(epoch, batch, count, settings_.dimension).to(model_.dtype());
    const OneCyclePoint point = one_cycle(settings_.learning_rate.value(), settings_.epochs * batches, epoch * batches + batch);
    const results::LossTerms terms = train_on(rows, eps, point.learning_rate, point.beta1);
    if (!std::isfinite(terms.total)) return std::nullopt;
    add(result.losses, terms);
    result.learning_rate = point.learning_rate;
    on_batch(terms);
  }
  result.losses = divided(result.losses, static_cast<double>(batches));
  return result;
}

std::vector<double> Trainer::scores(const at::Tensor& rows) const {
  std::vector<double> all;
  all.reserve(static_cast<std::size_t>(rows.size(0)));
  for (std::int64_t begin = 0; begin < rows.size(0); begin += kEvaluationRows) {
    const std::int64_t count = std::min(kEvaluationRows, rows.size(0) - begin);
    const at::Tensor pooled = adaptive_pool(rows.narrow(0, begin, count).to(model_.dtype()), settings_.dimension);
    const at::Tensor logits = logits_in_evaluation(model_, pooled).to(at::kDouble).contiguous();
    all.insert(all.end(), logits.const_data_ptr<double>(), logits.const_data_ptr<double>() + count);
  }
  return all;
}

}  // namespace plume
