// One training or baseline fit: an immutable value, its canonical text and its key. Knows nothing of paths, ranks or
// threads.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "storage/json.hpp"

namespace sweeps {

/// Raised whenever a change of the code changes numbers or what a record holds; part of every job's key.
inline constexpr int kEngineVersion = 6;
/// Records of this version on can be read, for tables; only those of ours go on.
inline constexpr int kOldestReadableEngine = 3;
/// The paper's row width; any other `dimension` marks a table "reduced".
inline constexpr int kPaperDimension = 3072;

/// plume and plad are trained as the paper says; the others are baselines that are not in the paper: fitted on the same
/// features, but rotation, which trains a network of its own on the images by a fixed recipe.
enum class Method { plume, plad, knn, mahalanobis, mean_distance, k_means, rotation };
enum class Perturbation { linear_map, add_mult, add, mult, gaussian };  // method.md section 3
enum class Guidance { none, full, mean };                               // section 4
enum class Semantics { released, paper };  // what the released code computes, or what the equations say
enum class Normalisation { dataset, normal_class, imagenet };  // section 1.2
enum class ClassifierPasses { two, one };                      // "Where they differ"
enum class FeatureScaling { raw, l2 };                         // baselines only

/// plume and plad: epochs, losses, a schedule.
bool is_trained(Method method);
/// Trainings, k-means and rotation: several seeds give a spread.
bool is_seeded(Method method);
/// plad and rotation: rows are images of 3x32x32 bytes, not a backbone's features.
bool reads_images(Method method);

/// Names as written in a sweep and in the canonical text, e.g. linear_map <-> "linear-map".
std::string_view name_of(Method);
std::string_view name_of(Perturbation);
std::string_view name_of(Guidance);
std::string_view name_of(Semantics);
std::string_view name_of(Normalisation);
std::string_view name_of(ClassifierPasses);
std::string_view name_of(FeatureScaling);

/// Settings that only a training has. PLAD has fewer: its perturbation is add-mult, without guidance, in one classifier
/// pass, at the size of a 3x32x32 image.
struct TrainingSettings {
  Perturbation perturbation = Perturbation::linear_map;
  Guidance guidance = Guidance::full;
  Semantics semantics = Semantics::released;
  ClassifierPasses classifier_passes = ClassifierPasses::two;
  int dimension = kPaperDimension;  ///< D, a multiple of 6, >= 6
  int epochs = 100;
  int batch_size = 32;
  std::optional<double> learning_rate;  ///< the one-cycle's maximum; absent: `find`, a range test before the training
  double weight_decay = 0.01;
  double lambda = 5;  ///< weight of the noise loss; no effect for gaussian
  double nu = 1;      ///< weight of the KL term; no effect for gaussian
  double gamma = 1;   ///< weight of the guidance; no effect without guidance
  double tau = 0.5;   ///< temperature; only full guidance, and mean guidance in `paper` semantics
  double sigma = 1;   ///< gaussian only

  auto operator<=>(const TrainingSettings&) const = default;
};

/// Settings that only a baseline has.
struct BaselineSettings {
  int k = 2;  ///< knn: neighbours, as many as training rows at most
  FeatureScaling scaling = FeatureScaling::raw;
  int clusters = 10;  ///< k-means: centres, as many as training rows at most

  auto operator<=>(const BaselineSettings&) const = default;
};

struct Job {
  std::string dataset;               ///< id, e.g. "cifar10"
  std::string normal_class;          ///< official name of a class, e.g. "airplane", or the name of a set of classes
  std::vector<std::string> members;  ///< the classes of such a set, in official order; empty for a class
  Method method = Method::plume;
  std::string backbone;  ///< e.g. "efficientnet-lite0"; "features" for a data set of that kind; reads_images: none
  Normalisation normalisation = Normalisation::dataset;  ///< of what the backbone sees; no effect without one
  std::optional<std::int64_t> train_rows;                ///< the first k of each class; absent: all
  std::optional<std::int64_t> test_rows;
  std::uint64_t seed = 0;     ///< is_seeded methods only
  TrainingSettings training;  ///< default-constructed unless the method is trained
  BaselineSettings baseline;  ///< default-constructed unless the method is a baseline

  auto operator<=>(const Job&) const = default;
};

/// The same job with every field that has no effect set to its default, so that equal trainings are equal values
/// (lambda and nu for gaussian; sigma for all others; gamma, tau for guidance none; tau for mean/released; semantics
/// and classifier_passes where nothing differs; everything that another method has).
Job normalised(Job job);

/// UTF-8 JSON, keys sorted, no spaces, doubles in shortest round-trip form; fields without effect absent;
/// engine_version in it.
std::string canonical_text(const Job& job, int engine_version = kEngineVersion);
/// The inverse; refuses unknown keys, values out of range and another engine_version.
Job read_job(const storage::JsonValue& value, int engine_version = kEngineVersion);

/// The first 16 bytes of the SHA-256 of the canonical text, as 32 hexadecimal digits.
struct JobKey {
  std::string hex;
  auto operator<=>(const JobKey&) const = default;
};
JobKey key_of(const Job& job, int engine_version = kEngineVersion);

/// Indices into `classes`, the data set's, of what the job trains on: its normal class, or the members of its normal
/// set. Throws storage::Error naming a class that is not there.
std::vector<int> normal_classes_of(const Job& job, const std::vector<std::string>& classes);

/// For messages and logs, e.g. "cifar10/airplane linear-map+full lambda 5 seed 0", "cifar10/airplane plad lambda 5 seed
/// 0", "cifar10/airplane knn l2 k 2" or "cifar10/airplane rotation seed 0".
std::string describe(const Job& job);

/// Expected seconds relative to other jobs, see sweeps/cost.hpp. For scheduling (longest first), not for people.
double relative_cost(const Job& job, std::int64_t rows, std::int64_t test_rows, std::int64_t length);

}  // namespace sweeps

template <>
struct std::hash<sweeps::JobKey> {
  std::size_t operator()(const sweeps::JobKey& key) const noexcept { return std::hash<std::string>{}(key.hex); }
};
