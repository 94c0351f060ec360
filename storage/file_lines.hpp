// A text file line by line, without the whole of it in memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "storage/descriptor.hpp"

namespace storage {

/// A line ends with a newline (CR LF too, should a transfer have changed it); what follows the last newline is a line
/// as well, if anything does.
class FileLines {
 public:
  struct Line {
    std::string_view text;     ///< without its end; until next() is called again
    std::uintmax_t end = 0;    ///< offset of the byte after it, its newline included
    bool has_newline = false;  ///< false only for the last one
    bool is_last = false;
  };

  /// Longer lines are nobody's: a file without a newline, of any size, is not taken into memory.
  static constexpr std::size_t kLongestLine = std::size_t{256} << 20;

  /// From the byte at offset `from` on. Throws Error naming a file that cannot be opened, a folder, a pipe and a
  /// device. So does next() for one that cannot be read, and for a line of more than `longest_line` bytes.
  explicit FileLines(const std::filesystem::path& file, std::uintmax_t from = 0,
                     std::size_t longest_line = kLongestLine);

  std::optional<Line> next();

 private:
  bool read_more();

  std::filesystem::path file_;
  Descriptor descriptor_;
  std::size_t longest_line_;
  std::string bytes_;             ///< read and not yet given out from at_ on
  std::size_t at_ = 0;            ///< where the next line begins in bytes_
  std::uintmax_t given_out_ = 0;  ///< bytes of the file before at_
};

}  // namespace storage
