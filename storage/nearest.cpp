// Edit distance with swaps (optimal string alignment) and the phrases of error messages. Knows no file and no key.
#include "storage/nearest.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace storage {
namespace {

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates) {
  std::optional<std::string> best;
  std::size_t best_distance = 0;
  if (word.size() > 200) return best;  // the distance is quadratic, and nobody mistypes that
  for (const std::string& candidate : candidates) {
    const std::size_t d = distance(word, candidate);
    const std::size_t most = (std::max(word.size(), candidate.size()) + 2) / 3;
    if (d > most || (best && d >= best_distance)) continue;
    best = candidate;
    best_distance = d;
  }
  return best;
}

std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& candidates) {
  if (const auto near = nearest(word, candidates)) return " (did you mean \"" + *near + "\"?)";
  return candidates.empty() ? "" : "; expected " + listed(candidates);
}

}  // namespace storage
