// One-line versions of what a library threw or a process printed. Knows nothing of where the text comes from.
#include "workers/one_line.hpp"

#include <utility>
#include <vector>

namespace workers {
namespace {

bool is_blank(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte <= 0x20 || byte == 0x7f;
}

}  // namespace

std::string one_line(std::string_view text, std::size_t longest) {
  std::string line;
  for (const char c : text) {
    if (!is_blank(c)) {
      line.push_back(c);
    } else if (!line.empty() && line.back() != ' ') {
      line.push_back(' ');
    }
  }
  if (!line.empty() && line.back() == ' ') {
    line.pop_back();
  }
  if (line.size() > longest) {
    std::size_t end = longest;
    while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xc0) == 0x80) {  // not inside a UTF-8 character
      --end;
    }
    line.resize(end);
    line += "…";
  }
  return line;
}

std::string last_lines(std::string_view text) {
  std::vector<std::string> latest_first;
  while (!text.empty() && latest_first.size() < 2) {
    const std::size_t end = text.rfind('\n');
    const std::size_t begin = end == std::string_view::npos ? 0 : end + 1;
    if (std::string line = one_line(text.substr(begin), 200); !line.empty()) {
      latest_first.push_back(std::move(line));
    }
    text = text.substr(0, end == std::string_view::npos ? 0 : end);
  }
  if (latest_first.empty()) {
    return "";
  }
  return latest_first.size() == 1 ? latest_first[0] : latest_first[1] + " | " + latest_first[0];
}

}  // namespace workers
