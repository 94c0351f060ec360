// The folders of a directory of shares, by their names and by its scripts: which shares there are, or will be.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "sweeps/share.hpp"

namespace runner {

/// The number of shares of a directory that holds shares and no run of its own: as its folders say or, before there is
/// one, its scripts. Nothing for any other directory.
std::optional<int> shares_in(const std::filesystem::path& directory);

/// Throws UsageError for a folder that holds things, but nothing of a run, of shares or of batch scripts. One that is
/// missing or closed is left to who reads it.
void refuse_a_folder_of_something_else(const std::filesystem::path& directory);
/// A share, or features, of an array that has scripts, though it has no directory: Slurm may yet start it, and a look
/// at it tells.
bool is_awaited(const std::filesystem::path& directory);
/// "share-3-of-8" -> 3/8; nothing for other names.
std::optional<sweeps::Share> share_called(std::string_view folder);
/// "share-3-of-8".
std::string share_folder(int number, int of);
/// `plume-bench COMMAND DIR/share-*-of-8 --out DIR/report`, for a shell.
std::string command_of_shares(const std::string& command, const std::filesystem::path& directory, int of);

}  // namespace runner
