// The device of a trainer.
#include "workers/trainer_device.hpp"

namespace workers {

std::string device_kind() {
  return "cpu";
}

std::string why_gpus_idle() {
  return "this version of plume-bench computes on the CPU only";
}

}  // namespace workers
