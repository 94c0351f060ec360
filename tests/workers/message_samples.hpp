// One message of every kind, with values that are easy to lose: empty and UTF-8 strings, whole numbers beyond a double,
// fractions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workers/messages.hpp"

namespace workers {

inline constexpr std::int64_t kBeyondDouble =
    (std::int64_t{1} << 53) + 1;  // the first whole number that a double cannot hold
inline const std::string kAwkward = "M\xc3\xbcller \xe2\x82\xac \xf0\x9f\x9a\x80 \"q\" \\ / \t first\nsecond \x01";
inline const std::string kId = "0123456789abcdef0123456789abcdef";

inline DataSource synthetic() {
  sweeps::DatasetSpec spec;
  spec.id = "shapes";
  spec.kind = "synthetic";
  spec.seed = 7;
  spec.train_per_class = 40;
  spec.test_per_class = 10;
  spec.class_count = 3;
  return {spec, ""};
}

inline FeatureRecipe recipe() {
  FeatureRecipe recipe;
  recipe.data.spec.id = recipe.data.spec.kind = "cifar10";
  recipe.data.root = "/data/" + kAwkward;
  recipe.split = datasets::Split::test;
  recipe.rows_per_class = kBeyondDouble;
  recipe.backbone = "efficientnet-lite0";
  recipe.weights = "/weights/" + kAwkward;
  recipe.mean = {0.1, -1e-300, 1.0 / 3};
  recipe.std_dev = {0, 1e300, 0.25};
  recipe.identity = "{\"a\":1}\n";
  recipe.id = kId;
  recipe.cache = "/cache";
  recipe.row_count = kBeyondDouble;
  recipe.row_length = 1280;
  return recipe;
}

inline FeatureRecipe recipe_of_images() {
  FeatureRecipe images = recipe();
  images.data.root = "";
  images.backbone = "raw32";
  images.weights = "";
  images.mean.clear();
  images.std_dev.clear();
  return images;
}

inline TrainTask training() {
  TrainTask task;
  task.job.dataset = "cifar10";
  task.job.normal_class = "airplane";
  task.job.backbone = "efficientnet-lite0";
  task.job.training.learning_rate = 0.1;
  task.job.seed = std::uint64_t{1} << 53;
  task.job = sweeps::normalised(task.job);
  task.train_file = "/cache/train.h5";
  task.train_id = kId;
  task.train_identity = kAwkward;
  task.test_file = "";
  task.test_id = std::string(32, 'f');
  task.test_identity = "";
  return task;
}

inline TrainTask neighbours() {
  TrainTask task = training();
  task.job.method = sweeps::Method::knn;
  task.job.training = {};
  task.job.train_rows = 100;
  task.job = sweeps::normalised(task.job);
  return task;
}

inline TrainTask on_images() {
  TrainTask task = training();
  task.job.method = sweeps::Method::plad;
  task.job.normal_class = "satellites";
  task.job.members = {"Aura", "Terra"};
  task.job = sweeps::normalised(task.job);
  task.keep = {sweeps::Save::classifier, 5000};
  task.mean = {0.09430549, 0, 1.0 / 3};
  task.std_dev = {0.1, 0.30000000000000004, 1};
  return task;
}

inline Scanned scanned() {
  ScannedImage one_size{UINT32_MAX, 32, 32, {1, 2, 9007199254740991.0}, {0.1, 0.2, 0.30000000000000004}, {}, {}};
  ScannedImage resized{0, 640, 1, {0, 0, 0}, {1, 1, 1}, {0.1, 2, 3}, {4, 5, 1.0 / 3}};
  ScannedImage unreadable;
  unreadable.fault = "/data/caf\xc3\xa9 \"1\".jpg: not a JPEG";
  return {{one_size, resized, unreadable}, {0.1, 0, 1e-9}};
}

inline results::EpochRecord epoch() {
  results::EpochRecord record;
  record.epoch = 3;
  record.ranking = {0.1 + 0.2, 1.0 / 3, 1, 0, 0.1 + 0.7};
  record.losses = results::LossTerms{1.5, 0.1, 0, 2, 1e-9};
  record.learning_rate = 0.001;
  record.threshold = 0.1F;
  record.shares = {0.1 + 0.2, std::nullopt};
  return record;
}

inline results::JobResult result() {
  results::JobResult result;
  results::EpochRecord first = epoch();
  first.epoch = 0;
  result.epochs = {first};
  result.found_learning_rate = 6.3095734448019317e-05;
  result.classes = {"airplane", kAwkward};
  result.train = {kId, "crc32c:12345678"};
  result.test = {std::string(32, 'f'), "crc32c:87654321"};
  result.weights = "random:7";
  result.train_rows = 5000;
  result.test_rows = 10000;
  result.device = "cpu";
  result.threads = 2;
  return result;
}

inline VisibleGpus visible() {
  return {
      {{"GPU-8932f937-d72c-4106-c12f-20bd9faed9f6", kAwkward, false, kBeyondDouble}, {"MIG-GPU-1/2/0", "", true, 0}},
      {kAwkward, ""},
      "because"};
}

inline std::vector<ToWorker> every_to_worker() {
  std::vector<ToWorker> all{Shutdown{},
                            StartAnew{},
                            UseGpu{"MIG-c6d4f1ef-42e4-5de3-91c7-45d71c87eb3f"},
                            Suspend{{kBeyondDouble}, {2}},
                            Suspend{{0}, {1}, 1.0 / 3},
                            Prepare{training()},
                            Prepare{on_images()}};
  const std::vector<Task> tasks{ScanTask{synthetic(), datasets::Split::train, 0, 1024, 224},
                                ScanTask{synthetic(), datasets::Split::test, kBeyondDouble, 1, 1},
                                ExtractTask{recipe(), 0, kBeyondDouble - 2, 2, {0, kBeyondDouble}, {0xfedcba98, 1}},
                                AssembleTask{recipe(), {1024, kBeyondDouble - 1025, 1}},
                                ExtractTask{recipe_of_images(), 0, kBeyondDouble - 1, 1, {7}, {0}},
                                AssembleTask{recipe_of_images(), {kBeyondDouble}},
                                training(),
                                neighbours(),
                                on_images()};
  for (const Task& task : tasks) all.emplace_back(Assign{{kBeyondDouble}, {INT32_MAX}, task, 7});
  return all;
}

inline std::vector<TaskOutput> every_output() {
  results::JobResult diverged = result();
  diverged.outcome = results::Outcome::diverged;
  diverged.diverged_epoch = 1;
  return {scanned(),         Scanned{},        Extracted{kBeyondDouble, {1, 1.0 / 3, 0}},
          Extracted{},       Assembled{""},    Assembled{"crc32c:00000000"},
          Trained{result()}, Trained{diverged}};
}

inline std::vector<ToCoordinator> every_to_coordinator() {
  std::vector<ToCoordinator> all{
      Hello{kProtocolVersion, "node-\xc3\xa9", INT32_MAX, 64, visible(), "throw@class=" + kAwkward, kAwkward},
      Hello{},
      Heartbeat{},
      Heartbeat{Stillness{40.5, 60, true}},
      EpochDone{{0}, {1}, epoch()},
      CheckpointWritten{{7}, {2}, 3, kBeyondDouble, kBeyondDouble, 1.0 / 3},
      Resumed{{7}, {2}, 1, 3, kBeyondDouble, 0.1},
      Remark{{7}, {2}, kAwkward},
      TaskFailed{{1}, {2}, Cause::signal, kAwkward, true},
      TaskFailed{{1}, {2}, Cause::drained, "", false, "a line\nand half"},
      Goodbye{}};
  for (const TaskOutput& output : every_output()) {
    all.emplace_back(TaskDone{{kBeyondDouble}, {1}, output, 0.1, "2026-11-27T20:15:03Z"});
  }
  return all;
}

inline std::vector<FromTrainer> every_from_trainer() {
  std::vector<FromTrainer> all{Ready{kProtocolVersion, 3, kAwkward, "GPU-1"},
                               Ready{},
                               Progress{{5}, {2}},
                               EpochDone{{5}, {1}, epoch()},
                               CheckpointWritten{{5}, {1}, 0, 1, 2, 0.25},
                               Resumed{{5}, {1}, 4, 0, 1, 0.25},
                               Remark{{5}, {1}, ""},
                               TaskFailed{{1}, {2}, Cause::device_out_of_memory, kAwkward, true}};
  for (const TaskOutput& output : every_output()) all.emplace_back(TaskDone{{5}, {1}, output, 0, ""});
  return all;
}

}  // namespace workers
