// Names of settings for people: rows of tables that a sweep does not name itself, and the runs of a report.
#include <algorithm>
#include <set>

#include "sweeps/axis.hpp"
#include "sweeps/sweep.hpp"

namespace sweeps {
namespace {

/// "linear-map + full", "gaussian", "plad", "knn l2": told apart by these alone, a name needs no more.
std::string short_name(const Job& job) {
  if (job.method == Method::plume) {
    const std::string perturbation(name_of(job.training.perturbation));
    if (job.training.guidance == Guidance::none) return perturbation;
    return perturbation + " + " + std::string(name_of(job.training.guidance));
  }
  const std::string method(name_of(job.method));
  const bool has_scaling = shows(*find_axis("scaling"), job);
  return has_scaling ? method + " " + std::string(name_of(job.baseline.scaling)) : method;
}

std::string without_quotes(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), '"'), text.end());
  return text;
}

/// The axes of which `jobs` have several values, but those that a short name or another column says.
std::vector<const Axis*> varying_axes(const std::vector<Job>& jobs) {
  static const std::set<std::string> said = {"dataset", "method", "perturbation", "guidance", "scaling", "seed"};
  std::vector<const Axis*> varying;
  for (const Axis& axis : axes()) {
    if (said.count(axis.name) != 0) continue;
    std::set<std::string> texts;
    for (const Job& job : jobs) {
      if (is_said(axis, job)) texts.insert(axis.text(job));
    }
    if (texts.size() > 1) varying.push_back(&axis);
  }
  return varying;
}

}  // namespace

std::vector<std::string> setting_names(const std::vector<Job>& jobs) {
  const std::vector<const Axis*> varying = varying_axes(jobs);
  std::vector<std::string> names;
  for (const Job& job : jobs) {
    std::string name = short_name(job);
    for (const Axis* axis : varying) {
      if (is_said(*axis, job)) name += ", " + axis->name + " " + without_quotes(axis->text(job));
    }
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace sweeps
