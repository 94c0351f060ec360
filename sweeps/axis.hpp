// The axes of a job: one list from which the canonical text, the sweep parser, `where` and `--only` are made, so that
// they agree. Private to this folder.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "storage/json.hpp"
#include "sweeps/job.hpp"

namespace sweeps {

/// Which methods an axis belongs to.
enum class Owner {
  every,
  on_features,  ///< all that read a backbone's rows: every method that reads no images
  trained,      ///< plume and plad
  plume,
  baseline,  ///< those fitted on features: neither trained nor rotation
  knn,
  k_means,
  seeded,  ///< is_seeded: trainings, k-means and rotation
};

/// What a value of an axis may be; a number may have a word beside it, such as "all" or "find".
enum class Values { words, numbers };

struct Axis {
  std::string name;  ///< as in the canonical text, e.g. "lambda"
  Owner owner;       ///< methods that have it
  Values values;
  std::function<bool(const Job&)> has_effect;                 ///< false: absent from the canonical text
  std::function<void(Job&, const storage::JsonValue&)> read;  ///< checks and stores one value
  std::function<std::string(const Job&)> text;                ///< the value as JSON text, e.g. 5 or "linear-map"
  std::function<void(Job& to, const Job& from)> copy;         ///< the value of one job into another
};

/// In the order in which blocks expand: `seed` is the last, so it varies fastest; `class` is not among them.
const std::vector<Axis>& axes();
/// `class`: an axis of a job that a block spells `classes`.
const Axis& class_axis();
/// The axis of that name or null; `class` too.
const Axis* find_axis(std::string_view name);
/// Names of all axes, `class` last.
std::vector<std::string> axis_names();

bool belongs_to(const Axis& axis, Method method);
/// The methods that have it, in the order in which messages list methods.
std::vector<Method> methods_of(const Axis& axis);
/// The axis says something about this job: it belongs to its method and has an effect.
bool shows(const Axis& axis, const Job& job);
/// The same, and a limit of rows that is not set ("all") says something too: what tells jobs apart when a person reads
/// it.
bool is_said(const Axis& axis, const Job& job);

/// Letters, digits, '-', '_' and '.', not first a '.', at most 100: what may become part of a file name. Fails at
/// `value` otherwise.
std::string read_id(const storage::JsonValue& value);

}  // namespace sweeps
