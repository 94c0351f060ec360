// What a training leaves beside its result: DIR/models/<key>-best.safetensors and <key>-last.safetensors, and its dump
// (results/dump.hpp). Knows no LibTorch.
#pragma once

#include <filesystem>
#include <string>

#include "sweeps/job.hpp"
#include "sweeps/keep.hpp"

namespace workers {

/// `which`: "best" or "last".
std::filesystem::path model_file(const std::filesystem::path& directory, const sweeps::JobKey& key,
                                 const std::string& which);

/// Whether files of these names are there, each at least as large as its numbers: whether one is damaged or of fewer
/// dumped rows than are wanted is not looked at. A test split without anomalies has no best epoch, so the last one's
/// model alone is asked for.
bool are_there(const std::filesystem::path& directory, const sweeps::Job& job, const sweeps::Keep& keep);

/// Removes the files of a training that another one of its key did not replace, because it left only `kept`. Never
/// throws; what cannot be removed stays.
void remove_all_but(const std::filesystem::path& directory, const sweeps::JobKey& key, const sweeps::Keep& kept);

}  // namespace workers
