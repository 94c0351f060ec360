// Files that are either the old one or the new one, whole: temporary in the same folder, fsync, rename, fsync of the
// folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "storage/descriptor.hpp"

namespace storage {

/// A temporary name beside `target`, unique among hosts, processes and calls: `<target>.tmp.<host>.<pid>.<n>`.
std::filesystem::path temporary_beside(const std::filesystem::path& target);
/// What stands between <target> and <pid> in the names of this host's temporaries: ".tmp.<host>".
const std::string& temporary_mark();

/// Replaces `target` by `bytes`. Makes missing parent folders. Throws Error naming the file and the system's reason
/// (where no room is left, as a DiskFull); the old file is then untouched and no temporary stays behind.
void write_atomically(const std::filesystem::path& target, std::string_view bytes);

/// The same without fsync and without a throw, for a view that is made anew every second: false where it could not be
/// written. After a crash of the machine the file may be the old one, the new one, or empty.
bool replace_view(const std::filesystem::path& target, std::string_view bytes) noexcept;

/// Writes `bytes` to a new file beside `target`, for publish_first or publish_over. The same errors as
/// write_atomically.
std::filesystem::path write_temporary(const std::filesystem::path& target, std::string_view bytes);

enum class Publish { won, lost };  ///< lost: a file of that name was there first, ours was dropped

/// fsyncs `temporary` and gives it its final name unless a file of that name exists already (the first one wins).
/// This and publish_over throw Error naming `target`; `temporary` is then gone too.
Publish publish_first(const std::filesystem::path& temporary, const std::filesystem::path& target);
/// fsyncs `temporary` and gives it its final name, replacing what is there.
void publish_over(const std::filesystem::path& temporary, const std::filesystem::path& target);

/// A new file beside `target` that grows piece by piece and takes its place at the end; gone unless it was published.
/// The same errors as write_atomically.
class ReplacingFile {
 public:
  explicit ReplacingFile(std::filesystem::path target);
  ~ReplacingFile();
  ReplacingFile(const ReplacingFile&) = delete;
  ReplacingFile& operator=(const ReplacingFile&) = delete;
  void append(std::string_view bytes);
  void sync();  ///< waits until what was appended is on disk
  void publish();

 private:
  std::filesystem::path target_, temporary_;
  Descriptor descriptor_;
};

/// The whole file. Throws Error naming a missing or unreadable file, or one larger than `most` bytes.
std::string read_file(const std::filesystem::path& file, std::uintmax_t most = std::uintmax_t{1} << 34);

/// The same of a regular file only: a pipe or a device among data could keep its reader waiting for ever.
std::string read_regular_file(const std::filesystem::path& file, std::uintmax_t most = std::uintmax_t{1} << 34);

/// Makes missing parent folders of `target`. Throws Error naming the folder.
void make_parent_folders(const std::filesystem::path& target);

/// "<file>: <doing>: <strerror(error_number)>" as an Error; where no room is left, as a DiskFull that says what to do.
[[noreturn]] void fail_with_errno(const std::filesystem::path& file, const std::string& doing, int error_number);

}  // namespace storage
