// Implements stamps over stat(2). Reads no file.
#include "datasets/stamp.hpp"

#include <sys/stat.h>

#include <cerrno>

#include "storage/atomic_file.hpp"
#include "storage/digest.hpp"

namespace datasets {

std::string stamp_of(const std::string& options, const std::filesystem::path& folder,
                     const std::vector<std::string>& paths, Missing missing) {
  storage::Sha256 digest;
  digest.update(options + '\0');
  for (const std::string& path : paths) {
    struct stat about {};
    if (::stat((folder / path).c_str(), &about) != 0) {
      if (missing == Missing::refused || (errno != ENOENT && errno != ENOTDIR && errno != ENAMETOOLONG))
        storage::fail_with_errno(folder / path, "cannot open", errno);
      digest.update(path + '\0' + "absent" + '\0');
      continue;
    }
    // A path holds no zero byte and the numbers no spaces, so two lists never make the same text.
    digest.update(path + '\0' + std::to_string(about.st_size) + ' ' + std::to_string(about.st_mtim.tv_sec) + ' ' +
                  std::to_string(about.st_mtim.tv_nsec) + ' ' + std::to_string(about.st_ctim.tv_sec) + ' ' +
                  std::to_string(about.st_ctim.tv_nsec) + '\0');
  }
  return storage::hex(digest.finish());
}

}  // namespace datasets
