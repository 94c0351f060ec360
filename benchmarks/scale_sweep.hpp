// A sweep of as many jobs as a benchmark asks for, on features that fit in a few kilobytes, and results of the size
// that real ones have. Trains nothing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "results/result.hpp"

namespace benchmarks {

inline constexpr int kClasses = 10;  ///< as CIFAR-10 has: each epoch's record holds a share of each
inline constexpr const char* kDataset = "vectors";

/// FOLDER/sweep.json and FOLDER/vectors/*.npy: at least `jobs` jobs of `epochs` epochs, 10 classes x up to 100 values
/// of lambda x seeds, with a table of a row per lambda and a column per class. Returns the number of jobs.
std::int64_t write_scale_sweep(const std::filesystem::path& folder, std::int64_t jobs, int epochs);

/// An epoch's record with every field that a training fills, all numbers at full precision; `draw` makes it one of
/// many.
results::EpochRecord plausible_epoch(int epoch, std::uint64_t draw);
/// A finished training's result of so many epochs.
results::JobResult plausible_result(int epochs, std::uint64_t draw, const results::FeatureUse& train,
                                    const results::FeatureUse& test);

}  // namespace benchmarks
