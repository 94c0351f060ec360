// What a scan notes of rows: checksum, size and, for images, channel sums; or why one cannot be read.
#pragma once

#include <functional>

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

/// Reads row `row` of the task's split. Throws storage::Error naming the file that cannot be read; where the data set
/// may skip rows, that is noted as the row's fault.
ScannedImage scan_row(const datasets::Dataset& data, const ScanTask& task, std::int64_t row);

/// All rows of the task in order, by several threads (a trainer's own number). LibTorch uses one thread for each row,
/// so that sums, which identities of feature sets hold, do not depend on that number.
Scanned scan_rows(const datasets::Dataset& data, const ScanTask& task, int threads,
                  const std::function<void()>& on_progress);

}  // namespace workers
