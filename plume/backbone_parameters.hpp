// The tensors of a weight file against the names and shapes that a network publishes. Knows no network.
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <string>
#include <vector>

#include "plume/weights.hpp"

namespace plume {

/// A tensor of a published state dict; [] for a single number.
struct ParameterSpec {
  std::string name;
  std::vector<std::int64_t> shape;
};

/// Tensors by published name, contiguous, of the floating type that the file has.
using Parameters = std::map<std::string, at::Tensor>;

/// Is an entry of a file neither needed nor looked at? Those of a classifier, whose names begin with `unused_prefix`,
/// and the counters `*.num_batches_tracked`.
bool is_passed_over(const std::string& name, const std::string& unused_prefix);

/// The tensors of `entries`, which is all that a published file holds, taken from `tensors`. In both some are
/// passed over; files from before torch 0.4.1 lack the counters. Throws storage::Error naming `origin` and at most ten
/// missing, unexpected, misshapen, non-floating or non-finite tensors, with their total.
Parameters take_parameters(const std::vector<WeightTensor>& tensors, const std::vector<ParameterSpec>& entries,
                           const std::string& unused_prefix, const std::string& origin);

/// Copies all of them to `device`.
void move_to(at::Device device, Parameters& parameters);

}  // namespace plume
