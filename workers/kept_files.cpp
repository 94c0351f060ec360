// Names of files.
#include "workers/kept_files.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <system_error>

#include "results/dump.hpp"
#include "sweeps/checkpoint_size.hpp"

namespace workers {

std::filesystem::path model_file(const std::filesystem::path& directory, const sweeps::JobKey& key,
                                 const std::string& which) {
  return directory / "models" / fmt::format("{}-{}.safetensors", key.hex, which);
}

bool are_there(const std::filesystem::path& directory, const sweeps::Job& job, const sweeps::Keep& keep) {
  const auto key = sweeps::key_of(job);
  const auto is_as_large = [](const std::filesystem::path& file, std::int64_t bytes) {
    std::error_code error;
    const auto size = std::filesystem::file_size(file, error);
    return !error && size > static_cast<std::uintmax_t>(bytes);
  };
  const auto model = sweeps::model_bytes(job, keep.save);
  if (keep.save != sweeps::Save::none && !is_as_large(model_file(directory, key, "last"), model)) return false;
  return keep.dump == 0 || is_as_large(results::dump_file(directory, key), 0);
}

void remove_all_but(const std::filesystem::path& directory, const sweeps::JobKey& key, const sweeps::Keep& kept) {
  std::error_code ignored;
  if (kept.save == sweeps::Save::none) {
    for (const char* which : {"best", "last"}) std::filesystem::remove(model_file(directory, key, which), ignored);
  }
  if (kept.dump == 0) std::filesystem::remove(results::dump_file(directory, key), ignored);
}

}  // namespace workers
