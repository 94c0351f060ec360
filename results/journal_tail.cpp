// Goes on at the end of the last line that was taken.
#include "results/journal_tail.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>

#include "results/journal_line.hpp"
#include "storage/error.hpp"
#include "storage/file_lines.hpp"

namespace results {

/// Looks at the file, and whether what was read of it still holds.
bool JournalTail::is_another_file() {
  struct stat now {};
  const bool is_there = ::stat(file_.c_str(), &now) == 0;
  const bool is_same = is_there && now.st_dev == device_ && now.st_ino == inode_;
  device_ = is_there ? now.st_dev : 0;
  inode_ = is_there ? now.st_ino : 0;
  length_ = is_there ? static_cast<std::uintmax_t>(now.st_size) : 0;
  return !is_same || length_ < read_up_to_;
}

bool JournalTail::read(const std::function<void(Entry)>& take, const std::function<void()>& forget,
                       std::uintmax_t up_to) {
  bool is_new = false;
  if (is_another_file()) {
    is_new = read_up_to_ > 0;
    read_up_to_ = 0;
    lines_ = 0;
    owes_newline_ = false;
    forget();
  }
  if (std::min(length_, up_to) <= read_up_to_) return is_new;
  storage::FileLines lines(file_, read_up_to_);
  for (auto line = lines.next(); line; line = lines.next()) {
    if (line->end > up_to) break;
    if (owes_newline_ && line->text.empty()) {
      owes_newline_ = false;
      read_up_to_ = line->end;
      continue;
    }
    const auto origin = fmt::format("{}: line {}", file_.string(), lines_ + 1);
    ReadLine read = read_line(line->text, origin, Engines::readable);
    if (read.state == LineState::damaged && line->is_last) break;
    if (read.state != LineState::good) {
      throw storage::Error(fmt::format("{}; `plume-bench repair {}` keeps the good lines and moves the bad ones aside",
                                       read.why, file_.parent_path().string()));
    }
    take(std::move(*read.entry));
    ++lines_;
    read_up_to_ = line->end;
    owes_newline_ = !line->has_newline;
    is_new = true;
  }
  return is_new;
}

}  // namespace results
