// A journal that another process may be writing, read as it grows: all of it once, then what was appended. Opens the
// file for reading only.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>

#include "results/journal.hpp"

namespace results {

class JournalTail {
 public:
  explicit JournalTail(std::filesystem::path file) : file_(std::move(file)) {}

  /// Hands every whole line that is new to `take`, of every engine version that can be read; true where there was one.
  /// A last line that is torn waits: it may be half written, or be cut by the next run. A file that is another one than
  /// before, or shorter (it was repaired), is read anew after `forget`. A missing file has no lines. Throws Error
  /// naming a damaged line that is not the last, as replay_journal does; the lines before it were taken. Lines that end
  /// behind byte `up_to` wait for the next call.
  bool read(const std::function<void(Entry)>& take, const std::function<void()>& forget,
            std::uintmax_t up_to = UINTMAX_MAX);

 private:
  bool is_another_file();

  std::filesystem::path file_;
  std::uintmax_t read_up_to_ = 0;
  std::size_t lines_ = 0;
  bool owes_newline_ = false;  ///< the last line was whole but for its newline
  ::dev_t device_ = 0;
  ::ino_t inode_ = 0;
  std::uintmax_t length_ = 0;
};

}  // namespace results
