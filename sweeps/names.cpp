// The tables of names.
#include "sweeps/names.hpp"

namespace sweeps {

std::string_view name_of(Method value) {
  switch (value) {
    case Method::plume:
      return "plume";
    case Method::plad:
      return "plad";
    case Method::knn:
      return "knn";
    case Method::mahalanobis:
      return "mahalanobis";
    case Method::mean_distance:
      return "mean-distance";
    case Method::k_means:
      return "k-means";
    case Method::rotation:
      break;
  }
  return "rotation";
}

std::string_view name_of(Perturbation value) {
  switch (value) {
    case Perturbation::linear_map:
      return "linear-map";
    case Perturbation::add_mult:
      return "add-mult";
    case Perturbation::add:
      return "add";
    case Perturbation::mult:
      return "mult";
    case Perturbation::gaussian:
      break;
  }
  return "gaussian";
}

std::string_view name_of(Guidance value) {
  switch (value) {
    case Guidance::none:
      return "none";
    case Guidance::full:
      return "full";
    case Guidance::mean:
      break;
  }
  return "mean";
}

std::string_view name_of(Semantics value) {
  return value == Semantics::released ? "released" : "paper";
}

std::string_view name_of(Normalisation value) {
  switch (value) {
    case Normalisation::dataset:
      return "dataset";
    case Normalisation::normal_class:
      return "normal-class";
    case Normalisation::imagenet:
      break;
  }
  return "imagenet";
}

std::string_view name_of(ClassifierPasses value) {
  return value == ClassifierPasses::two ? "two" : "one";
}

std::string_view name_of(FeatureScaling value) {
  return value == FeatureScaling::raw ? "raw" : "l2";
}

std::string_view name_of(Save value) {
  switch (value) {
    case Save::none:
      return "none";
    case Save::classifier:
      return "classifier";
    case Save::all:
      break;
  }
  return "all";
}

template <>
const std::vector<Method>& values_of<Method>() {
  static const std::vector<Method> values = {Method::plume,       Method::plad,          Method::knn,
                                             Method::mahalanobis, Method::mean_distance, Method::k_means,
                                             Method::rotation};
  return values;
}
template <>
const std::vector<Perturbation>& values_of<Perturbation>() {
  static const std::vector<Perturbation> values = {Perturbation::linear_map, Perturbation::add_mult, Perturbation::add,
                                                   Perturbation::mult, Perturbation::gaussian};
  return values;
}
template <>
const std::vector<Guidance>& values_of<Guidance>() {
  static const std::vector<Guidance> values = {Guidance::none, Guidance::full, Guidance::mean};
  return values;
}
template <>
const std::vector<Semantics>& values_of<Semantics>() {
  static const std::vector<Semantics> values = {Semantics::released, Semantics::paper};
  return values;
}
template <>
const std::vector<Normalisation>& values_of<Normalisation>() {
  static const std::vector<Normalisation> values = {Normalisation::dataset, Normalisation::normal_class,
                                                    Normalisation::imagenet};
  return values;
}
template <>
const std::vector<ClassifierPasses>& values_of<ClassifierPasses>() {
  static const std::vector<ClassifierPasses> values = {ClassifierPasses::two, ClassifierPasses::one};
  return values;
}
template <>
const std::vector<FeatureScaling>& values_of<FeatureScaling>() {
  static const std::vector<FeatureScaling> values = {FeatureScaling::raw, FeatureScaling::l2};
  return values;
}
template <>
const std::vector<Save>& values_of<Save>() {
  static const std::vector<Save> values = {Save::none, Save::classifier, Save::all};
  return values;
}

}  // namespace sweeps
