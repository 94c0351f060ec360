// Tensors straight from a model's memory, and into a new model's.
#include "workers/saved_model.hpp"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <stdexcept>

#include "plume/draws.hpp"
#include "plume/model.hpp"
#include "plume/weights_formats.hpp"
#include "plume/weights_safetensors.hpp"
#include "storage/atomic_file.hpp"
#include "storage/error.hpp"
#include "storage/safetensors_file.hpp"

namespace workers {
namespace {

constexpr const char* kVae = "vae.";

[[noreturn]] void refuse(const std::string& file, const std::string& what) {
  throw storage::Error(fmt::format("{}: {}", file, what));
}

/// On the CPU, contiguous, in the order of the file.
plume::NamedTensors tensors_to_write(const plume::Model& model, const std::string& contents) {
  plume::NamedTensors tensors;
  const auto add = [&](const plume::NamedTensors& more) {
    for (const auto& [name, tensor] : more) {
      if (contents == "classifier" && name.starts_with(kVae)) continue;
      if (tensor.scalar_type() != at::kFloat) throw std::logic_error(name + ": a model file holds float32 only");
      tensors.emplace_back(name, tensor.detach().cpu().contiguous());
    }
  };
  add(model.parameters());
  add(model.running_statistics());
  return tensors;
}

/// The tensors of a file, each taken once.
class FileTensors {
 public:
  FileTensors(std::vector<plume::WeightTensor> tensors, const std::string& file) : file_(file) {
    for (auto& tensor : tensors) {
      auto name = tensor.name;
      tensors_.emplace(std::move(name), std::move(tensor));
    }
  }

  at::Tensor take(const std::string& name, at::IntArrayRef shape) {
    const auto found = tensors_.find(name);
    if (found == tensors_.end()) {
      refuse(file_, fmt::format("lacks tensor {}; write the model again", name));
    }
    const auto& tensor = found->second;
    if (tensor.dtype != plume::Dtype::float32 || at::IntArrayRef(tensor.shape) != shape) {
      refuse(file_, fmt::format("tensor {} is {} [{}], expected float32 [{}]; write the model again", name,
                                plume::name_of(tensor.dtype), fmt::join(tensor.shape, ", "), fmt::join(shape, ", ")));
    }
    at::Tensor values = at::empty(shape, at::kFloat);
    std::copy(tensor.bytes.begin(), tensor.bytes.end(), static_cast<char*>(values.data_ptr()));
    if (!at::isfinite(values).all().item<bool>()) {
      refuse(file_, fmt::format("tensor {} has numbers that are not finite; train again", name));
    }
    tensors_.erase(found);
    return values;
  }
  void expect_none_left() const {
    if (tensors_.empty()) return;
    refuse(file_, fmt::format("has {} tensor(s) that no such model has, the first is {}; write the model again",
                              tensors_.size(), storage::shown(tensors_.begin()->first)));
  }

 private:
  const std::string& file_;
  std::map<std::string, plume::WeightTensor> tensors_;
};

/// Initial weights are those of the file.
class FileDraws : public plume::Draws {
 public:
  FileDraws(FileTensors& tensors, bool with_vae) : tensors_(tensors), with_vae_(with_vae) {}
  at::Tensor initial_weight(const std::string& name, at::IntArrayRef shape, double) const override {
    if (!with_vae_ && name.starts_with(kVae)) return at::empty({0}, at::kFloat);
    return tensors_.take(name, shape);
  }
  std::vector<std::int64_t> permutation(int, std::int64_t) const override { throw std::logic_error("no training"); }
  at::Tensor noise(int, std::int64_t, std::int64_t, std::int64_t) const override {
    throw std::logic_error("no training");
  }

 private:
  FileTensors& tensors_;
  bool with_vae_;
};

plume::Model model_of(const ModelFacts& facts, FileTensors& tensors) {
  const bool with_vae = facts.contents == "all";
  const FileDraws draws(tensors, with_vae);
  const auto& training = facts.job.training;
  plume::Model model = facts.job.method == sweeps::Method::plad
                           ? plume::make_plad_model(draws)
                           : plume::make_model(training.perturbation, plume::widths_of(training.dimension), draws);
  if (!with_vae) model.vae.reset();
  for (auto& [name, statistic] : model.running_statistics()) {
    statistic.copy_(tensors.take(name, statistic.sizes()));  // shared with the model
  }
  tensors.expect_none_left();
  return model;
}

/// What is no whole safetensors file says so in the words of its reader.
plume::SafetensorsFile parse(const std::string& bytes, const std::string& file) {
  try {
    const auto format = plume::format_of(bytes, file);
    if (format == plume::WeightsFormat::safetensors) return plume::read_safetensors_file(bytes, file);
    refuse(file, fmt::format("is a {} file", plume::name_of(format)));
  } catch (const storage::Error& error) {
    throw storage::Error(fmt::format(
        "{}; expected a detector that a training with \"save\" has written, a whole .safetensors file", error.what()));
  }
}

}  // namespace

void write_model(const std::filesystem::path& target, const ModelFacts& facts, const plume::Model& model) {
  const auto tensors = tensors_to_write(model, facts.contents);
  std::vector<storage::Float32Tensor> list;
  for (const auto& [name, tensor] : tensors) {
    list.push_back({name, tensor.sizes().vec(), {static_cast<const char*>(tensor.const_data_ptr()), tensor.nbytes()}});
  }
  storage::write_safetensors(target, encode_facts(facts), list);
}

SavedModel read_model(const std::filesystem::path& file) {
  const std::string name = file.string();
  std::string bytes = storage::read_regular_file(file);
  plume::SafetensorsFile parts = parse(bytes, name);
  expect_our_format(parts.metadata, name);
  if (!storage::is_sealed(bytes)) {
    refuse(name, "is damaged or was changed: its bytes are not those of its SHA-256; copy it again, or train again");
  }
  bytes = {};
  SavedModel saved;
  saved.facts = decode_facts(parts.metadata, name);
  FileTensors tensors(std::move(parts.tensors), name);
  saved.model = std::make_shared<plume::Model>(model_of(saved.facts, tensors));
  return saved;
}

}  // namespace workers
