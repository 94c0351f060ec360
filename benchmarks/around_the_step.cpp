#include "benchmarks/around_the_step.hpp"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <chrono>

#include "benchmarks/formula.hpp"
#include "plume/auroc.hpp"
#include "plume/learning_rate_search.hpp"
#include "plume/method.hpp"
#include "plume/step_device.hpp"
#include "plume/training.hpp"

namespace benchmarks {
namespace {

constexpr std::int64_t kTrainingRows = 5000;  // of a class of CIFAR-10

template <typename Work>
double seconds_of(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

sweeps::Job job(std::int64_t dimension, std::int64_t batch) {
  sweeps::Job job;
  job.dataset = "cifar10";
  job.normal_class = "airplane";
  job.training.dimension = static_cast<int>(dimension);
  job.training.batch_size = static_cast<int>(batch);
  job.training.learning_rate = 1e-5;
  return job;
}

double seconds_of_auroc(std::int64_t rows) {
  const at::Tensor values = formula({rows}, 7, 1).to(at::kDouble);
  const std::vector<double> scores(values.const_data_ptr<double>(), values.const_data_ptr<double>() + rows);
  std::vector<bool> positive(scores.size());
  for (std::size_t i = 0; i < positive.size(); ++i) positive[i] = i % 10 == 0;
  return seconds_of([&] { plume::auroc(scores, positive); });
}

/// From the call to the end of the first batch: draws of all weights, then a step.
double seconds_to_first_step(const sweeps::Job& job, const plume::JobData& data, const plume::StepDevice* device) {
  struct Enough {};
  plume::Observer observer;
  observer.on_progress = [] { throw Enough(); };
  if (device != nullptr) {
    observer.on_progress = [] {};
    observer.on_boundary = [](const plume::Boundary& boundary) {
      boundary.state();  // waits for the device
      throw Enough();
    };
  }
  return seconds_of([&] {
    try {
      plume::run_job(job, data, observer, nullptr, device);
    } catch (const Enough&) {
    }
  });
}

}  // namespace

std::vector<std::pair<std::string, double>> around_the_step(std::int64_t dimension, std::int64_t batch,
                                                            std::int64_t rows, std::int64_t rows_of_auroc,
                                                            const plume::StepDevice* device) {
  const sweeps::Job described = job(dimension, batch);
  plume::JobData data;
  const at::Device where = device != nullptr ? device->device() : at::kCPU;
  data.train = formula({kTrainingRows, dimension}, 2000, 1).to(where);
  data.test = formula({rows, dimension}, 2001, 1).to(where);
  data.classes = {"airplane", "other"};
  for (std::int64_t i = 0; i < rows; ++i) data.test_labels.push_back(static_cast<int>(i % 2));
  const auto train = plume::InputRows::features(data.train, dimension);
  const auto test = plume::InputRows::features(data.test, dimension);
  const plume::StreamDraws draws(described);

  std::vector<std::pair<std::string, double>> seconds;
  const plume::Model initial = formula_model(dimension);
  {
    const plume::Model model = initial.copy_on(where);
    const auto evaluate = [&] { plume::scores_of(model, test, [] {}); };
    evaluate();
    seconds.emplace_back(fmt::format("evaluation of {} rows", rows), seconds_of(evaluate));
  }
  for (const std::int64_t n : {std::int64_t{10'000}, rows_of_auroc})
    seconds.emplace_back(fmt::format("AUROC of {} rows", n), seconds_of_auroc(n));
  int steps = 0;
  const double search = seconds_of([&] {
    if (device != nullptr) {
      plume::search_learning_rate(*device, described.training, initial, train, draws, [&] { ++steps; });
    } else {
      plume::search_learning_rate(described.training, initial, train, draws, [&](const auto&) { ++steps; });
    }
  });
  seconds.emplace_back(fmt::format("learning-rate range test of {} steps", steps), search);
  seconds.emplace_back("task to its first step", seconds_to_first_step(described, data, device));
  return seconds;
}

}  // namespace benchmarks
