// Walks folders; what is in a file is datasets/image_file's to say.
#include "workers/score_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <ios>

#include "datasets/image_file.hpp"
#include "datasets/jpeg.hpp"
#include "datasets/png.hpp"
#include "storage/atomic_file.hpp"
#include "storage/error.hpp"

namespace workers {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostBytes = std::uintmax_t{1} << 28;  // 256 MiB a file, as in a data set
constexpr std::size_t kFirstBytes = 16;

[[noreturn]] void refuse(const fs::path& path, const std::string& what) {
  throw storage::UsageError(fmt::format("{}: {}", path.string(), what));
}

bool is_called_image(const fs::path& file) {
  std::string extension = file.extension().string();
  for (char& c : extension) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return extension == ".jpg" || extension == ".jpeg" || extension == ".png";
}

bool begins_as_image(const fs::path& file) {
  std::string bytes(kFirstBytes, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(in.gcount()));
  return datasets::is_jpeg(bytes) || datasets::is_png(bytes);
}

/// One folder and all below it.
class Walk {
 public:
  explicit Walk(ScoreInputs& into) : into_(into) {}

  void through(const fs::path& folder) {
    std::error_code error;
    const fs::path real = fs::canonical(folder, error);
    if (std::find(above_.begin(), above_.end(), real) != above_.end()) return;
    above_.push_back(real);
    std::vector<fs::directory_entry> entries;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
      if (!entry->path().filename().string().starts_with('.')) entries.push_back(*entry);
    }
    if (error) storage::fail_with_errno(folder, "cannot list", error.value());
    for (const auto& entry : entries) look_at(entry);
    above_.pop_back();
  }

 private:
  void look_at(const fs::directory_entry& entry) {
    std::error_code broken_link;
    if (entry.is_directory(broken_link)) return through(entry.path());
    const bool is_file = entry.is_regular_file(broken_link);
    if (is_called_image(entry.path()) || (is_file && begins_as_image(entry.path()))) {
      into_.files.push_back(entry.path().string());
    } else {
      ++into_.passed_over;
    }
  }

  ScoreInputs& into_;
  std::vector<fs::path> above_;
};

}  // namespace

ScoreInputs images_in(const std::vector<std::string>& paths) {
  ScoreInputs inputs;
  for (const std::string& path : paths) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (status.type() == fs::file_type::not_found) refuse(path, "is not there; give image files, or folders of them");
    if (error) storage::fail_with_errno(path, "cannot be looked at", error.value());
    if (fs::is_regular_file(status)) {
      inputs.files.push_back(path);
      continue;
    }
    if (!fs::is_directory(status)) refuse(path, "is neither a file nor a folder; give image files, or folders of them");
    const auto before = static_cast<std::ptrdiff_t>(inputs.files.size());
    Walk(inputs).through(path);
    if (before == static_cast<std::ptrdiff_t>(inputs.files.size())) {
      refuse(path, "no JPEG or PNG image is in it or in a folder below it; give another folder");
    }
    std::sort(inputs.files.begin() + before, inputs.files.end());
  }
  return inputs;
}

datasets::Image read_image_file(const std::string& file) {
  return datasets::decode_image(storage::read_regular_file(file, kMostBytes), file);
}

datasets::Image ListedImages::read(datasets::Split, std::int64_t i) const {
  return read_image_file(files_.at(static_cast<std::size_t>(i)));
}

}  // namespace workers
