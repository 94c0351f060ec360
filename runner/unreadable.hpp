// Files and folders that are there, and that this user may not read: what they would say is not known, which is another
// thing than that they are not there.
#pragma once

#include <filesystem>
#include <string>

namespace runner {

/// "runs/a/journal.jsonl: cannot be read by this user: Permission denied"; "" for what can be read, or is not there. Of
/// a folder: that its files can be reached too.
std::string why_unreadable(const std::filesystem::path& path);
/// Of what tells how the jobs of a run's directory stand: the folder, run.json, the journal, status.json; the first
/// one.
std::string why_unreadable_run(const std::filesystem::path& directory);
/// Of the folder of its batch scripts: DIR/slurm, or for a share or features PARENT/slurm.
std::string why_unreadable_scripts(const std::filesystem::path& directory);

}  // namespace runner
