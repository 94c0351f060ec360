// From a pickle's root to named tensors: the root must be a dictionary from texts to tensors and nothing else.
#include <fmt/format.h>

#include <set>

#include "plume/weights_formats.hpp"

namespace plume {

void AllocationBudget::spend(const TensorView& view, Dtype dtype, std::string_view name) {
  const std::int64_t elements = element_count(view.sizes).value();
  const std::size_t description = sizeof(WeightTensor) + name.size() + view.sizes.size() * sizeof(std::int64_t);
  const auto bytes = checked_product(elements, static_cast<std::int64_t>(size_of(dtype)));
  if (!bytes || description > left_ || static_cast<std::uint64_t>(*bytes) > left_ - description) {
    refuse(origin_, fmt::format("tensor {} has {} elements, out of all proportion to the file", shown(name), elements));
  }
  left_ -= description + static_cast<std::size_t>(*bytes);
}

std::vector<WeightTensor> tensors_of(const Pickle& pickle, const std::vector<std::string_view>& storage_bytes,
                                     std::size_t file_size, const std::string& origin) {
  const auto* dict = pickle.get<PickleDict>(pickle.root);
  if (dict == nullptr)
    refuse(origin,
           "not a state dict: expected a dictionary from names to tensors; save model.state_dict() with torch.save");
  AllocationBudget budget(file_size, origin);
  std::set<std::string_view> seen;
  std::vector<WeightTensor> tensors;
  for (const auto& [key, value] : dict->items) {
    const auto* name = pickle.get<std::string_view>(key);
    if (name == nullptr)
      refuse(origin, fmt::format("not a state dict: the key of its entry {} is not a text", tensors.size()));
    const auto tensor = pickle.get<PickleTensor>(value);
    if (!tensor)
      refuse(origin,
             fmt::format("not a plain state dict: {} is not a tensor; save only model.state_dict() with torch.save",
                         shown(*name)));
    if (!seen.insert(*name).second) refuse(origin, fmt::format("tensor {} is there twice", shown(*name)));
    const TensorView& view = pickle.tensors[tensor->index];
    const Dtype dtype = pickle.storages[view.storage].dtype;
    budget.spend(view, dtype, *name);
    tensors.push_back(
        {std::string(*name), dtype, view.sizes, contiguous_bytes(view, dtype, storage_bytes[view.storage])});
  }
  return tensors;
}

}  // namespace plume
