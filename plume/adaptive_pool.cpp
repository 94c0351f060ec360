// AdaptiveAvgPool1d on feature rows.
#include "plume/adaptive_pool.hpp"

#include <ATen/ATen.h>

namespace plume {

at::Tensor adaptive_pool(const at::Tensor& rows, std::int64_t dimension) {
  if (rows.size(1) == dimension) return rows;
  return at::adaptive_avg_pool1d(rows, {dimension});
}

}  // namespace plume
