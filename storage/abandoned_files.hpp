// Temporary files whose writer was killed: they would pile up for ever.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>

namespace storage {

/// Removes, in `folder` and two levels below it, the temporaries (atomic_file.hpp; folders too) of processes of this
/// host that are gone. Those of other hosts are theirs to remove, and the last minute's are left alone: in a container
/// a process of the same host name may be out of our sight. What cannot be read or removed stays. Returns how many were
/// removed.
std::size_t remove_abandoned_temporaries(const std::filesystem::path& folder,
                                         std::chrono::seconds older_than = std::chrono::seconds(60));

}  // namespace storage
