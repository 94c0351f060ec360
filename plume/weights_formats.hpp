// One reader for each container format, and what the two formats with a pickle share. Private to weights*.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plume/weights.hpp"
#include "plume/weights_pickle.hpp"

namespace plume {

std::vector<WeightTensor> read_legacy(std::string_view bytes, const std::string& origin);
std::vector<WeightTensor> read_zip(std::string_view bytes, const std::string& origin);
std::vector<WeightTensor> read_safetensors(std::string_view bytes, const std::string& origin);

/// Does the file begin with the magic number of torch.save before version 1.6?
bool is_legacy(std::string_view bytes);

/// The tensors of a pickled dictionary of tensors. storage_bytes[i] are the bytes of pickle.storages[i], of the length
/// that its type and count ask for; file_size bounds what is allocated.
std::vector<WeightTensor> tensors_of(const Pickle& pickle, const std::vector<std::string_view>& storage_bytes,
                                     std::size_t file_size, const std::string& origin);

/// Keeps the sum of what is allocated for tensors in proportion to the file: views may repeat a storage's bytes, and
/// entries a tensor, but not without end.
class AllocationBudget {
 public:
  AllocationBudget(std::size_t file_size, const std::string& origin)
      : origin_(origin), left_(4 * file_size + (std::size_t{16} << 20)) {}
  /// Throws storage::Error when a tensor of that layout is beyond what is left.
  void spend(const TensorView& view, Dtype dtype, std::string_view name);

 private:
  const std::string& origin_;
  std::size_t left_;
};

}  // namespace plume
