// What the golden tests share beyond reading files: settings and models of the fixtures, and comparisons with the
// tolerances of tests/golden/method/README.md section 13.
#pragma once

#include <ATen/ATen.h>

#include <map>
#include <string>
#include <vector>

#include "plume/model.hpp"
#include "plume/training_step.hpp"
#include "sweeps/job.hpp"
#include "tests/plume/golden_files.hpp"

namespace golden {

using Tensors = std::map<std::string, at::Tensor>;

inline constexpr double kLossTolerance = 3e-6;

/// What a fixture's json says of its training; what it does not say keeps its default.
sweeps::TrainingSettings settings_of(const nlohmann::json& fixture, int dimension);
/// The model of width 24 whose initial parameters small_common.safetensors holds.
plume::Model small_model(const sweeps::TrainingSettings& settings, const Tensors& common, at::ScalarType dtype);
std::vector<at::Tensor> tensors_of(const plume::NamedTensors& named_tensors);
std::vector<std::int64_t> indices_of(const at::Tensor& row);
std::vector<bool> normals_of(const at::Tensor& labels, int normal);
std::vector<double> doubles_of(const at::Tensor& values);

/// Parameters and running statistics against `<prefix>/<name>`; every stored array must be met.
void expect_state(const plume::Model& model, const Tensors& fixture, const std::string& prefix, double tolerance);
/// The terms that a fixture gives.
void expect_losses(const plume::StepLosses& losses, const nlohmann::json& terms,
                   const sweeps::TrainingSettings& settings, double absolute, double relative);

double l2(const at::Tensor& tensor);
/// Elements of the digest's positions, and the norm.
void expect_digest(const at::Tensor& tensor, const nlohmann::json& digest, double element_absolute,
                   double element_relative, double norm_relative, const std::string& what);

}  // namespace golden
