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

/// Whether files of these names are there; nothing is looked into. A test split without anomalies has no best epoch, so
/// the last one's model alone is asked for.
bool are_there(const std::filesystem::path& directory, const sweeps::JobKey& key, const sweeps::Keep& keep);

}  // namespace workers
