// From a backbone's own row length L to the method's D (method.md section 1.4).
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace plume {

/// out[i] = mean(x[floor(i L / D) : ceil((i + 1) L / D)]) along each row: [N, L] -> [N, D]; up-samples where D > L.
/// Rows of length D are returned as they are. Example: (1, 2) to 3 values: (1, 1.5, 2).
at::Tensor adaptive_pool(const at::Tensor& rows, std::int64_t dimension);

}  // namespace plume
