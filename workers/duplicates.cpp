// Groups rows by checksum, then by content.
#include "workers/duplicates.hpp"

#include <algorithm>
#include <map>

namespace workers {
namespace {

using datasets::Split;

/// Keeps in memory one content of each kind: mostly one.
std::vector<EqualRows> by_content(const EqualRows& rows, const std::function<std::string(const DataRow&)>& content) {
  std::vector<EqualRows> groups;
  std::vector<std::string> contents;
  for (const auto& row : rows) {
    auto bytes = content(row);
    const auto known = std::find(contents.begin(), contents.end(), bytes);
    const auto k = static_cast<std::size_t>(known - contents.begin());
    if (known == contents.end()) {
      contents.push_back(std::move(bytes));
      groups.emplace_back();
    }
    groups[k].push_back(row);
  }
  return groups;
}

}  // namespace

std::vector<EqualRows> find_equal_rows(const std::vector<RowChecksum>& rows,
                                       const std::function<std::string(const DataRow&)>& content) {
  std::map<std::uint32_t, EqualRows> by_checksum;
  for (const auto& [row, checksum] : rows) by_checksum[checksum].push_back(row);
  std::vector<EqualRows> found;
  for (const auto& [checksum, of_checksum] : by_checksum) {
    if (of_checksum.size() < 2) continue;
    for (auto& group : by_content(of_checksum, content)) {
      if (group.size() > 1) found.push_back(std::move(group));
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

Duplicates sort_out(const std::vector<EqualRows>& groups, const std::function<int(const DataRow&)>& label) {
  Duplicates found;
  for (const auto& group : groups) {
    const DataRow* first_of[2] = {nullptr, nullptr};
    for (const auto& row : group) {
      auto& first = first_of[static_cast<std::size_t>(row.split)];
      if (first != nullptr) found.within[static_cast<std::size_t>(row.split)].push_back({row, *first});
      if (first == nullptr) first = &row;
      if (row.split == Split::test && first_of[0] != nullptr) found.test_of_train.push_back({row, *first_of[0]});
      if (label(row) != label(group.front())) found.of_other_class.push_back({row, group.front()});
    }
  }
  for (auto* list : {&found.test_of_train, &found.within[0], &found.within[1], &found.of_other_class}) {
    std::sort(list->begin(), list->end());
  }
  return found;
}

}  // namespace workers
