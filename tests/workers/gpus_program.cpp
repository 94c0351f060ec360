// Prints what visible_gpus() finds in this environment, and what CUDA shows where "--cuda LIKE" is given.
#include <cstdio>
#include <string>

#include "storage/error.hpp"
#include "workers/cuda_driver.hpp"
#include "workers/gpus.hpp"

int main(int argc, char** argv) {
  try {
    if (argc == 3 && std::string(argv[1]) == "--cuda") {
      for (const auto& uuid : workers::cuda_devices(argv[2])) std::printf("%s\n", uuid.c_str());
      return 0;
    }
    const auto visible = workers::visible_gpus();
    for (const auto& gpu : visible.gpus) {
      std::printf("%s|%s|%s|%lld\n", gpu.uuid.c_str(), gpu.name.c_str(), gpu.is_mig ? "MIG" : "whole",
                  static_cast<long long>(gpu.memory_bytes));
    }
    for (const auto& note : visible.notes) std::printf("note: %s\n", note.c_str());
    if (!visible.refusal.empty()) std::printf("refused: %s\n", visible.refusal.c_str());
  } catch (const storage::Error& error) {
    std::printf("error: %s\n", error.what());
  }
  return 0;
}
