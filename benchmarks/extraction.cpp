// Times forward passes of a backbone with random weights, one for each line on standard input, as a trainer process
// runs them. benchmarks/extraction.py alternates it with the same network in Python.
#include <ATen/ATen.h>
#include <torch/version.h>

#include <chrono>
#include <cstdio>
#include <ctime>
#include <exception>
#include <fstream>
#include <iostream>
#include <string>

#include "plume/backbone.hpp"
#include "storage/error.hpp"
#include "workers/trainer_settings.hpp"

namespace {

struct Arguments {
  std::string backbone;
  int threads = 0;
  std::int64_t batch = 0, side = 0;
  std::string images_file, features_file;
};

Arguments parse(int argc, char** argv) {
  constexpr const char* kUsage =
      "usage: benchmark_extraction BACKBONE THREADS BATCH SIDE IMAGES FEATURES\n"
      "IMAGES holds [BATCH, 3, SIDE, SIDE] float32, raw; FEATURES is written. Then each line on standard input is\n"
      "answered by the seconds of a forward pass, by the clock and of processor time.";
  if (argc != 7) throw storage::UsageError(kUsage);
  try {
    return {argv[1], std::stoi(argv[2]), std::stoll(argv[3]), std::stoll(argv[4]), argv[5], argv[6]};
  } catch (const std::logic_error&) {
    throw storage::UsageError(kUsage);
  }
}

at::Tensor read_images(const Arguments& arguments) {
  at::Tensor images = at::empty({arguments.batch, 3, arguments.side, arguments.side}, at::kFloat);
  std::ifstream in(arguments.images_file, std::ios::binary);
  in.read(static_cast<char*>(images.data_ptr()), static_cast<std::streamsize>(images.nbytes()));
  if (!in || in.peek() != std::ifstream::traits_type::eof())
    throw storage::Error(arguments.images_file + ": expected " + std::to_string(images.nbytes()) + " bytes");
  return images;
}

void write_features(const at::Tensor& features, const std::string& file) {
  const at::Tensor rows = features.contiguous();
  std::ofstream out(file, std::ios::binary);
  out.write(static_cast<const char*>(rows.const_data_ptr()), static_cast<std::streamsize>(rows.nbytes()));
  if (!out.flush()) throw storage::Error(file + ": cannot be written");
}

/// Of all threads.
double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void answer(const Arguments& arguments) {
  workers::set_up_computation(arguments.threads);
  const auto backbone = plume::load_backbone(arguments.backbone, "random:0");
  const at::Tensor images = read_images(arguments);
  write_features(backbone->forward(images), arguments.features_file);
  std::printf("LibTorch %s\n", TORCH_VERSION);
  std::fflush(stdout);
  for (std::string line; std::getline(std::cin, line);) {
    const auto start = std::chrono::steady_clock::now();
    const double processor_start = processor_seconds();
    backbone->forward(images);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    std::printf("%.9f %.9f\n", seconds.count(), processor_seconds() - processor_start);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    answer(parse(argc, argv));
    return 0;
  } catch (const storage::UsageError& error) {
    std::fprintf(stderr, "benchmark_extraction: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "benchmark_extraction: %s\n", error.what());
    return 1;
  }
}
