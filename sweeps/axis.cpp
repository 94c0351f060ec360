// The list of axes: for each its name, owner, effect, range and text. Which field has an effect on which job is decided
// here and nowhere else.
#include "sweeps/axis.hpp"

#include <algorithm>
#include <cctype>

#include "storage/nearest.hpp"
#include "sweeps/backbones.hpp"
#include "sweeps/names.hpp"

namespace sweeps {
namespace {

using storage::JsonValue;

constexpr double kLargest = 1e6;  // of a weight, rate or scale
constexpr std::int64_t kMostRows = 1'000'000'000;
constexpr std::int64_t kLargestSeed = std::int64_t{1} << 53;  // exact in every JSON reader

bool always(const Job&) {
  return true;
}
/// gaussian has no VAE, so neither noise loss nor KL. plad always has one, whatever a block gives plume beside it.
bool has_perturbator(const Job& job) {
  return job.method == Method::plad || job.training.perturbation != Perturbation::gaussian;
}
bool is_guided(const Job& job) {
  return job.training.guidance != Guidance::none;
}
bool has_temperature(const Job& job) {
  const TrainingSettings& t = job.training;
  return t.guidance == Guidance::full || (t.guidance == Guidance::mean && t.semantics == Semantics::paper);
}
bool has_two_readings(const Job& job) {
  return has_perturbator(job) || is_guided(job);
}
/// The user's own features are taken as they are.
bool has_normalised_input(const Job& job) {
  return job.backbone != kOwnFeatures;
}
bool may_pass_once(const Job& job) {
  return job.training.perturbation == Perturbation::add_mult && !is_guided(job);
}

template <typename E, typename Field>
Axis choice(std::string name, Owner owner, std::function<bool(const Job&)> has_effect, Field field) {
  return {std::move(name),
          owner,
          Values::words,
          std::move(has_effect),
          [field](Job& job, const JsonValue& value) { field(job) = read_name<E>(value); },
          [field](const Job& job) { return storage::in_quotes(name_of(field(job))); },
          [field](Job& to, const Job& from) { field(to) = field(from); }};
}

Axis whole(std::string name, Owner owner, const std::function<int&(Job&)>& field, int least, int most,
           int multiple_of = 1) {
  return {std::move(name),
          owner,
          Values::numbers,
          always,
          [=](Job& job, const JsonValue& value) {
            const auto number = value.integer(least, most);
            if (number % multiple_of != 0) {
              value.fail("expected a multiple of " + std::to_string(multiple_of) + ", found " + std::to_string(number));
            }
            field(job) = static_cast<int>(number);
          },
          [=](const Job& job) {
            Job copy = job;
            return std::to_string(field(copy));
          },
          [=](Job& to, const Job& from) {
            Job copy = from;
            field(to) = field(copy);
          }};
}

enum class Zero { allowed, refused };

double read_number(const JsonValue& value, Zero zero) {
  const double number = value.number();
  const bool in_range = zero == Zero::allowed ? number >= 0 : number > 0;
  if (!in_range || number > kLargest) {
    const std::string from = zero == Zero::allowed ? "of at least 0" : "above 0";
    value.fail("expected a number " + from + " and at most " + storage::shortest(kLargest) + ", found " + value.text());
  }
  return number + 0.0;  // -0 and 0 are one value
}

Axis real(std::string name, Owner owner, double TrainingSettings::*field, Zero zero,
          std::function<bool(const Job&)> has_effect) {
  return {std::move(name),
          owner,
          Values::numbers,
          std::move(has_effect),
          [=](Job& job, const JsonValue& value) { job.training.*field = read_number(value, zero); },
          [=](const Job& job) { return storage::shortest(job.training.*field + 0.0); },
          [=](Job& to, const Job& from) { to.training.*field = from.training.*field; }};
}

/// A number, or "find": the range test chooses it.
Axis learning_rate() {
  return {"lr",
          Owner::trained,
          Values::numbers,
          always,
          [](Job& job, const JsonValue& value) {
            if (value.is_number()) {
              job.training.learning_rate = read_number(value, Zero::refused);
            } else if (value.is_string() && value.string() == "find") {
              job.training.learning_rate = std::nullopt;
            } else {
              value.fail("expected a number such as 1e-3, or \"find\" for a range test, found " + value.text());
            }
          },
          [](const Job& job) {
            const auto& rate = job.training.learning_rate;
            return rate ? storage::shortest(*rate) : std::string("\"find\"");
          },
          [](Job& to, const Job& from) { to.training.learning_rate = from.training.learning_rate; }};
}

Axis row_limit(std::string name, std::optional<std::int64_t> Job::*field, std::int64_t least) {
  return {std::move(name),
          Owner::every,
          Values::numbers,
          [field](const Job& job) { return (job.*field).has_value(); },
          [=](Job& job, const JsonValue& value) {
            if (value.is_string() && value.string() == "all") {
              job.*field = std::nullopt;
            } else if (value.is_string()) {
              value.fail("expected a whole number or \"all\", found " + value.text());
            } else {
              job.*field = value.integer(least, kMostRows);
            }
          },
          [field](const Job& job) { return job.*field ? std::to_string(*(job.*field)) : std::string("\"all\""); },
          [field](Job& to, const Job& from) { to.*field = from.*field; }};
}

Axis backbone() {
  return {"backbone",
          Owner::on_features,
          Values::words,
          always,
          [](Job& job, const JsonValue& value) {
            job.backbone = value.string();
            const std::vector<std::string> names = backbone_names();
            if (job.backbone == kOwnFeatures || std::find(names.begin(), names.end(), job.backbone) != names.end())
              return;
            value.fail(why_no_backbone(job.backbone));
          },
          [](const Job& job) { return storage::in_quotes(job.backbone); },
          [](Job& to, const Job& from) { to.backbone = from.backbone; }};
}

std::vector<Axis> all_axes() {
  const auto training = [](auto member) {
    return [member](auto& job) -> auto& {
      return job.training.*member;
    };
  };
  using T = TrainingSettings;
  return {
      {"dataset", Owner::every, Values::words, always,
       [](Job& job, const JsonValue& value) { job.dataset = read_id(value); },
       [](const Job& job) { return storage::in_quotes(job.dataset); },
       [](Job& to, const Job& from) { to.dataset = from.dataset; }},
      choice<Method>(
          "method", Owner::every, always, [](auto& job) -> auto& { return job.method; }),
      backbone(),
      choice<Normalisation>(
          "normalisation", Owner::on_features, has_normalised_input,
          [](auto& job) -> auto& { return job.normalisation; }),
      row_limit("train_rows", &Job::train_rows, 2),
      row_limit("test_rows", &Job::test_rows, 1),
      choice<Perturbation>("perturbation", Owner::plume, always, training(&T::perturbation)),
      choice<Guidance>("guidance", Owner::plume, always, training(&T::guidance)),
      choice<Semantics>("semantics", Owner::trained, has_two_readings, training(&T::semantics)),
      choice<ClassifierPasses>("classifier_passes", Owner::plume, may_pass_once, training(&T::classifier_passes)),
      whole("dimension", Owner::plume, training(&T::dimension), 6, 65536, 6),
      whole("epochs", Owner::trained, training(&T::epochs), 1, 100'000),
      whole("batch_size", Owner::trained, training(&T::batch_size), 2, 65536),
      learning_rate(),
      real("weight_decay", Owner::trained, &T::weight_decay, Zero::allowed, always),
      real("lambda", Owner::trained, &T::lambda, Zero::allowed, has_perturbator),
      real("nu", Owner::trained, &T::nu, Zero::allowed, has_perturbator),
      real("gamma", Owner::plume, &T::gamma, Zero::allowed, is_guided),
      real("tau", Owner::plume, &T::tau, Zero::refused, has_temperature),
      real("sigma", Owner::plume, &T::sigma, Zero::refused, [](const Job& job) { return !has_perturbator(job); }),
      choice<FeatureScaling>(
          "scaling", Owner::baseline, always, [](auto& job) -> auto& { return job.baseline.scaling; }),
      whole(
          "k", Owner::knn, [](Job& job) -> int& { return job.baseline.k; }, 1, 65536),
      whole(
          "clusters", Owner::k_means, [](Job& job) -> int& { return job.baseline.clusters; }, 1, 65536),
      {"seed", Owner::seeded, Values::numbers, always,
       [](Job& job, const JsonValue& value) { job.seed = static_cast<std::uint64_t>(value.integer(0, kLargestSeed)); },
       [](const Job& job) { return std::to_string(job.seed); }, [](Job& to, const Job& from) { to.seed = from.seed; }},
  };
}

}  // namespace

const std::vector<Axis>& axes() {
  static const std::vector<Axis> list = all_axes();
  return list;
}

const Axis& class_axis() {
  static const Axis axis = {"class",
                            Owner::every,
                            Values::words,
                            always,
                            [](Job& job, const JsonValue& value) {
                              job.normal_class = value.string();
                              if (job.normal_class.empty()) value.fail("expected the name of a class, found \"\"");
                            },
                            [](const Job& job) { return storage::in_quotes(job.normal_class); },
                            [](Job& to, const Job& from) { to.normal_class = from.normal_class; }};
  return axis;
}

const Axis* find_axis(std::string_view name) {
  if (name == class_axis().name) return &class_axis();
  for (const Axis& axis : axes()) {
    if (axis.name == name) return &axis;
  }
  return nullptr;
}

std::vector<std::string> axis_names() {
  std::vector<std::string> names;
  for (const Axis& axis : axes()) names.push_back(axis.name);
  names.push_back(class_axis().name);
  return names;
}

bool belongs_to(const Axis& axis, Method method) {
  switch (axis.owner) {
    case Owner::every:
      return true;
    case Owner::on_features:
      return !reads_images(method);
    case Owner::trained:
      return is_trained(method);
    case Owner::plume:
      return method == Method::plume;
    case Owner::baseline:
      return !is_trained(method) && !reads_images(method);
    case Owner::knn:
      return method == Method::knn;
    case Owner::k_means:
      return method == Method::k_means;
    case Owner::seeded:
      break;
  }
  return is_seeded(method);
}

std::vector<Method> methods_of(const Axis& axis) {
  std::vector<Method> methods;
  for (const Method method : values_of<Method>()) {
    if (belongs_to(axis, method)) methods.push_back(method);
  }
  return methods;
}

bool shows(const Axis& axis, const Job& job) {
  return belongs_to(axis, job.method) && axis.has_effect(job);
}

bool is_said(const Axis& axis, const Job& job) {
  return shows(axis, job) || axis.name == "train_rows" || axis.name == "test_rows";
}

std::string read_id(const storage::JsonValue& value) {
  std::string id = value.string();
  const auto allowed = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
  };
  const bool good = !id.empty() && id.size() <= 100 && id.front() != '.' && std::all_of(id.begin(), id.end(), allowed);
  if (!good) {
    value.fail("expected 1 to 100 letters, digits, '-', '_' and '.', not beginning with '.'; found " + value.text());
  }
  return id;
}

}  // namespace sweeps
