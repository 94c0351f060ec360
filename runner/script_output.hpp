// What the batch scripts of a directory printed last: the evidence of a script that ended before its run began.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace runner {

/// The end of an output file, as slurm/work.sbatch.in writes it.
struct OutputTail {
  bool ended = false;              ///< its last line says that the script has ended
  bool before_its_run = false;     ///< and that it had not come to its run
  std::optional<int> exit_status;  ///< of the script
  int restart = -1;                ///< $SLURM_RESTART_COUNT of the last start; -1: not in this part of the file
  std::string telling;             ///< the line that says why, on one line for people; "" where it printed nothing
  std::string cluster = {};        ///< Slurm's name of its cluster; "": not in this part of the file
  bool operator==(const OutputTail&) const = default;
};

/// A script's exit status where it was told to end: scancel, its time limit, preemption.
inline constexpr int kTerminated = 143;

/// It was scancelled or preempted: nothing is to be mended. Not where its time was over: set-up lines that outlast an
/// allocation do so again.
bool was_told_to_end(const OutputTail& tail);

/// `text`: the file's last bytes.
OutputTail read_tail(std::string_view text);

/// Reads at most 64 KiB; as if it were empty where it cannot be read.
OutputTail tail_of(const std::filesystem::path& output);

/// FOLDER/*-ID.out, `id` of a job or "12_3" of a task of an array; "" where there is none, or none can be seen.
std::filesystem::path output_of(const std::filesystem::path& folder, const std::string& id);

/// The newest DIR/slurm/*.out.
struct ScriptOutput {
  std::filesystem::path file;
  std::string job;  ///< Slurm's number, by the file's name
  OutputTail tail;
  bool after_status = true;   ///< written to since the last run wrote its status.json, by the file system's clock
  double quiet_seconds = 0;   ///< since it was written to, by our clock
  bool disk_is_full = false;  ///< now
  bool operator==(const ScriptOutput&) const = default;
};

/// Reads at most 64 KiB. Nothing where no script has printed anything, or none can be read.
std::optional<ScriptOutput> newest_output(const std::filesystem::path& directory);

}  // namespace runner
