// What the jobs of a plan will need before anything is run: features and optimiser steps, from rows alone.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runner/feature_plan.hpp"
#include "runner/job_times.hpp"
#include "runner/plan_sizes.hpp"
#include "sweeps/sweep.hpp"

namespace runner {

/// The rows of one data set through one backbone, or the images themselves where that is raw32.
struct FeatureNeed {
  std::string dataset;
  std::string backbone;
  std::size_t sets = 0;  ///< pairs of a training and a test set: more where limits or normalisations differ
  std::optional<std::int64_t> rows[2];  ///< by split, of all sets together; absent: not known
  double megabytes = 0;                 ///< of the rows that are known
  bool at_least = false;                ///< more rows than the known ones
};
/// In the order of the jobs.
std::vector<FeatureNeed> feature_needs(const std::vector<sweeps::Job>& jobs, const FeaturePlan& features);

/// What their rows would take one CPU thread, where the cache holds none of them.
double extraction_seconds(const std::vector<FeatureNeed>& needs);

/// Of all trainings whose rows are known.
struct TrainingWork {
  std::int64_t trainings = 0;
  std::int64_t steps = 0;           ///< of the optimiser, without range tests
  std::int64_t scored_rows = 0;     ///< after every epoch its training rows, for the threshold, and the test rows
  std::set<std::string> not_known;  ///< data sets of the others
};
TrainingWork training_work(const std::vector<sweeps::Job>& jobs, const FeaturePlan& features);

/// Of each job; absent where the rows of its data set are not known.
std::vector<std::optional<JobShape>> shapes_of(const std::vector<sweeps::Job>& jobs, const FeaturePlan& features);
/// L of a job's rows; absent where its data set is not of the plan and its backbone does not say.
std::optional<std::int64_t> row_length_of(const sweeps::Job& job, const FeaturePlan& features);
/// Of each job whose rows are known.
std::vector<JobSizes> sizes_of(const std::vector<sweeps::Job>& jobs, const FeaturePlan& features);

}  // namespace runner
