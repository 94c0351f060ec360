// From a job to its baseline.
#include "plume/baselines.hpp"

#include <fmt/format.h>

#include "plume/draws.hpp"
#include "plume/k_means.hpp"
#include "plume/mahalanobis.hpp"
#include "plume/mean_distance.hpp"
#include "plume/nearest_neighbours.hpp"
#include "plume/rotation.hpp"
#include "storage/error.hpp"
#include "sweeps/random_stream.hpp"

namespace plume {

std::vector<double> baseline_scores(const sweeps::Job& job, const at::Tensor& train, const at::Tensor& test,
                                    const std::function<void()>& on_progress,
                                    const std::optional<ChannelStatistics>& statistics) {
  switch (job.method) {
    case sweeps::Method::knn:
      return neighbour_scores(job.baseline, train, test, on_progress);
    case sweeps::Method::mean_distance:
      return mean_distance_scores(job.baseline.scaling, train, test, on_progress);
    case sweeps::Method::mahalanobis:
      return mahalanobis_scores(job.baseline.scaling, train, test, on_progress);
    case sweeps::Method::k_means:
      return k_means_scores(job.baseline, sweeps::RandomStream(job.seed, job.dataset, job.normal_class, "k-means"),
                            train, test, on_progress);
    case sweeps::Method::rotation:
      return rotation_scores(train, test, statistics ? *statistics : statistics_of(train),
                             StreamDraws(job, "rotation/"), on_progress);
    case sweeps::Method::plume:
    case sweeps::Method::plad:
      break;
  }
  throw storage::Error(fmt::format("{} is no baseline: it is trained", sweeps::name_of(job.method)));
}

}  // namespace plume
