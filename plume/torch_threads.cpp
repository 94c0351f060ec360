// An elementwise operation over the numbers 0, 1, 2 ...: LibTorch shares its elements out.
#include "plume/torch_threads.hpp"

#include <ATen/ATen.h>
#include <ATen/TensorIterator.h>

namespace plume {

void share_out(std::int64_t count, const Work& work) {
  const at::NoGradGuard no_grad;
  at::Tensor numbers = at::arange(count, at::kLong);
  auto all = at::TensorIterator::nullary_op(numbers);
  // Of two dimensions, of which the second is always 1 here: the one of one dimension warns falsely in GCC 12.
  all.for_each(
      [&](char** data, const std::int64_t*, std::int64_t n, std::int64_t) {
        const std::int64_t begin = *reinterpret_cast<const std::int64_t*>(data[0]);
        work(begin, begin + n);
      },
      /*grain_size=*/1);
}

}  // namespace plume
