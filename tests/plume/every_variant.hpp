// All ways to train: tests that hold for each of them take their cases from here.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "sweeps/job.hpp"

namespace tests {

using Variant = std::tuple<sweeps::Perturbation, sweeps::Guidance, sweeps::Semantics, sweeps::ClassifierPasses>;

inline sweeps::TrainingSettings settings_of(const Variant& variant, int dimension) {
  sweeps::TrainingSettings settings;
  std::tie(settings.perturbation, settings.guidance, settings.semantics, settings.classifier_passes) = variant;
  settings.dimension = dimension;
  return settings;
}

inline auto every_variant() {
  using sweeps::ClassifierPasses, sweeps::Guidance, sweeps::Perturbation, sweeps::Semantics;
  return testing::Combine(testing::Values(Perturbation::linear_map, Perturbation::add_mult, Perturbation::add,
                                          Perturbation::mult, Perturbation::gaussian),
                          testing::Values(Guidance::none, Guidance::full, Guidance::mean),
                          testing::Values(Semantics::released, Semantics::paper),
                          testing::Values(ClassifierPasses::two, ClassifierPasses::one));
}

/// "linear_map_full_released_two".
inline std::string variant_name(const testing::TestParamInfo<Variant>& variant) {
  const auto& [perturbation, guidance, semantics, passes] = variant.param;
  std::string name(sweeps::name_of(perturbation));
  for (const auto part : {sweeps::name_of(guidance), sweeps::name_of(semantics), sweeps::name_of(passes)})
    name.append(1, '_').append(part);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

}  // namespace tests
