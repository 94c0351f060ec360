// What squeue prints, a line a job or a range of an array's tasks, and whose script each is of. Pure but for the links
// in a script's path.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace runner {

/// A job of a batch script, or a task of an array of it.
struct QueuedJob {
  std::string job;          ///< Slurm's number; of a task that has not started that of its array
  bool running = false;     ///< or being ended; else it waits
  std::string reason = {};  ///< why it waits, in Slurm's own word, "Priority"; "": not said
  bool operator==(const QueuedJob&) const = default;
};

/// The reason of a job that waits for one that failed: it never starts.
inline constexpr std::string_view kNeverSatisfied = "DependencyNeverSatisfied";

/// Of those, one that waits, before that one that can start some day; null where none waits.
const QueuedJob* waiting_of(const std::vector<QueuedJob>& jobs);

/// A line of squeue.
struct QueueLine {
  QueuedJob job;
  std::string tasks;    ///< "3", "1-4,7%2"; "N/A" of what is no array
  std::string command;  ///< the script's whole path, and what was typed after it
};

/// How squeue is asked for them, but for whose jobs.
inline constexpr const char* kQueueFormat = "%A|%K|%T|%r|%Z\x1f%o";  // a folder's name may hold "|"
/// In its environment: all tasks of an array, however long a line they take.
inline constexpr const char* kQueueWholeLines = "SLURM_BITSTR_LEN=0";

std::vector<QueueLine> queue_lines(const std::string& printed);

/// The lines of a script.
class ScriptLines {
 public:
  explicit ScriptLines(const std::filesystem::path& script);
  bool has(const QueueLine& line) const;

 private:
  std::string full_, real_;
};

/// The tasks of "1-4,7,9-13:2%2", those of 1 to `most`; none where it is no list of tasks.
std::vector<int> tasks_of(std::string_view tasks, int most);
bool has_task(std::string_view tasks, int task);

}  // namespace runner
