// Two GPUs, and the environment in which the stand-in drivers show them.
#pragma once

#include <string>
#include <vector>

namespace tests {

inline const std::string kFirstGpu = "GPU-8932f937-d72c-4106-c12f-20bd9faed9f6";
inline const std::string kSecondGpu = "GPU-1b2c3d4e-0001-4102-8304-05060708090a";
inline const std::string kTwoGpus = kFirstGpu + "=NVIDIA H100;" + kSecondGpu + "=NVIDIA H100";

/// `drivers`: the folder of the stand-ins.
inline std::vector<std::string> pretending(const std::string& drivers, const std::string& gpus = kTwoGpus) {
  return {"LD_LIBRARY_PATH=" + drivers, "PRETEND_GPUS=" + gpus};
}

}  // namespace tests
