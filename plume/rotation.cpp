// The recipe: fixed, so that a job of this baseline has no setting but its rows and its seed.
#include "plume/rotation.hpp"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "plume/adamw.hpp"
#include "plume/one_cycle.hpp"
#include "plume/step_gradients.hpp"
#include "storage/error.hpp"

namespace plume {
namespace {

constexpr std::int64_t kTurns = 4;
/// As many as the quick start's trainings have; each image is seen in every turn in every epoch.
constexpr int kEpochs = 20;
/// PLAD's and PLUME's batch, here of images in all four turns: 128 rows, so that even a last batch of one image has
/// statistics for the batch norms.
constexpr std::int64_t kBatchImages = 32;
/// AdamW's usual rate and the weight decay that trainings here have by default. One-cycle: as all trainings here.
constexpr double kLearningRate = 1e-3;
constexpr double kWeightDecay = 0.01;
constexpr std::int64_t kScoredImages = 512;  ///< at a time, x 4 rows

/// 0 n times, 1 n times ...: the turn of each row of in_four_turns.
at::Tensor turns_of(std::int64_t rows) {
  return at::arange(kTurns, at::kLong).repeat_interleave(rows / kTurns);
}

/// Normalised images [N, 3072] -> rows [4 N, 3072] of all turns.
at::Tensor rows_in_four_turns(const at::Tensor& rows) {
  constexpr std::int64_t kSide = 32;
  return in_four_turns(rows.view({rows.size(0), 3, kSide, kSide})).flatten(1);
}

class TurnTrainer {
 public:
  explicit TurnTrainer(Model& model)
      : model_(model), gradients_(model), optimiser_(values_of(model.parameters()), kWeightDecay) {}

  void step(const at::Tensor& images, const OneCyclePoint& point) {
    const NothingLeft at_the_end(gradients_);
    const at::Tensor loss = turn_loss(model_.classify(rows_in_four_turns(images), /*training=*/true).logit);
    if (!std::isfinite(loss.item<float>()))
      throw storage::Error("rotation: the loss of its training is not finite; it cannot be used on this data");
    optimiser_.step(gradients_.of(loss), point.learning_rate, point.beta1);
  }

 private:
  Model& model_;
  StepGradients gradients_;
  AdamW optimiser_;
};

}  // namespace

at::Tensor in_four_turns(const at::Tensor& images) {
  std::vector<at::Tensor> turned;
  for (std::int64_t turn = 0; turn < kTurns; ++turn) turned.push_back(at::rot90(images, turn, {2, 3}));
  return at::cat(turned);
}

at::Tensor turn_loss(const at::Tensor& logits) {
  return at::nll_loss(at::log_softmax(logits, 1), turns_of(logits.size(0)));
}

Model trained_on_turns(const at::Tensor& train, const ChannelStatistics& statistics, const Draws& draws,
                       const std::function<void()>& on_progress) {
  const InputRows rows = InputRows::images(train, statistics);
  const std::int64_t per_epoch = (rows.size() + kBatchImages - 1) / kBatchImages;
  Model model = make_image_model(kTurns, draws);
  TurnTrainer trainer(model);
  for (int epoch = 0; epoch < kEpochs; ++epoch) {
    const at::Tensor order = at::tensor(draws.permutation(epoch, rows.size()), at::kLong);
    for (std::int64_t batch = 0; batch < per_epoch; ++batch) {
      const std::int64_t begin = batch * kBatchImages, count = std::min(kBatchImages, rows.size() - begin);
      trainer.step(rows.select(order.narrow(0, begin, count), at::kFloat),
                   one_cycle(kLearningRate, kEpochs * per_epoch, epoch * per_epoch + batch));
      on_progress();
    }
  }
  return model;
}

std::vector<double> turn_scores(const Model& model, const at::Tensor& images, const ChannelStatistics& statistics,
                                const std::function<void()>& on_progress) {
  const at::NoGradGuard no_grad;
  const InputRows rows = InputRows::images(images, statistics);
  std::vector<double> scores;
  for (std::int64_t begin = 0; begin < rows.size(); begin += kScoredImages) {
    const std::int64_t count = std::min(kScoredImages, rows.size() - begin);
    const at::Tensor turned = rows_in_four_turns(rows.slice(begin, count, at::kFloat));
    const at::Tensor log_p = at::log_softmax(model.classify(turned, /*training=*/false).logit.to(at::kDouble), 1);
    const at::Tensor of_right_turn = log_p.gather(1, turns_of(kTurns * count).unsqueeze(1));
    const at::Tensor sums = of_right_turn.view({kTurns, count}).sum(0).contiguous();
    scores.insert(scores.end(), sums.const_data_ptr<double>(), sums.const_data_ptr<double>() + count);
    on_progress();
  }
  return scores;
}

std::vector<double> rotation_scores(const at::Tensor& train, const at::Tensor& test,
                                    const ChannelStatistics& statistics, const Draws& draws,
                                    const std::function<void()>& on_progress) {
  return turn_scores(trained_on_turns(train, statistics, draws, on_progress), test, statistics, on_progress);
}

}  // namespace plume
