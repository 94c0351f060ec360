#include "benchmarks/next_task.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <system_error>
#include <tuple>
#include <utility>

#include "storage/descriptor.hpp"
#include "storage/feature_file.hpp"
#include "workers/task_runner.hpp"

namespace benchmarks {
namespace {

constexpr int kTrainingRowsPerTestRow = 5;
constexpr int kRowsPerNormalOne = 20;

std::string identity_of(const std::string& set) {
  return R"({"backbone":"features","content":")" + set + R"(","format":1})";
}

void write(const std::filesystem::path& folder, const std::string& set, std::int64_t n, std::int64_t length) {
  storage::FeatureTable table;
  table.identity = identity_of(set);
  table.row_count = n;
  table.row_length = length;
  std::vector<float> numbers(static_cast<std::size_t>(n * length));
  std::uint32_t state = 1;
  for (float& number : numbers) {
    state = state * 1664525U + 1013904223U;
    number = static_cast<float>(state >> 8) / (1U << 24);
  }
  table.rows = std::move(numbers);
  for (std::int64_t i = 0; i < n; ++i) {
    table.labels.push_back(i % kRowsPerNormalOne == 0 ? 0 : 1);
    table.ids.push_back(std::to_string(i));
  }
  table.classes = {"airplane", "other"};
  storage::write_feature_file(folder / (set + ".h5"), table);
}

/// The next reading is from the disk.
void drop_from_page_cache(const std::filesystem::path& file) {
  const storage::Descriptor descriptor(open(file.c_str(), O_RDONLY | O_CLOEXEC));
  const int error = descriptor.get() < 0 ? errno : posix_fadvise(descriptor.get(), 0, 0, POSIX_FADV_DONTNEED);
  if (error != 0) throw std::system_error(error, std::generic_category(), file.string());
}

template <typename Work>
double seconds_of(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// A training, and how long the first step of the next one is away when it ends.
struct Change {
  double training = 0, rest = 0;
};

Change change(workers::TaskRunner& runner, const workers::TrainTask& first, const workers::TrainTask& next,
              bool in_advance) {
  struct Enough {};
  bool told = !in_advance;
  const auto tell = [&] {
    if (!std::exchange(told, true)) runner.prepare(next, workers::most_in_advance());
  };
  Change seconds;
  seconds.training = seconds_of([&] { runner.run(first, tell, [](const auto&) {}); });
  seconds.rest = seconds_of([&] {
    try {
      runner.run(
          next, [] { throw Enough(); }, [](const auto&) {});
    } catch (const Enough&) {
    }
  });
  return seconds;
}

}  // namespace

TwoFeatureSets::TwoFeatureSets(std::int64_t dimension, std::int64_t batch, std::int64_t rows,
                               const std::filesystem::path& folder)
    : dimension_(dimension), batch_(batch), rows_(rows), folder_(folder) {
  for (const char* of : {"one", "other"}) {
    write(folder_, std::string(of) + "-train", kTrainingRowsPerTestRow * rows_, dimension_);
    write(folder_, std::string(of) + "-test", rows_, dimension_);
  }
}

std::vector<std::pair<std::string, double>> TwoFeatureSets::seconds_between(int threads, int epochs) const {
  const auto training_on = [&](const std::string& of) {
    workers::TrainTask task;
    task.job.dataset = "cifar10";
    task.job.normal_class = "airplane";
    task.job.backbone = "features";
    task.job.training.dimension = static_cast<int>(dimension_);
    task.job.training.batch_size = static_cast<int>(batch_);
    task.job.training.learning_rate = 1e-5;
    task.job.training.epochs = epochs;
    for (auto [file, id, identity, set] :
         {std::tuple{&task.train_file, &task.train_id, &task.train_identity, of + "-train"},
          std::tuple{&task.test_file, &task.test_id, &task.test_identity, of + "-test"}}) {
      *file = folder_ / (set + ".h5");
      *id = set;
      *identity = identity_of(set);
    }
    return task;
  };
  const auto one = training_on("one"), other = training_on("other");
  const auto measured = [&](const workers::TrainTask& next, bool in_advance) {
    workers::TaskRunner runner(threads);
    for (const auto& file : {other.train_file, other.test_file}) drop_from_page_cache(file);
    return change(runner, one, next, in_advance);
  };
  const Change same = measured(one, false), then = measured(other, false), before = measured(other, true);
  return {{"to a training on the same features", same.rest},
          {"to one on others, read then", then.rest},
          {"to one on others, read in advance", before.rest},
          {"the training before it", then.training},
          {"the same while others were read", before.training}};
}

}  // namespace benchmarks
