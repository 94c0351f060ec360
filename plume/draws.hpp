// Everything random that a training needs, behind an interface: initial weights, the order of an epoch, the noise of a
// step. The training asks here and nowhere else, so that stored values can take the place of drawn ones.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sweeps/job.hpp"

namespace plume {

using NoiseKey = std::array<std::uint32_t, 2>;

class Draws {
 public:
  virtual ~Draws() = default;
  /// Initial value of the parameter `name` (networks.hpp): float of `shape`, uniform in [-bound, bound).
  virtual at::Tensor initial_weight(const std::string& name, at::IntArrayRef shape, double bound) const = 0;
  /// The order in which epoch `epoch` (from 0) takes the n training rows.
  virtual std::vector<std::int64_t> permutation(int epoch, std::int64_t n) const = 0;
  /// Standard normals [rows, length] of one batch: the VAE's eps, or gaussian's. `batch` counts from 0 within the
  /// epoch.
  virtual at::Tensor noise(int epoch, std::int64_t batch, std::int64_t rows, std::int64_t length) const = 0;
  /// Where noise() is a counter-based stream's (sweeps::RandomStream::fill_normal with epoch and batch as its counter):
  /// the key of that stream, for a device that draws for itself. Else absent.
  virtual std::optional<NoiseKey> noise_key() const { return std::nullopt; }
  /// The same of initial_weight(name) (sweeps::RandomStream::fill_uniform at counter 0).
  virtual std::optional<NoiseKey> weight_key(const std::string& /*name*/) const { return std::nullopt; }
};

/// Counter-based draws of one job. A stream depends on seed, data set, class and its own name only (`init/<parameter>`,
/// `shuffle`, `noise`; of the range test `find/shuffle`, `find/noise`), so jobs that differ in one ablation axis share
/// data order, noise and the weights that both have, and a range test changes nothing in the training after it.
class StreamDraws : public Draws {
 public:
  /// `prefix` goes before the streams' names: "", "find/", "dump/" or "rotation/".
  explicit StreamDraws(const sweeps::Job& job, std::string prefix = "");
  at::Tensor initial_weight(const std::string& name, at::IntArrayRef shape, double bound) const override;
  std::vector<std::int64_t> permutation(int epoch, std::int64_t n) const override;
  at::Tensor noise(int epoch, std::int64_t batch, std::int64_t rows, std::int64_t length) const override;
  std::optional<NoiseKey> noise_key() const override;
  std::optional<NoiseKey> weight_key(const std::string& name) const override;

 private:
  std::uint64_t seed_;
  std::string dataset_;
  std::string normal_class_;
  std::string prefix_;
};

}  // namespace plume
