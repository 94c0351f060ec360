// Names of enumeration values as written in sweeps and canonical texts, and the way back. Private to this folder.
#pragma once

#include <string>
#include <vector>

#include "storage/json.hpp"
#include "storage/nearest.hpp"
#include "sweeps/job.hpp"
#include "sweeps/keep.hpp"

namespace sweeps {

/// All values of an enumeration, in the order in which messages list them.
template <typename E>
const std::vector<E>& values_of();
template <>
const std::vector<Method>& values_of<Method>();
template <>
const std::vector<Perturbation>& values_of<Perturbation>();
template <>
const std::vector<Guidance>& values_of<Guidance>();
template <>
const std::vector<Semantics>& values_of<Semantics>();
template <>
const std::vector<Normalisation>& values_of<Normalisation>();
template <>
const std::vector<ClassifierPasses>& values_of<ClassifierPasses>();
template <>
const std::vector<FeatureScaling>& values_of<FeatureScaling>();
template <>
const std::vector<Save>& values_of<Save>();

/// The value of that name; an unknown one fails at `value` with the nearest right one.
template <typename E>
E read_name(const storage::JsonValue& value) {
  const std::string word = value.string();
  std::vector<std::string> names;
  for (const E candidate : values_of<E>()) {
    if (word == name_of(candidate)) return candidate;
    names.emplace_back(name_of(candidate));
  }
  value.fail("unknown value " + storage::in_quotes(word) + storage::suggestion(word, names));
}

}  // namespace sweeps
