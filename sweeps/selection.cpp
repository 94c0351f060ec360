// Selections against jobs. An axis matches only jobs of methods that have it.
#include "sweeps/selection.hpp"

#include <algorithm>

#include "storage/nearest.hpp"
#include "sweeps/axis.hpp"

namespace sweeps {
namespace {

bool matches(const std::string& axis_name, const std::vector<std::string>& texts, const Job& job) {
  const Axis& axis = *find_axis(axis_name);
  return belongs_to(axis, job.method) && std::find(texts.begin(), texts.end(), axis.text(job)) != texts.end();
}

/// The values of an axis among jobs that have it, in the order met.
std::vector<std::string> values_among(const std::string& axis_name, const std::vector<const Job*>& jobs) {
  const Axis& axis = *find_axis(axis_name);
  std::vector<std::string> values;
  for (const Job* job : jobs) {
    if (!belongs_to(axis, job->method)) continue;
    const std::string text = axis.text(*job);
    if (std::find(values.begin(), values.end(), text) == values.end()) values.push_back(text);
  }
  return values;
}

}  // namespace

bool matches(const Selection& where, const Job& job, const std::string& except) {
  for (const auto& [name, texts] : where.axes) {
    if (name != except && !matches(name, texts, job)) return false;
  }
  return true;
}

std::string why_no_match(const Selection& where, const std::vector<const Job*>& jobs, const std::string& whose) {
  for (const auto& [name, texts] : where.axes) {
    std::vector<const Job*> others;
    for (const Job* job : jobs) {
      if (matches(where, *job, name)) others.push_back(job);
    }
    if (others.empty()) continue;
    const std::string asked = "matches no job: " + name + " is " + storage::listed(texts) + ", but ";
    const std::vector<std::string> values = values_among(name, others);
    if (values.empty()) return asked + "the jobs that match the rest have no " + name;
    return asked + "the jobs that match the rest have " + storage::listed(values);
  }
  for (const auto& [name, texts] : where.axes) {
    if (std::any_of(jobs.begin(), jobs.end(),
                    [&, &name = name, &texts = texts](const Job* job) { return matches(name, texts, *job); })) {
      continue;
    }
    return "matches no job: " + name + " is " + storage::listed(texts) + ", but the " + whose + " have " +
           storage::listed(values_among(name, jobs));
  }
  return "matches no job: each of its axes matches some, but no job has all its values";
}

}  // namespace sweeps
