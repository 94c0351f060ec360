// Weights that are updated on autograd's way, beside a sweep of autograd with all updates after it.
#include "plume/step_gradients.hpp"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "plume/training_step.hpp"
#include "tests/plume/every_variant.hpp"
#include "tests/plume/golden_files.hpp"

namespace plume {
namespace {

constexpr int kDimension = 192;  // the VAE's layers are large enough for products of our own
constexpr double kLearningRate = 1e-3, kBeta1 = 0.9, kDecay = 0.01;

struct Side {
  explicit Side(const sweeps::TrainingSettings& of, std::uint32_t stream = 100)
      : settings(of), model(drawn(of, stream)), gradients(model), optimiser(values_of(model.parameters()), kDecay) {}

  static Model drawn(const sweeps::TrainingSettings& settings, std::uint32_t stream) {
    golden::GivenDraws draws;
    draws.weight = [stream](const std::string&, at::IntArrayRef shape) mutable {
      return golden::fill(shape, stream++, 0.05);
    };
    return make_model(settings.perturbation, widths_of(kDimension), draws);
  }
  at::Tensor loss(std::int64_t batch) const {
    const at::Tensor rows = golden::fill({batch, kDimension}, 1, 1), eps = golden::fill({batch, kDimension}, 2, 1.7);
    return losses_of(forward_in_training(model, settings, rows, eps), settings).total;
  }
  /// What is said of each parameter.
  std::vector<Gradient> on_the_way(std::int64_t batch) {
    optimiser.begin(kLearningRate, kBeta1);
    return gradients.of(loss(batch), [this](std::size_t parameter, const FoldedGradient::Pass& pass) {
      return optimiser.update_behind(parameter, pass);
    });
  }
  /// Names of the parameters that are updated before autograd is through.
  std::set<std::string> updated_on_the_way(std::int64_t batch) {
    std::set<std::string> names;
    const auto said = on_the_way(batch);
    for (std::size_t i = 0; i < said.size(); ++i) {
      if (std::holds_alternative<UpdateMade>(said[i])) names.insert(model.parameters()[i].first);
    }
    optimiser.finish(said);
    gradients.forget();
    return names;
  }
  NamedTensors state() const {
    std::vector<std::string> names;
    for (const auto& [name, tensor] : model.parameters()) names.push_back(name);
    NamedTensors all = optimiser.tensors().named(names);
    for (const auto& [name, tensor] : model.parameters()) all.emplace_back(name, tensor);
    return all;
  }

  sweeps::TrainingSettings settings;
  Model model;
  StepGradients gradients;
  AdamW optimiser;
};

class UpdateOnTheWay : public testing::TestWithParam<tests::Variant> {};

TEST_P(UpdateOnTheWay, IsTheSameBitsAsAfterIt) {
  const auto settings = tests::settings_of(GetParam(), kDimension);
  Side on_the_way(settings), after(settings);
  for (const std::int64_t batch : {32, 9, 33, 64, 7}) {
    SCOPED_TRACE(batch);
    on_the_way.updated_on_the_way(batch);
    after.optimiser.step(after.gradients.of(after.loss(batch)), kLearningRate, kBeta1);
    after.gradients.forget();
    const auto a = on_the_way.state(), b = after.state();
    for (std::size_t i = 0; i < a.size(); ++i) ASSERT_TRUE(at::equal(a[i].second, b[i].second)) << a[i].first;
  }
}

INSTANTIATE_TEST_SUITE_P(EveryVariant, UpdateOnTheWay, tests::every_variant(), tests::variant_name);

TEST(UpdatesOnTheWay, AreOfWeightsThatAreUsedOnceAndWhoseInputHasAGradient) {
  Side side(tests::settings_of({}, kDimension));
  const std::set<std::string> of_the_vae{"vae.fc2.weight", "vae.fc3.weight", "vae.fc4.weight", "vae.fc5.weight"};
  EXPECT_EQ(side.updated_on_the_way(32), of_the_vae) << "fc1's input are the rows; the classifier is used twice";
}

TEST(UpdatesOnTheWay, AreMadeForRowsThatOurProductsTake) {
  Side side(tests::settings_of({}, kDimension));
  EXPECT_TRUE(side.updated_on_the_way(7).empty());
  EXPECT_TRUE(side.updated_on_the_way(65).empty());
  EXPECT_FALSE(side.updated_on_the_way(64).empty());
}

TEST(UpdatesOnTheWay, AreAskedForAnewInEachStep) {
  Side side(tests::settings_of({}, kDimension));
  EXPECT_FALSE(side.updated_on_the_way(32).empty());
  for (const auto& gradient : side.gradients.of(side.loss(32))) {
    EXPECT_FALSE(std::holds_alternative<UpdateMade>(gradient));
  }
  side.gradients.forget();
}

TEST(UpdatesOnTheWay, OfAnUpdateThatFailsAreNotAskedForAgain) {
  Side side(tests::settings_of({}, kDimension));
  const auto failing = [](std::size_t, const FoldedGradient::Pass&) -> at::Tensor { throw std::bad_alloc(); };
  EXPECT_ANY_THROW(side.gradients.of(side.loss(32), failing));
  side.gradients.forget();
  EXPECT_NO_THROW(side.gradients.of(side.loss(32)));
}

}  // namespace
}  // namespace plume
