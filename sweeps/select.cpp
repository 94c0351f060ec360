// `--only class=cat,seed=0`: which jobs of a plan to run.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "storage/error.hpp"
#include "storage/nearest.hpp"
#include "sweeps/axis.hpp"
#include "sweeps/sweep.hpp"

namespace sweeps {
namespace {

using storage::in_quotes;
using storage::UsageError;

/// The value as it would stand in a sweep file: a number where it reads as one and the axis has numbers, else a word.
std::string as_json(const Axis& axis, const std::string& word) {
  double number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  const bool reads_as_number = error == std::errc() && end == word.data() + word.size() && std::isfinite(number);
  return axis.values == Values::numbers && reads_as_number ? word : in_quotes(word);
}

std::string without_quotes(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), '"'), text.end());
  return text;
}

/// Fails unless some job has one of the values.
void check_present(const Plan& plan, const Axis& axis, const std::string& text) {
  std::vector<std::string> values;
  for (const Job& job : plan.jobs) {
    if (!is_said(axis, job)) continue;
    const std::string value = axis.text(job);
    if (value == text) return;
    const std::string plain = without_quotes(value);
    if (std::find(values.begin(), values.end(), plain) == values.end()) values.push_back(plain);
  }
  std::string hint = "; expected " + storage::listed(values);
  if (values.empty()) hint = "; no job has a " + axis.name;
  if (text.front() == '"')
    hint = storage::suggestion(without_quotes(text), values);  // no number is a mistyped other one
  throw UsageError("--only: " + axis.name + ": no job has " + text + hint);
}

/// axis name -> texts, one of which a job must have.
std::map<std::string, std::vector<std::string>> parse(const Plan& plan, const std::string& only) {
  std::map<std::string, std::vector<std::string>> asked;
  std::size_t start = 0;
  while (start <= only.size()) {
    const std::size_t end = std::min(only.find(',', start), only.size());
    const std::string part = only.substr(start, end - start);
    start = end + 1;
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == part.size()) {
      throw UsageError("--only: expected axis=value[,axis=value], e.g. class=cat,seed=0; found " + in_quotes(part));
    }
    const std::string name = part.substr(0, equals);
    const Axis* axis = find_axis(name);
    if (axis == nullptr)
      throw UsageError("--only: unknown axis " + in_quotes(name) + storage::suggestion(name, axis_names()));
    const auto value =
        storage::parse_json(as_json(*axis, part.substr(equals + 1)), "--only: " + name, storage::Blame::user);
    Job scratch;
    axis->read(scratch, value);
    asked[name].push_back(axis->text(scratch));
    check_present(plan, *axis, asked[name].back());
  }
  return asked;
}

}  // namespace

std::vector<std::size_t> select_jobs(const Plan& plan, const std::string& only) {
  const auto asked = parse(plan, only);
  std::vector<std::size_t> selected;
  for (std::size_t i = 0; i < plan.jobs.size(); ++i) {
    const Job& job = plan.jobs[i];
    const auto has = [&job](const auto& wanted) {
      const Axis& axis = *find_axis(wanted.first);
      const auto& texts = wanted.second;
      return is_said(axis, job) && std::find(texts.begin(), texts.end(), axis.text(job)) != texts.end();
    };
    if (std::all_of(asked.begin(), asked.end(), has)) selected.push_back(i);
  }
  if (selected.empty())
    throw UsageError("--only: " + only + ": there are jobs with each of these values, but none with all");
  return selected;
}

}  // namespace sweeps
