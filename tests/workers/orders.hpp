// Orders for fake_trainer, as tasks.
#pragma once

#include <string>

#include "workers/messages.hpp"

namespace tests {

/// A TrainTask that fake_trainer reads `order` from; `payload` is what "echo" gives back.
inline workers::Assign assign(int task, const std::string& order, const std::string& payload = "") {
  workers::TrainTask what;
  what.job.dataset = "synthetic";
  what.job.normal_class = "circle";
  what.job.backbone = "efficientnet-lite0";
  what.job.training.learning_rate = 0.001;
  what.train_file = order;
  what.train_identity = payload;
  what.train_id = what.test_id = std::string(32, 'a');
  return {workers::TaskId{task}, workers::Attempt{1}, what};
}

}  // namespace tests
