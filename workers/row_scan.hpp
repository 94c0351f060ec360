// What a scan notes of a row: checksum, size and, for images, channel sums.
#pragma once

#include "datasets/dataset.hpp"
#include "workers/messages.hpp"

namespace at {
class Tensor;
}

namespace workers {

/// [H, W, 3] uint8 without a copy: lives as long as `image`, and must not be written to.
at::Tensor as_tensor(const datasets::Image& image);

/// What a scan notes of a row's content: CRC-32C of an image's RGB bytes, of a vector's float32 numbers.
std::uint32_t checksum_of(const datasets::Image& image);
std::uint32_t checksum_of(const std::vector<float>& vector);

/// Reads row `row` of the task's split. Throws storage::Error naming the file that cannot be read.
ScannedImage scan_row(const datasets::Dataset& data, const ScanTask& task, std::int64_t row);

}  // namespace workers
