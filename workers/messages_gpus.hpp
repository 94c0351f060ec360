// How GPUs look as JSON in messages; used by messages.cpp only.
#pragma once

#include <string>

#include "storage/json.hpp"
#include "workers/gpu.hpp"

namespace workers {

void write(storage::JsonWriter& writer, const VisibleGpus& visible);
/// Throw storage::Error naming the key that is missing, unknown, of the wrong type or out of range.
VisibleGpus read_visible_gpus(const storage::JsonValue& value);
std::string read_gpu_uuid(const storage::JsonValue& value);

}  // namespace workers
