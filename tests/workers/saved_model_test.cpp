// Detectors in files: bit-equal when read, refused when they are not what was written.
#include "workers/saved_model.hpp"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "plume/draws.hpp"
#include "plume/training.hpp"
#include "storage/error.hpp"
#include "storage/safetensors_file.hpp"
#include "tests/storage/plain_files.hpp"
#include "tests/weight_file_bytes.hpp"
#include "tests/workers/small_models.hpp"

namespace workers {
namespace {

namespace fs = std::filesystem;
using storage_test::message_of;
using storage_test::read_plainly;
using storage_test::TemporaryFolder;
using storage_test::write_plainly;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

/// With running statistics that are not those of a new model.
plume::Model model_of(const ModelFacts& facts) {
  const plume::StreamDraws draws(facts.job);
  const auto& training = facts.job.training;
  auto model = facts.job.method == sweeps::Method::plad
                   ? plume::make_plad_model(draws)
                   : plume::make_model(training.perturbation, plume::widths_of(training.dimension), draws);
  double value = 0.125;
  for (auto& [name, tensor] : model.running_statistics()) tensor.fill_(value += 0.25);
  return model;
}

void expect_same_bits(const plume::NamedTensors& found, const plume::NamedTensors& wanted) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i].first, wanted[i].first);
    ASSERT_EQ(found[i].second.sizes(), wanted[i].second.sizes()) << found[i].first;
    EXPECT_EQ(
        std::memcmp(found[i].second.const_data_ptr(), wanted[i].second.const_data_ptr(), found[i].second.nbytes()), 0)
        << found[i].first;
  }
}

std::string refusal(const fs::path& file) {
  return message_of<storage::Error>([&] { read_model(file); });
}

TEST(SavedModel, OfAllItsTensorsComesBackToTheBit) {
  const TemporaryFolder folder;
  for (auto facts : {tests::facts_of_features(), tests::facts_of_images()}) {
    facts.contents = "all";
    const auto model = model_of(facts);
    write_model(folder / "m.safetensors", facts, model);
    const auto saved = read_model(folder / "m.safetensors");
    EXPECT_EQ(saved.facts, facts);
    expect_same_bits(saved.model->parameters(), model.parameters());
    expect_same_bits(saved.model->running_statistics(), model.running_statistics());
  }
}

TEST(SavedModel, OfTheClassifierHasNoPerturbatorAndTheSameScores) {
  const TemporaryFolder folder;
  for (auto facts : {tests::facts_of_features(), tests::facts_of_images()}) {
    facts.contents = "classifier";
    const auto model = model_of(facts);
    write_model(folder / "m.safetensors", facts, model);
    const auto saved = *read_model(folder / "m.safetensors").model;
    EXPECT_FALSE(saved.vae);
    expect_same_bits(saved.running_statistics(), model.running_statistics());
    const auto rows = facts.mean.empty()
                          ? plume::InputRows::features(at::linspace(-1, 1, 40).view({5, 8}), 6)
                          : plume::InputRows::images(at::arange(2 * 3072).view({2, 3, 32, 32}).to(at::kByte), {});
    EXPECT_EQ(plume::scores_of(saved, rows, [] {}), plume::scores_of(model, rows, [] {}));
  }
}

TEST(SavedModel, IsTheSameBytesTwice) {
  const TemporaryFolder folder;
  const auto facts = tests::facts_of_features();
  for (const char* name : {"a", "b"}) write_model(folder / name, facts, model_of(facts));
  EXPECT_EQ(read_plainly(folder / "a"), read_plainly(folder / "b"));
}

TEST(SavedModel, DamagedInAnyByteOrCutAnywhereIsNotBelieved) {
  const TemporaryFolder folder;
  const auto file = folder / "m.safetensors";
  write_model(file, tests::facts_of_features(), model_of(tests::facts_of_features()));
  const auto bytes = read_plainly(file);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    auto damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 1 << i % 8);
    write_plainly(file, damaged);
    const auto message = refusal(file);
    EXPECT_THAT(message, StartsWith(file.string() + ": ")) << "byte " << i;
    EXPECT_EQ(message.find('\n'), std::string::npos) << "byte " << i;
    if (i % 4 != 0) continue;
    write_plainly(file, bytes.substr(0, i));
    EXPECT_THAT(refusal(file), StartsWith(file.string() + ": ")) << "cut to " << i;
  }
  write_plainly(file, bytes);
  EXPECT_EQ(read_model(file).facts, tests::facts_of_features());
}

/// Sealed, so that only its content can be what is wrong.
std::string refusal_of_tensors(const std::vector<storage::Float32Tensor>& tensors) {
  const TemporaryFolder folder;
  storage::write_safetensors(folder / "m", encode_facts(tests::facts_of_features()), tensors);
  return refusal(folder / "m");
}

TEST(SavedModel, RefusesTensorsThatAreNotItsJobs) {
  const std::string numbers(4 * 36, '\0');
  const std::string nan = "\xff\xff\xff\xff";
  const auto of = [&](std::size_t count) { return std::string_view(numbers).substr(0, 4 * count); };
  using Tensors = std::vector<storage::Float32Tensor>;
  const Tensors whole = {{"classifier.fc1.0.weight", {2, 6}, of(12)},  {"classifier.fc1.3.weight", {1, 2}, of(2)},
                         {"classifier.fc2.weight", {1, 1}, of(1)},     {"batch_norm.running_mean", {6}, of(6)},
                         {"batch_norm.running_var", {6}, of(6)},       {"classifier.fc1.1.running_mean", {2}, of(2)},
                         {"classifier.fc1.1.running_var", {2}, of(2)}, {"classifier.fc1.4.running_mean", {1}, of(1)},
                         {"classifier.fc1.4.running_var", {1}, of(1)}};
  {
    const TemporaryFolder folder;
    storage::write_safetensors(folder / "m", encode_facts(tests::facts_of_features()), whole);
    EXPECT_NO_THROW(read_model(folder / "m"));
  }
  for (std::size_t i = 0; i < whole.size(); ++i) {
    auto lacking = whole;
    lacking.erase(lacking.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_THAT(refusal_of_tensors(lacking), HasSubstr("lacks tensor " + whole[i].name));
  }
  auto misshapen = whole;
  misshapen[0] = {"classifier.fc1.0.weight", {6, 2}, of(12)};
  EXPECT_THAT(refusal_of_tensors(misshapen), HasSubstr("is float32 [6, 2], expected float32 [2, 6]"));
  auto more = whole;
  more.push_back({"vae.fc1.bias", {6}, of(6)});
  EXPECT_THAT(refusal_of_tensors(more), AllOf(HasSubstr("1 tensor(s)"), HasSubstr("\"vae.fc1.bias\"")));
  auto not_a_number = whole;
  not_a_number[2].bytes = nan;
  EXPECT_THAT(refusal_of_tensors(not_a_number), HasSubstr("classifier.fc2.weight has numbers that are not finite"));
}

TEST(SavedModel, IsNoOtherFile) {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& bytes) {
    write_plainly(folder / "x", bytes);
    return refusal(folder / "x");
  };
  EXPECT_THAT(refused(tests::safetensors_file(R"({"a":{"dtype":"F32","shape":[],"data_offsets":[0,4]}})", "abcd")),
              HasSubstr("is a safetensors file, but no detector of plume-bench"));
  EXPECT_THAT(refused(tests::zip_file({{"a", "b"}})), AllOf(HasSubstr("PyTorch zip"), HasSubstr("\"save\"")));
  EXPECT_THAT(refused("{}"), HasSubstr("expected a detector"));
  EXPECT_THAT(refused(""), HasSubstr("expected a detector"));
  EXPECT_THAT(refusal(folder / "nowhere"), HasSubstr("nowhere"));
  EXPECT_THAT(refusal(folder.path()), HasSubstr("expected a file"));
}

}  // namespace
}  // namespace workers
