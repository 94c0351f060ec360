// Names of files.
#include "workers/kept_files.hpp"

#include <fmt/format.h>

#include "results/dump.hpp"
#include "storage/is_there.hpp"

namespace workers {

std::filesystem::path model_file(const std::filesystem::path& directory, const sweeps::JobKey& key,
                                 const std::string& which) {
  return directory / "models" / fmt::format("{}-{}.safetensors", key.hex, which);
}

bool are_there(const std::filesystem::path& directory, const sweeps::JobKey& key, const sweeps::Keep& keep) {
  if (keep.save != sweeps::Save::none && !storage::is_there(model_file(directory, key, "last"))) return false;
  return keep.dump == 0 || storage::is_there(results::dump_file(directory, key));
}

}  // namespace workers
