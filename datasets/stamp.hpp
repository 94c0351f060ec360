// A digest over the outside of files: tells cheaply whether a data set may have changed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace datasets {

/// 64 hexadecimal digits: SHA-256 over `options` and, for each of `paths` (relative to `folder`), path, size and
/// the times in ns at which its bytes and its entry last changed: a copy that keeps the former (cp -p, rsync -t)
/// changes the latter. Throws storage::Error naming a file that is gone.
std::string stamp_of(const std::string& options, const std::filesystem::path& folder,
                     const std::vector<std::string>& paths);

}  // namespace datasets
