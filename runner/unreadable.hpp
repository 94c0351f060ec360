// Files and folders that are there, and that this user may not read: what they would say is not known, which is another
// thing than that they are not there.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace runner {

/// "runs/a/journal.jsonl: cannot be read by this user: Permission denied"; "" for what can be read, or is not there. Of
/// a folder: that its files can be reached too.
std::string why_unreadable(const std::filesystem::path& path);
/// Of what tells how the jobs of a run's directory stand: the folder, run.json, the journal, status.json; the first
/// one.
std::string why_unreadable_run(const std::filesystem::path& directory);
/// Of its batch scripts, and the folder where they lie: DIR/slurm, or for a share or features PARENT/slurm; the first.
std::string why_unreadable_scripts(const std::filesystem::path& directory);
/// The exit status of a look whose `problems` are these: 1, but 0 where all that could not be read is the batch
/// scripts, `unread_scripts`, on which no result rests.
int exit_status_with(const std::vector<std::string>& problems, const std::string& unread_scripts);

}  // namespace runner
