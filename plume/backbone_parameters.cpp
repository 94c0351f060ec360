// Checks a weight file's tensors against a network's list and copies them into tensors of LibTorch.
#include "plume/backbone_parameters.hpp"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstring>
#include <set>

#include "storage/error.hpp"
#include "storage/printable.hpp"

namespace plume {

namespace {

constexpr std::size_t kShownName = 80;  ///< bytes of a name from a file

at::ScalarType scalar_type(Dtype dtype) {
  switch (dtype) {
    case Dtype::float32:
      return at::kFloat;
    case Dtype::float64:
      return at::kDouble;
    case Dtype::float16:
      return at::kHalf;
    case Dtype::bfloat16:
      return at::kBFloat16;
    default:
      return at::ScalarType::Undefined;
  }
}

at::Tensor copy_of(const WeightTensor& weight) {
  at::Tensor tensor = at::empty(weight.shape, at::TensorOptions().dtype(scalar_type(weight.dtype)));
  if (!weight.bytes.empty()) std::memcpy(tensor.data_ptr(), weight.bytes.data(), weight.bytes.size());
  return tensor;
}

/// What is wrong with a tensor that has the right name; empty when nothing is.
std::string fault_of(const WeightTensor& weight, const ParameterSpec& spec) {
  if (weight.shape != spec.shape)
    return fmt::format("{} is [{}], expected [{}]", spec.name, fmt::join(weight.shape, ", "),
                       fmt::join(spec.shape, ", "));
  if (scalar_type(weight.dtype) == at::ScalarType::Undefined)
    return fmt::format("{} is {}, expected a floating type", spec.name, name_of(weight.dtype));
  return "";
}

/// A NaN is its tensor's smallest and largest value. Needs no memory, unlike isfinite().all().
bool is_finite(const at::Tensor& tensor) {
  if (tensor.numel() == 0) return true;
  const auto [least, largest] = at::aminmax(tensor);
  return std::isfinite(least.item<double>()) && std::isfinite(largest.item<double>());
}

[[noreturn]] void refuse_all(const std::vector<std::string>& faults, const std::string& origin) {
  constexpr std::size_t kShown = 10;
  const std::vector<std::string> shown(faults.begin(),
                                       faults.begin() + static_cast<std::ptrdiff_t>(std::min(faults.size(), kShown)));
  const std::string rest = faults.size() > kShown ? fmt::format("; and {} more", faults.size() - kShown) : "";
  throw storage::Error(fmt::format("{}: the weights do not fit the network, {} tensors differ: {}{}", origin,
                                   faults.size(), fmt::join(shown, "; "), rest));
}

}  // namespace

bool is_passed_over(const std::string& name, const std::string& unused_prefix) {
  return name.starts_with(unused_prefix) || name.ends_with(".num_batches_tracked");
}

Parameters take_parameters(const std::vector<WeightTensor>& tensors, const std::vector<ParameterSpec>& entries,
                           const std::string& unused_prefix, const std::string& origin) {
  std::map<std::string, const WeightTensor*> found;
  for (const WeightTensor& tensor : tensors) found[tensor.name] = &tensor;
  Parameters parameters;
  std::vector<std::string> faults;
  for (const ParameterSpec& spec : entries) {
    if (is_passed_over(spec.name, unused_prefix)) continue;
    const auto entry = found.find(spec.name);
    std::string fault = entry == found.end() ? spec.name + " is missing" : fault_of(*entry->second, spec);
    if (fault.empty()) {
      at::Tensor tensor = copy_of(*entry->second);
      if (!is_finite(tensor)) fault = spec.name + " has values that are not finite";
      parameters[spec.name] = std::move(tensor);
    }
    if (!fault.empty()) faults.push_back(fault);
    found.erase(spec.name);
  }
  for (const WeightTensor& tensor : tensors) {  // in the file's order
    if (found.contains(tensor.name) && !is_passed_over(tensor.name, unused_prefix))
      faults.push_back(storage::printable_line(tensor.name, kShownName) + " is unexpected");
  }
  if (!faults.empty()) refuse_all(faults, origin);
  return parameters;
}

void move_to(at::Device device, Parameters& parameters) {
  for (auto& [name, tensor] : parameters) tensor = tensor.to(device);
}

}  // namespace plume
