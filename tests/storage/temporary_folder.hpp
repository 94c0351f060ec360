// A folder for one test, removed with all that is in it. Test-only.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace storage_test {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "plume-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  /// How many entries lie in it, hidden ones too.
  std::ptrdiff_t entry_count() const {
    const std::filesystem::directory_iterator begin(path_);
    return std::distance(begin, std::filesystem::directory_iterator());
  }

 private:
  std::filesystem::path path_;
};

/// Writes and reads without the code under test.
inline void write_plainly(const std::filesystem::path& file, const std::string& bytes) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream out(file, std::ios::binary);
  out << bytes;
  if (!out.flush()) throw std::runtime_error("cannot write " + file.string());
}

inline std::string read_plainly(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + file.string());
  return std::string(std::istreambuf_iterator<char>(in), {});
}

/// The message of the Thrown that `action` throws; a failure of the test if it throws none.
template <typename Thrown, typename Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const Thrown& thrown) {
    return thrown.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

}  // namespace storage_test
