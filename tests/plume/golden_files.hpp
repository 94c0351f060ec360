// What the golden tests read and fill: fixture files, the closed-form fill, and draws that return stored values.
// The formats are those of tests/golden/method/README.md. Test-only: the product reads weights elsewhere.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "plume/draws.hpp"

namespace golden {

/// $PLUME_GOLDEN_DIR, or tests/golden of the source tree.
std::filesystem::path folder();
/// Throws std::runtime_error naming a missing file.
nlohmann::json read_json(const std::string& name);
/// name -> tensor. F16, F32, F64, I32 and U8 become tensors of that type. Throws std::runtime_error for anything that
/// does not fit.
std::map<std::string, at::Tensor> read_safetensors(const std::string& name);

/// README section 5: h(i, s), unit(i, s) in [-1, 1) and fill(shape, s, scale) as float32.
std::uint32_t hash(std::uint32_t i, std::uint32_t stream);
double unit(std::uint32_t i, std::uint32_t stream);
at::Tensor fill(at::IntArrayRef shape, std::uint32_t stream, double scale);

/// Draws that a test gives as functions; asking for one that is not given throws std::bad_function_call.
struct GivenDraws : plume::Draws {
  std::function<at::Tensor(const std::string&, at::IntArrayRef)> weight;
  std::function<std::vector<std::int64_t>(int, std::int64_t)> order;
  std::function<at::Tensor(int, std::int64_t, std::int64_t, std::int64_t)> eps;

  at::Tensor initial_weight(const std::string& name, at::IntArrayRef shape, double) const override {
    return weight(name, shape);
  }
  std::vector<std::int64_t> permutation(int epoch, std::int64_t n) const override { return order(epoch, n); }
  at::Tensor noise(int epoch, std::int64_t batch, std::int64_t rows, std::int64_t length) const override {
    return eps(epoch, batch, rows, length);
  }
};

/// EXPECTs equal shapes and |actual - expected| <= absolute + relative |expected| for every element.
void expect_near(const at::Tensor& actual, const at::Tensor& expected, double absolute, double relative,
                 const std::string& what);
/// The same for numbers.
void expect_near(double actual, double expected, double absolute, double relative, const std::string& what);

}  // namespace golden
