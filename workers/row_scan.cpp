// Sums of bytes as stored and, where images may differ in size or have a first square, of pixels after the resize.
#include "workers/row_scan.hpp"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <array>

#include "plume/backbone.hpp"
#include "storage/digest.hpp"
#include "storage/error.hpp"
#include "storage/printable.hpp"
#include "workers/kind_of_rows.hpp"
#include "workers/read_ahead.hpp"

namespace workers {
namespace {

/// Byte sums are exact in doubles (a pixel's square is below 2^16, an image has fewer than 2^36 pixels).
void sum_bytes(const datasets::Image& image, ScannedImage& scanned) {
  std::array<std::uint64_t, 3> sums{};
  std::array<std::uint64_t, 3> squares{};
  for (std::size_t i = 0; i + 2 < image.rgb.size(); i += 3) {
    for (std::size_t c = 0; c < 3; ++c) {
      const std::uint64_t v = image.rgb[i + c];
      sums[c] += v;
      squares[c] += v * v;
    }
  }
  scanned.sums.assign(sums.begin(), sums.end());
  scanned.squares.assign(squares.begin(), squares.end());
}

void sum_square(const datasets::Image& image, int square, ScannedImage& scanned) {
  const auto resized = plume::preprocess(as_tensor(image).unsqueeze(0), {0, 0, 0}, {1, 1, 1}, square).to(at::kDouble);
  const auto sums = resized.sum({0, 2, 3});
  const auto squares = resized.square().sum({0, 2, 3});
  for (int c = 0; c < 3; ++c) {
    scanned.square_sums.push_back(sums[c].item<double>());
    scanned.square_squares.push_back(squares[c].item<double>());
  }
}

ScannedImage scan_image(const datasets::Image& image, bool resize, int square) {
  ScannedImage scanned;
  scanned.width = image.width;
  scanned.height = image.height;
  scanned.crc32c = checksum_of(image);
  sum_bytes(image, scanned);
  if (resize) sum_square(image, square, scanned);
  return scanned;
}

ScannedImage scan_vector(const std::vector<float>& row) {
  ScannedImage scanned;
  scanned.width = static_cast<int>(row.size());
  scanned.height = 1;
  scanned.crc32c = checksum_of(row);
  return scanned;
}

}  // namespace

at::Tensor as_tensor(const datasets::Image& image) {
  return at::from_blob(const_cast<std::uint8_t*>(image.rgb.data()), {image.height, image.width, 3}, at::kByte);
}

std::uint32_t checksum_of(const datasets::Image& image) {
  return storage::crc32c({reinterpret_cast<const char*>(image.rgb.data()), image.rgb.size()});
}

std::uint32_t checksum_of(const std::vector<float>& vector) {
  return storage::crc32c({reinterpret_cast<const char*>(vector.data()), vector.size() * sizeof(float)});
}

ScannedImage scan_row(const datasets::Dataset& data, const ScanTask& task, std::int64_t row) {
  const auto* vectors = dynamic_cast<const datasets::Vectors*>(&data);
  if (vectors != nullptr) return scan_vector(vectors->read(task.split, row));
  const auto& images = as<datasets::Images>(data, task.data.spec.id);
  datasets::Image image;
  try {
    image = images.read(task.split, row);
  } catch (const storage::Error& error) {
    if (task.data.spec.skip <= 0) throw;
    ScannedImage unreadable;
    unreadable.fault = storage::printable_line(error.what(), kLongestFault);
    return unreadable;
  }
  return scan_image(image, images.may_differ_in_size() || images.first_square() > 0, task.square);
}

Scanned scan_rows(const datasets::Dataset& data, const ScanTask& task, int threads,
                  const std::function<void()>& on_progress) {
  const int all_threads = at::get_num_threads();
  Scanned scanned;
  {
    const bool vectors = dynamic_cast<const datasets::Vectors*>(&data) != nullptr;  // nothing to decode
    ReadAhead<ScannedImage> rows(
        task.count,
        [&](std::int64_t i) {
          thread_local const bool alone = (at::set_num_threads(1), true);  // its own threads would wait for one another
          static_cast<void>(alone);
          return scan_row(data, task, task.first + i);
        },
        [](const ScannedImage&) { return sizeof(ScannedImage); }, {.threads = vectors ? 1 : threads});
    for (std::int64_t i = 0; i < task.count; ++i) {
      scanned.images.push_back(rows.take());
      on_progress();
    }
    scanned.spent.waiting = rows.waited_seconds();
  }
  at::set_num_threads(all_threads);  // threads that LibTorch has not seen yet take the number that was set last
  return scanned;
}

}  // namespace workers
