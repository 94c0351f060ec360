// From a job to its baseline.
#include "plume/baselines.hpp"

#include "plume/nearest_neighbours.hpp"
#include "storage/error.hpp"

namespace plume {

std::vector<double> baseline_scores(const sweeps::Job& job, const at::Tensor& train, const at::Tensor& test,
                                    const std::function<void()>& on_progress) {
  const std::int64_t n = train.size(0);
  if (job.baseline.k < 1 || job.baseline.k > n) {
    throw storage::Error(job.dataset + "/" + job.normal_class + ": k is " + std::to_string(job.baseline.k) +
                         "; expected 1 to " + std::to_string(n) + ", the number of training rows");
  }
  return neighbour_scores(job.baseline, train, test, on_progress);
}

}  // namespace plume
