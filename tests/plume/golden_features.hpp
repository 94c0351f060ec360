// Features of tests/golden/backbones as tensors, and the two measures of its README that hold others against them.
#pragma once

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "tests/plume/formula_weights.hpp"

namespace plume::golden {

/// A raw file of doubles.
inline at::Tensor read_doubles_as(const std::vector<std::int64_t>& shape, const std::string& name) {
  const auto count = std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
  std::vector<double> values = read_doubles(name, static_cast<std::size_t>(count));
  return at::from_blob(values.data(), shape, at::kDouble).clone();
}

/// Relative L2 error, and largest error over largest value.
inline void expect_close(const at::Tensor& actual, const at::Tensor& golden, double tolerance) {
  ASSERT_EQ(actual.sizes(), golden.sizes());
  const at::Tensor error = actual.to(at::kDouble) - golden;
  EXPECT_LE((error.norm() / golden.norm()).item<double>(), tolerance);
  EXPECT_LE((error.abs().max() / golden.abs().max()).item<double>(), tolerance);
}

}  // namespace plume::golden
