// A detector in a file, and back: the tensors that score unseen rows, and what they were trained on (model_file.hpp).
#pragma once

#include <filesystem>
#include <memory>

#include "workers/model_file.hpp"

namespace plume {
struct Model;
}

namespace workers {

/// Writes `model` (float32, on any device) as a safetensors file: of contents "classifier" the batch norm of the rows,
/// the classifier and their running statistics; of "all" the perturbator too. The old file or the new one, whole; the
/// same model gives the same bytes. Throws storage::Error naming the file (DiskFull where no room is left),
/// std::logic_error for facts that cannot be.
void write_model(const std::filesystem::path& target, const ModelFacts& facts, const plume::Model& model);

struct SavedModel {
  ModelFacts facts;
  std::shared_ptr<plume::Model>
      model;  ///< never null; on the CPU, bit-equal to what was written; without perturbator unless contents are "all"
};

/// Checks sizes before it allocates, and facts, names, shapes, types and the checksum before it believes anything.
/// Throws storage::Error "<file>: <what>; <what to do>".
SavedModel read_model(const std::filesystem::path& file);

}  // namespace workers
