// What the kernel keeps of files in memory.
#pragma once

#include <atomic>
#include <filesystem>

namespace storage {

/// Reads a file to its end, or to where `enough` is set, so that whoever reads it next need not wait for the disk; what
/// is read is thrown away. Throws Error naming a file that cannot be read, and one that is no plain file.
void read_into_page_cache(const std::filesystem::path& file, const std::atomic<bool>& enough);

}  // namespace storage
