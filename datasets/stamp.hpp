// A digest over the outside of files: tells cheaply whether a data set may have changed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace datasets {

/// What a file that is gone does to a stamp.
enum class Missing { refused, noted };

/// 64 hexadecimal digits: SHA-256 over `options` and, for each of `paths` (relative to `folder`), path, size and
/// the times in ns at which its bytes and its entry last changed: a copy that keeps the former (cp -p, rsync -t)
/// changes the latter. A file that is gone is noted, or a storage::Error that names it.
std::string stamp_of(const std::string& options, const std::filesystem::path& folder,
                     const std::vector<std::string>& paths, Missing missing = Missing::refused);

}  // namespace datasets
