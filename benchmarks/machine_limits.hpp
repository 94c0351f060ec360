// What this machine can do: the numbers that a step's floor is made of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace plume {
class StepDevice;
}

namespace benchmarks {

/// What a matrix product of a layer is for.
enum class Product { forward, input_gradient, weight_gradient };

/// Bytes read and written a second on LibTorch's threads, past the caches: by a copy of 256 MiB or a change of as many
/// in place, whichever is faster here (on some machines stores past the caches are slower than others).
double copy_rate();
/// Multiply-adds in registers, in operations a second (two each), with the widest vectors of this processor.
double multiply_add_rate();

/// Whose product it is.
enum class Maker { libtorch, onednn, own };

/// Operations a second of a float32 product of a layer [out, in] and a batch, the mean of `weights` different weights
/// one after another, so that they come from memory as in a step. LibTorch's is at::mm (MKL, or what it was built
/// with), oneDNN's the one that LibTorch has for its opaque tensors, own plume/skinny_product.hpp. 0 where there is
/// none: oneDNN not built in, an own weight gradient (folded_seconds), an own product of a shape left to LibTorch.
double product_rate(Maker maker, Product product, std::int64_t batch, std::int64_t in, std::int64_t out, int weights);
/// Seconds in which `weights` weights of that shape are updated with their gradients made in registers
/// (plume/folded_update.hpp). The difference of two batches is the product's time alone.
double folded_seconds(std::int64_t batch, std::int64_t in, std::int64_t out, int weights);

/// The same three of a device: a copy of 1 GiB within its memory, LibTorch's product, its own kernel of the update.
double copy_rate(const plume::StepDevice& device);
double product_rate(const plume::StepDevice& device, Product product, std::int64_t batch, std::int64_t in,
                    std::int64_t out, int weights);
double folded_seconds(const plume::StepDevice& device, std::int64_t batch, std::int64_t in, std::int64_t out,
                      int weights);

}  // namespace benchmarks
