// DIR/journal.jsonl: what was committed, in the order it was. Append-only, one JSON object a line with a CRC-32C; only
// the coordinator writes. A bad last line is cut when the journal is opened; a bad line before it refuses the run and
// names the line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "results/result.hpp"
#include "sweeps/job.hpp"

namespace results {

inline constexpr int kJournalVersion = 1;

/// No attempt has a higher number: a line that says otherwise cannot be right.
inline constexpr int kMostAttempts = 1'000'000'000;

/// Cause of an AttemptEnded that takes a committed result back: the feature sets that it rests on have changed and it
/// is run again.
inline constexpr std::string_view kRedo = "redo";

struct Done {  ///< committed: finished or diverged
  sweeps::Job job;
  int attempt = 1;
  JobResult result;
  JobTiming timing;
  int engine_version = sweeps::kEngineVersion;  ///< of the program that computed it
};
struct Failed {  ///< out of attempts; not run again until --retry-failed
  sweeps::Job job;
  int attempt = 1;
  std::string cause;    ///< class, e.g. "exception", "oom", "signal", "hung"
  std::string message;  ///< one line
  int engine_version = sweeps::kEngineVersion;
};
/// A try that is about to be handed to a worker. Without an end of the same number it was under way when its run died.
struct AttemptStarted {
  sweeps::JobKey key;
  int attempt = 1;
  std::string worker;  ///< "worker 3 (node17)"
  std::string at;      ///< UTC
};
struct AttemptEnded {  ///< a try that ended without a result and is tried again
  sweeps::JobKey key;
  int attempt = 1;
  std::string cause;
  std::string message;
};
struct Note {  ///< anything a reader should know, e.g. that a worker was set aside; the report shows it
  std::string text;
};
using Entry = std::variant<Done, Failed, AttemptStarted, AttemptEnded, Note>;

/// Whose lines a reader takes: those of our engine version only, or those of every version whose records it can read.
/// A run goes on with its own only; tables can be made of older ones too.
enum class Engines { ours, readable };

std::string encode(const Entry& entry);  ///< one line without the newline
Entry decode_entry(std::string_view line, const std::string& origin, Engines engines = Engines::ours);

/// What a journal says at its end, by the keys that jobs have in our engine version: those of a plan. A line of an
/// older version has its job under the key of that version; the job is the same, and so is its canonical text but for
/// engine_version.
struct Ledger {
  std::unordered_map<sweeps::JobKey, Done>
      done;  ///< the first result of a key counts; later ones are kept in the file only
  std::unordered_map<sweeps::JobKey, Failed> failed;              ///< those without a result
  std::vector<std::string> notes;                                 ///< in the order in which they were made
  std::unordered_map<sweeps::JobKey, sweeps::JobKey> older_keys;  ///< key in an older engine version -> key in ours
  std::unordered_map<sweeps::JobKey, int>
      attempts;  ///< the highest number that an attempt has had: the next is one more
  std::unordered_map<sweeps::JobKey, AttemptStarted> under_way;  ///< started, and no end is known
  /// Causes of attempts that ended without a result, by attempt.
  std::unordered_map<sweeps::JobKey, std::map<int, std::string>> ends;
  void apply(Entry entry);
};

struct Replay {
  Ledger ledger;
  std::size_t lines = 0;
  std::uintmax_t file_bytes = 0;  ///< length when it was read
  std::uintmax_t good_bytes = 0;  ///< length up to the end of the last good line
  bool cut_tail = false;          ///< a bad last line was there
  bool needs_newline = false;     ///< the last good line is whole but for its newline
};
/// Reads a journal; a missing file is an empty one. Throws Error "<file>: line 12: checksum ...; `plume-bench repair
/// DIR` keeps the good lines" for a damaged line that is not the last and for any whole line that cannot be right, and
/// Error for a version that is not among `engines`.
Replay replay_journal(const std::filesystem::path& file, Engines engines = Engines::ours);

/// Moves the bad lines into `<file>.bad-<n>` and keeps the good ones, atomically. Returns how many were bad. Throws
/// Error, and changes nothing, for a missing file and for a line of a version that is not ours.
std::size_t repair_journal(const std::filesystem::path& file);

/// The writing end. Opening cuts a bad tail; a file that is no longer as long as when it was replayed is refused.
class Journal {
 public:
  explicit Journal(const std::filesystem::path& file, const Replay& replay);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// Appends lines; durable only after sync(). Throws Error naming the file and reason; on a failed write the file is
  /// cut back to its last whole line, so that nothing half-written stays.
  void append(const Entry& entry);
  /// Throws Error if the system cannot make the lines durable; nothing more is written then.
  void sync();
  /// Throws Error if the file was removed or replaced since it was opened: what is written would reach nobody. All that
  /// this run wrote is then put back under its name, or beside the file that has it now.
  void check_in_place();
  /// Bytes of whole lines in the file.
  std::uintmax_t length() const { return length_; }

 private:
  void write_whole(std::string_view bytes);
  std::string read_back() const;
  std::filesystem::path file_;
  int descriptor_ = -1;
  std::uintmax_t length_ = 0;
  bool dirty_ = false;
  bool broken_ = false;  ///< the file may end in half a line, or its pages may be lost
};

}  // namespace results
