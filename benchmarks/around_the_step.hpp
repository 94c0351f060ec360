// What a training does beside its steps.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace plume {
class StepDevice;
}

namespace benchmarks {

/// Seconds of each, by name: evaluation of `rows` rows, AUROC of 10^4 and of `rows_of_auroc` rows, a learning-rate
/// range test, and a task from its data in memory to the end of its first step. `device`: null is the CPU.
std::vector<std::pair<std::string, double>> around_the_step(std::int64_t dimension, std::int64_t batch,
                                                            std::int64_t rows, std::int64_t rows_of_auroc,
                                                            const plume::StepDevice* device);

}  // namespace benchmarks
