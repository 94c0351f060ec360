#include "benchmarks/formula.hpp"

#include <ATen/ATen.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace benchmarks {
namespace {

/// Initial weights only: steps of a benchmark take their rows and noise from elsewhere.
class FormulaDraws : public plume::Draws {
 public:
  at::Tensor initial_weight(const std::string&, at::IntArrayRef shape, double bound) const override {
    return formula(shape, next_++, bound);
  }
  std::vector<std::int64_t> permutation(int, std::int64_t) const override { throw std::logic_error("no order"); }
  at::Tensor noise(int, std::int64_t, std::int64_t, std::int64_t) const override { throw std::logic_error("no noise"); }

 private:
  mutable std::int64_t next_ = 0;
};

}  // namespace

at::Tensor formula(at::IntArrayRef shape, std::int64_t number, double bound) {
  at::Tensor values = at::arange(1, c10::multiply_integers(shape) + 1, at::kDouble);
  values.mul_(0.6180339887498949).add_(static_cast<double>(number) * 0.7548776662466927).frac_();
  return values.mul_(2).sub_(1).mul_(bound).to(at::kFloat).view(shape);
}

plume::Model formula_model(std::int64_t dimension) {
  return plume::make_model(sweeps::Perturbation::linear_map, plume::widths_of(static_cast<int>(dimension)),
                           FormulaDraws());
}

}  // namespace benchmarks
