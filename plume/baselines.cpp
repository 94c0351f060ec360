// From a job to its baseline.
#include "plume/baselines.hpp"

#include "plume/nearest_neighbours.hpp"
#include "storage/error.hpp"

namespace plume {

std::vector<double> baseline_scores(const sweeps::Job& job, const at::Tensor& train, const at::Tensor& test,
                                    const std::function<void()>& on_progress) {
  return neighbour_scores(job.baseline, train, test, on_progress);
}

}  // namespace plume
