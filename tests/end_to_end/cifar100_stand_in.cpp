#include "tests/end_to_end/cifar100_stand_in.hpp"

#include <cstdint>
#include <string>

#include "tests/datasets/cifar_files.hpp"
#include "tests/temporary_folder.hpp"

namespace tests {
namespace {

/// 32x32 values of three channels in turn, as the layout has them.
void append_picture(std::string& bytes, unsigned coarse, std::uint32_t& noise) {
  for (unsigned channel = 0; channel < 3; ++channel) {
    const unsigned colour = (coarse * 37 + channel * 91) % 160;
    for (unsigned pixel = 0; pixel < 1024; ++pixel) {
      noise = noise * 1664525 + 1013904223;
      const unsigned slope = coarse % 2 == 0 ? pixel / 32 : pixel % 32;
      bytes += static_cast<char>(colour + slope + (noise >> 26));
    }
  }
}

void write_batch(const std::filesystem::path& file, std::size_t records, std::uint32_t noise) {
  std::string bytes;
  bytes.reserve(records * (2 + datasets_test::kCifarRow));
  for (std::size_t i = 0; i < records; ++i) {
    const std::uint8_t coarse = datasets_test::kCoarseOfFine[i % 100];
    bytes += static_cast<char>(coarse);
    bytes += static_cast<char>(i % 100);
    append_picture(bytes, coarse, noise);
  }
  write_text(file, bytes);
}

}  // namespace

void write_cifar100_stand_in(const std::filesystem::path& folder) {
  write_batch(folder / "train.bin", 50'000, 1);
  write_batch(folder / "test.bin", 10'000, 2);
}

}  // namespace tests
