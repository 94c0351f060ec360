// Walks over words; a command is a word that may hold spaces.
#include "runner/status_fold.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "storage/columns.hpp"
#include "storage/printable.hpp"
#include "storage/utf8.hpp"

namespace runner {
namespace {

constexpr std::string_view kIndent = "  ", kDeeper = "    ";

/// A word of a sentence, or a command in it.
struct Piece {
  std::string text;     ///< as a part of the sentence, backticks included
  std::string command;  ///< alone; "" for a word
};

bool begins_a_command(std::string_view text) {
  for (const std::string_view program : {"sbatch ", "bash ", "plume-bench ", "mpirun ", "srun "}) {
    if (text.starts_with(program)) return true;
  }
  const auto word = text.substr(0, text.find(' '));
  return word.size() < text.size() && word.ends_with("/plume-bench");
}

/// Where the command begins that ends the text; its length where none does.
std::size_t command_at_the_end(std::string_view text) {
  for (auto at = text.find(": "); at != std::string_view::npos; at = text.find(": ", at + 2)) {
    if (begins_a_command(text.substr(at + 2))) return at + 2;
  }
  return text.size();
}

std::vector<Piece> pieces_of(std::string_view text) {
  std::vector<Piece> pieces;
  const auto tail = command_at_the_end(text);
  for (std::size_t at = text.find_first_not_of(' '); at < tail; at = text.find_first_not_of(' ', at)) {
    auto end = at;
    std::string command;
    if (text[at] == '`' && text.find('`', at + 1) < tail) {
      end = text.find('`', at + 1);
      command = text.substr(at + 1, end - at - 1);
    }
    end = std::min(text.find(' ', end), tail);
    pieces.push_back({std::string(text.substr(at, end - at)), std::move(command)});
    at = end;
  }
  if (tail < text.size()) pieces.push_back({std::string(text.substr(tail)), std::string(text.substr(tail))});
  return pieces;
}

/// Lines that grow word by word.
class Folder {
 public:
  explicit Folder(std::size_t columns) : columns_(columns) {}

  void add_word(const std::string& word) {
    const auto gap = line_.empty() ? 0 : 1;
    if (has_word_ && storage::columns_of(line_) + gap + storage::columns_of(word) > columns_) end_line();
    if (has_word_) line_ += ' ';
    line_ += word;
    has_word_ = true;
    while (storage::columns_of(line_) > columns_) {  // longer than a line
      const auto bytes = std::max<std::size_t>(1, storage::bytes_within(line_, columns_));
      lines_.push_back(line_.substr(0, bytes));
      line_.erase(0, bytes);
    }
  }
  void add_command(const Piece& piece) {
    const auto width = storage::columns_of(piece.text);
    const bool fits_here = (has_word_ ? storage::columns_of(line_) + 1 : line_.size()) + width <= columns_;
    if (fits_here || kIndent.size() + width <= columns_) return add_word(piece.text);
    if (has_word_) end_line();
    for (auto& line : command_lines(piece.command, columns_)) lines_.push_back(std::move(line));
    line_ = kIndent;
  }
  std::vector<std::string> lines() {
    if (has_word_) end_line();
    return std::move(lines_);
  }

 private:
  void end_line() {
    lines_.push_back(std::move(line_));
    line_ = kIndent;
    has_word_ = false;
  }
  std::size_t columns_;
  std::vector<std::string> lines_;
  std::string line_;
  bool has_word_ = false;
};

/// Bytes of the word at the start, quotes and what is in them included.
std::size_t shell_word_length(std::string_view text) {
  bool quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\'') quoted = !quoted;
    if (!quoted && text[at] == '\\') ++at;
    if (!quoted && at < text.size() && text[at] == ' ') return at;
  }
  return text.size();
}

/// Within quotes a backslash is a backslash: they are closed before it and opened after it.
void tear_word(std::string_view word, std::size_t columns, std::vector<std::string>& lines, std::string& line) {
  constexpr std::size_t kEnd = 2;  // a quote and the backslash
  bool quoted = false;
  while (!word.empty()) {
    std::size_t bytes = std::max<std::size_t>(1, storage::character_length(word, 0));
    if (!quoted && word.front() == '\\') bytes = std::min<std::size_t>(2, word.size());
    if (storage::columns_of(line) + storage::columns_of(word.substr(0, bytes)) + kEnd > columns) {
      lines.push_back(line + (quoted ? "'\\" : "\\"));
      line = quoted ? "'" : "";
    }
    if (word.front() == '\'') quoted = !quoted;
    line += word.substr(0, bytes);
    word.remove_prefix(bytes);
  }
}

}  // namespace

std::vector<std::string> command_lines(const std::string& command, std::size_t columns) {
  constexpr std::size_t kEnd = 2;  // " \"
  std::vector<std::string> lines;
  std::string line(kIndent);
  if (kIndent.size() + storage::columns_of(command) <= columns) return {line + command};
  bool has_word = false;
  for (std::string_view rest = command; !rest.empty();) {
    const auto length = shell_word_length(rest);
    const auto word = rest.substr(0, length);
    rest.remove_prefix(std::min(length + 1, rest.size()));
    const auto end = rest.empty() ? 0 : kEnd;
    if (has_word && storage::columns_of(line) + 1 + storage::columns_of(word) + end > columns) {
      lines.push_back(line + " \\");
      line = kDeeper;
      has_word = false;
    }
    if (has_word) line += ' ';
    if (storage::columns_of(line) + storage::columns_of(word) + end > columns) {
      tear_word(word, columns, lines, line);
    } else {
      line += word;
    }
    has_word = true;
  }
  lines.push_back(line);
  return lines;
}

std::vector<std::string> folded_lines(const std::string& text, std::size_t columns) {
  Folder folder(columns);
  for (const auto& piece : pieces_of(storage::printable_line(text, std::max<std::size_t>(text.size(), 8)))) {
    if (piece.command.empty()) {
      folder.add_word(piece.text);
    } else {
      folder.add_command(piece);
    }
  }
  return folder.lines();
}

std::vector<std::string> without_middle(std::vector<std::string> lines, std::size_t most, std::size_t columns) {
  if (lines.size() <= most || most == 0) return lines;
  if (most == 1) {
    std::string all;
    for (const auto& line : lines)
      all += (all.empty() ? "" : " ") + line.substr(std::min(line.find_first_not_of(' '), line.size()));
    return {storage::cut_middle(all, columns)};
  }
  const auto head = static_cast<std::ptrdiff_t>((most + 1) / 2);
  std::vector<std::string> kept(lines.begin(), lines.begin() + head);
  auto& last = kept.back();
  last = storage::columns_of(last) + 2 <= columns ? last + " …" : storage::cut_to(last + "...", columns);
  kept.insert(kept.end(), lines.end() - static_cast<std::ptrdiff_t>(most) + head, lines.end());
  return kept;
}

}  // namespace runner
