// What a job costs, from the shapes of method.md section 2.
#include "sweeps/cost.hpp"

#include <algorithm>
#include <cmath>

namespace sweeps {
namespace {

constexpr double kBytesPerParameter = 40;  // one step: weights forward and backward, gradient, AdamW's moments
constexpr double kBytesPerFeature = 4;
constexpr double kRangeTestSteps = 100;
constexpr double kLloydRounds = 30;  // of k-means, a guess
/// plad's classifier at 3x32x32: 25 x (3 x 16 x 32^2 + 16 x 32 x 16^2 + 32 x 64 x 8^2 + 64 x 128 x 4^2) = 11.1e6
/// products in its convolutions; its weights are few.
constexpr double kImageClassifierFlops = 2 * 11.1e6;
/// 25 x (3 x 16 + 16 x 32 + 32 x 64 + 64 x 128) + 512 x 128 + 128 x 64 + 64
constexpr double kImageClassifierParameters = 343'792;

double perturbator_parameters(const TrainingSettings& t) {
  if (t.perturbation == Perturbation::gaussian) return 0;
  const double d = t.dimension;
  const bool has_two_halves = t.perturbation == Perturbation::linear_map || t.perturbation == Perturbation::add_mult;
  const double outputs = has_two_halves ? 6 * d : 5 * d;  // fc1 to fc4 and fc5, which is twice as wide for two halves
  return outputs * (d + 1);
}

double classifier_parameters(const TrainingSettings& t) {
  const double d = t.dimension;
  return d * (d / 3) + (d / 3) * (d / 6) + d / 6;
}

/// Work on a machine.
class Work {
 public:
  explicit Work(const Machine& machine) : machine_(machine) {}
  double seconds(double flops, double bytes) const {
    const double computing = flops / machine_.flops_per_second, moving = bytes / machine_.bytes_per_second;
    return machine_.overlaps ? std::max(computing, moving) : computing + moving;
  }
  double training(Method method, const TrainingSettings& t, double rows, double test_rows, double length) const;
  double baseline(const Job& job, double rows, double test_rows, double length) const;
  double rotation(double rows, double test_rows) const;

 private:
  Machine machine_;
};

double Work::training(Method method, const TrainingSettings& t, double rows, double test_rows, double length) const {
  const bool on_images = method == Method::plad;
  const double perturbator = perturbator_parameters(t);
  const double classifier = on_images ? 0 : classifier_parameters(t);
  const double forward_flops = on_images ? kImageClassifierFlops : 2 * classifier;  // of one row
  const double batch = std::min<double>(t.batch_size, rows);
  const double steps = std::ceil(rows / t.batch_size);
  // 2 operations a weight forward, 4 backward; the classifier sees each row and its pseudo-anomaly
  double step_flops = batch * (6 * perturbator + 2 * 3 * forward_flops);
  if (!on_images && t.guidance == Guidance::full) step_flops += 6 * 2 * batch * batch * (t.dimension / 6.0);
  const double step_bytes = kBytesPerParameter * (perturbator + classifier) + kBytesPerFeature * batch * t.dimension;
  const double step = seconds(step_flops, step_bytes) + machine_.seconds_per_step;
  const double scored = rows + test_rows;
  const double scoring = seconds(scored * forward_flops, kBytesPerFeature * scored * t.dimension);
  const double loading = seconds(0, kBytesPerFeature * scored * (length + t.dimension));
  const double searching = t.learning_rate ? 0 : kRangeTestSteps * step;
  return loading + searching + t.epochs * (steps * step + scoring);
}

double Work::baseline(const Job& job, double n, double m, double l) const {
  const double reading = kBytesPerFeature * (n + m) * l;
  switch (job.method) {
    case Method::knn:
      return seconds(2 * n * m * l, reading);
    case Method::mahalanobis:
      return seconds((2 * n + 4 * m + 9 * l) * l * l, reading);  // covariance, its eigenvectors, one product a row
    case Method::mean_distance:
      return seconds(2 * (n + m) * l, reading);
    case Method::rotation:
      return rotation(n, m);
    default:
      return seconds((kLloydRounds * n + m) * 2 * job.baseline.clusters * l, reading);
  }
}

/// plume/rotation.cpp: 20 epochs in batches of 32 images, each in four turns; 2 operations a weight forward, 4
/// backward.
double Work::rotation(double n, double m) const {
  constexpr double kEpochs = 20, kBatchImages = 32, kTurns = 4;
  const double steps = kEpochs * std::ceil(n / kBatchImages);
  const double flops = kTurns * kImageClassifierFlops * (3 * kEpochs * n + m);
  return seconds(flops, steps * kBytesPerParameter * kImageClassifierParameters) + steps * machine_.seconds_per_step;
}

}  // namespace

double modelled_seconds(const Job& job, std::int64_t rows, std::int64_t test_rows, std::int64_t length,
                        const Machine& machine) {
  const Work work(machine);
  const auto n = static_cast<double>(rows);
  const auto m = static_cast<double>(test_rows);
  const auto l = static_cast<double>(length);
  return is_trained(job.method) ? work.training(job.method, job.training, n, m, l) : work.baseline(job, n, m, l);
}

double relative_cost(const Job& job, std::int64_t rows, std::int64_t test_rows, std::int64_t length) {
  return modelled_seconds(job, rows, test_rows, length, kAnyMachine);
}

double parameters_of(const Job& job) {
  if (!is_trained(job.method)) return 0;
  const bool on_images = job.method == Method::plad;
  return perturbator_parameters(job.training) +
         (on_images ? kImageClassifierParameters : classifier_parameters(job.training));
}

}  // namespace sweeps
