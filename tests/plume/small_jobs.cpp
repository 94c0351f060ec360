#include "tests/plume/small_jobs.hpp"

#include <ATen/ATen.h>

#include "storage/error.hpp"
#include "tests/plume/golden_files.hpp"

namespace small {
namespace {

plume::JobData labelled(at::Tensor train, at::Tensor test) {
  plume::JobData data;
  data.classes = {"disk", "square", "ring", "bar"};
  for (std::int64_t i = 0; i < test.size(0); ++i) data.test_labels.push_back(static_cast<int>(i % 2));
  data.train = std::move(train);
  data.test = std::move(test);
  return data;
}

at::Tensor images(std::int64_t n, std::uint32_t stream) {
  return ((golden::fill({n, 3, 32, 32}, stream, 1) + 1) * 127.5F).to(at::kByte);
}

}  // namespace

sweeps::Job job() {
  sweeps::Job job;
  job.dataset = "synthetic";
  job.normal_class = "disk";
  job.training.dimension = 24;
  job.training.epochs = 2;
  job.training.batch_size = 8;
  job.training.learning_rate = 0.01;
  return job;
}

sweeps::Job plad_job() {
  sweeps::Job job;
  job.dataset = "synthetic";
  job.normal_class = "disk";
  job.method = sweeps::Method::plad;
  job.training.epochs = 1;
  job.training.batch_size = 4;
  job.training.learning_rate = 0.001;
  return job;
}

plume::JobData rows_of(std::int64_t n, std::int64_t m, std::int64_t length) {
  return labelled(golden::fill({n, length}, 11, 1), golden::fill({m, length}, 12, 1));
}

plume::JobData images_of(std::int64_t n, std::int64_t m) {
  return labelled(images(n, 13), images(m, 14));
}

results::JobResult run(const sweeps::Job& job, const plume::JobData& data) {
  return plume::run_job(job, data, {});
}

std::string refusal(const sweeps::Job& job, const plume::JobData& data) {
  try {
    run(job, data);
  } catch (const storage::Error& error) {
    return error.what();
  }
  return "not refused";
}

}  // namespace small
