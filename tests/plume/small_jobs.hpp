// Small jobs and their data for the tests of run_job.
#pragma once

#include <string>

#include "plume/method.hpp"
#include "sweeps/job.hpp"

namespace small {

/// plume, D = 24, two epochs in batches of 8, learning rate 0.01.
sweeps::Job job();
/// plad on images, one epoch in batches of 4, learning rate 0.001.
sweeps::Job plad_job();

/// n training rows and m test rows of `length` features; every other test row is of class 1, an anomaly.
plume::JobData rows_of(std::int64_t n, std::int64_t m, std::int64_t length = 24);
/// The same with images of 3x32x32 bytes.
plume::JobData images_of(std::int64_t n, std::int64_t m);

results::JobResult run(const sweeps::Job& job, const plume::JobData& data);
/// The message with which run_job refuses; "not refused" where it does not.
std::string refusal(const sweeps::Job& job, const plume::JobData& data);

}  // namespace small
