// Every backbone against tests/golden/backbones, in float32 and in float64, and what each of them refuses.
#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "plume/backbone.hpp"
#include "plume/backbone_parameters.hpp"
#include "plume/convnext_base.hpp"
#include "plume/efficientnet_lite0.hpp"
#include "plume/random_weights.hpp"
#include "plume/resnet50.hpp"
#include "plume/vgg16.hpp"
#include "storage/error.hpp"
#include "sweeps/backbones.hpp"
#include "tests/plume/golden_features.hpp"

namespace plume {
namespace {

using testing::HasSubstr;

struct Network {
  const char* name;
  const char* fixture;
  std::vector<ParameterSpec> (*entries)();
  std::unique_ptr<Backbone> (*make)(const std::vector<WeightTensor>& tensors, const std::string& origin);
  const char* unused;  ///< how names of the classifier begin
  double float32_tolerance;
  int sizes;  ///< of the three
};

const Network kNetworks[] = {
    {"efficientnet-lite0", "efficientnet_lite0", efficientnet_lite0_entries, make_efficientnet_lite0, "_fc.", 1e-5, 2},
    {"resnet50", "resnet50", resnet50_entries, make_resnet50, "fc.", 2e-6, 3},
    {"vgg16", "vgg16", vgg16_entries, make_vgg16, "classifier.6.", 1e-5, 3},
    {"convnext-base", "convnext_base", convnext_base_entries, make_convnext_base, "classifier.", 3e-6, 3},
};

void PrintTo(const Network& network, std::ostream* out) {
  *out << network.name;
}

struct Size {
  const char* name;
  int batch, height, width;
};
constexpr Size kSizes[] = {{"224", 2, 224, 224}, {"96", 1, 96, 96}, {"97x131", 1, 97, 131}};

std::string test_name(const testing::TestParamInfo<Network>& given) {
  return given.param.fixture;
}

void expect_golden_features(const Backbone& backbone, const Network& network, const Size& size, at::ScalarType dtype,
                            double tolerance) {
  SCOPED_TRACE(std::string(size.name) + " " + at::toString(dtype));
  std::vector<float> images = golden::formula_images(size.batch, size.height, size.width);
  const at::Tensor input = at::from_blob(images.data(), {size.batch, 3, size.height, size.width}, at::kFloat);
  const at::Tensor expected = golden::read_doubles_as({size.batch, backbone_row_length(network.name)},
                                                      std::string(network.fixture) + "_" + size.name + ".f64");
  golden::expect_close(backbone.forward(input.to(dtype)), expected, tolerance);
}

class GoldenBackbone : public testing::TestWithParam<Network> {
 protected:
  static std::vector<Size> sizes() { return {kSizes, kSizes + GetParam().sizes}; }
};

/// One test a network, because the weights of one take up to half a gigabyte.
TEST_P(GoldenBackbone, HasTheFeaturesOfTheFormulasWeights) {
  const Network& network = GetParam();
  std::vector<WeightTensor> tensors = golden::formula_weights(network.fixture);
  const auto backbone = network.make(tensors, "formula");
  tensors = {};

  for (const Size& size : sizes())
    expect_golden_features(*backbone, network, size, at::kFloat, network.float32_tolerance);
  backbone->to(at::kDouble);
  for (const Size& size : sizes()) expect_golden_features(*backbone, network, size, at::kDouble, 1e-12);
}

TEST_P(GoldenBackbone, OfRandomSeedZeroIsThatOfTheFormulasWeights) {
  const Network& network = GetParam();
  const nlohmann::json keys = golden::read_json(std::string("keys_") + network.fixture + ".json").at("state_dict");
  std::vector<WeightTensor> tensors = random_weights(network.entries(), 0);
  ASSERT_EQ(tensors.size(), keys.size());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    ASSERT_EQ(tensors[i].name, keys[i].at("key"));
    EXPECT_EQ(tensors[i].shape, keys[i].at("shape").get<std::vector<std::int64_t>>()) << tensors[i].name;
    EXPECT_EQ(golden::crc_text(tensors[i].bytes.data(), tensors[i].bytes.size()), keys[i].at("crc32"))
        << tensors[i].name;
  }
  tensors = {};

  const auto backbone = load_backbone(network.name, "random:0");
  expect_golden_features(*backbone, network, kSizes[1], at::kFloat, network.float32_tolerance);
}

INSTANTIATE_TEST_SUITE_P(Networks, GoldenBackbone, testing::ValuesIn(kNetworks), test_name);

TEST(GoldenImages, AreThoseOfTheFixtures) {
  const auto runs = golden::read_json("features_resnet50.json").at("runs");
  for (std::size_t i = 0; i < 3; ++i) {
    const std::vector<float> images = golden::formula_images(kSizes[i].batch, kSizes[i].height, kSizes[i].width);
    ASSERT_EQ(runs.at(i).at("size"), kSizes[i].name);
    EXPECT_EQ(golden::crc_text(images.data(), images.size() * sizeof(float)), runs.at(i).at("input_crc32"));
  }
}

TEST(RandomWeights, OfAnotherSeedAreOtherStreamsOfTheFormula) {
  const auto first_two = [](const std::vector<WeightTensor>& tensors, std::size_t j) {
    float values[2];
    std::memcpy(values, tensors.at(j).bytes.data(), sizeof values);
    return std::pair(values[0], values[1]);
  };
  const std::vector<ParameterSpec> entries = {{"norm.weight", {2}}, {"norm.bias", {2}}};

  const auto of_one = random_weights(entries, 1);  // entry j is the formula's entry j + 100003
  EXPECT_EQ(first_two(of_one, 0), std::pair(1.0037115812301636f, 1.0665923357009888f));
  EXPECT_EQ(first_two(of_one, 1), std::pair(-0.06858599185943604f, 0.09264981001615524f));
  const auto of_the_last = random_weights(entries, sweeps::kLastWeightsSeed);
  EXPECT_EQ(first_two(of_the_last, 1), std::pair(-0.02121204137802124f, 0.09205260127782822f));
}

WeightTensor zeros(const ParameterSpec& spec) {
  std::size_t bytes = sizeof(float);
  for (const std::int64_t size : spec.shape) bytes *= static_cast<std::size_t>(size);
  return {spec.name, Dtype::float32, spec.shape, std::string(bytes, '\0')};
}

class BackboneWeights : public testing::TestWithParam<Network> {
 protected:
  /// As in a file without the counters and the classifier.
  static std::vector<WeightTensor> needed_tensors() {
    std::vector<WeightTensor> tensors;
    for (const ParameterSpec& spec : GetParam().entries()) {
      if (!spec.name.starts_with(GetParam().unused) && !spec.name.ends_with("num_batches_tracked"))
        tensors.push_back(zeros(spec));
    }
    return tensors;
  }
  static std::string refusal(const std::vector<WeightTensor>& tensors) {
    try {
      GetParam().make(tensors, "file.pth");
    } catch (const storage::Error& error) {
      return error.what();
    }
    return "accepted";
  }
};

TEST_P(BackboneWeights, NeedNeitherCountersNorTheClassifier) {
  const auto backbone = GetParam().make(needed_tensors(), "file.pth");
  for (const std::vector<std::int64_t>& shape :
       {std::vector<std::int64_t>{1, 3, 224}, {224, 224, 3}, {1, 224, 224, 3}, {1, 1, 224, 224}, {1, 3, 31, 224}}) {
    EXPECT_THROW(backbone->forward(at::zeros(shape)), storage::Error) << at::IntArrayRef(shape);
  }
}

TEST_P(BackboneWeights, ThatAreMissingUnexpectedOrMisshapenAreNamed) {
  std::vector<WeightTensor> tensors = needed_tensors();
  const std::size_t count = tensors.size();
  const std::string first = tensors.front().name, last = tensors.back().name;
  tensors.front().shape.push_back(1);
  tensors.pop_back();
  tensors.push_back(zeros({"head.weight", {2}}));

  const std::string message = refusal(tensors);

  EXPECT_THAT(message, HasSubstr("file.pth: the weights do not fit the network, 3 tensors differ: " + first + " is ["));
  EXPECT_THAT(message, HasSubstr("; " + last + " is missing; head.weight is unexpected"));
  EXPECT_THAT(refusal({}), HasSubstr(std::to_string(count) + " tensors differ"));
  EXPECT_THAT(refusal({}), HasSubstr("; and " + std::to_string(count - 10) + " more"));
}

INSTANTIATE_TEST_SUITE_P(Networks, BackboneWeights, testing::ValuesIn(kNetworks), test_name);

}  // namespace
}  // namespace plume
