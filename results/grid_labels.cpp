// Labels of the paper in characters that any page has, and the sweep's own names.
#include "results/grid_labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "results/grid.hpp"
#include "results/text_layout.hpp"

namespace results {
namespace {

constexpr const char* kSubstitute = "substitute";
constexpr const char* kGroupKey = "group";  ///< a printed label column that is a heading here

std::string title_of_key(const std::string& key) {
  if (key == "lambda") return "λ";
  if (key == "statistic") return "";
  if (key == "input") return "Input Data";
  std::string title = on_one_line(key);
  if (!title.empty()) title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
  return title;
}

/// "✓ (Mean)" for "yes (Mean)".
std::string printed_label(const std::string& label) {
  const bool is_check = label == "yes" || label.starts_with("yes (");
  return on_one_line(is_check ? "✓" + label.substr(3) : label);
}

std::string printed_marks(const sweeps::PublishedRow& row) {
  std::string marks;
  for (const std::string& mark : row.marks) marks += mark == "dagger" ? "†" : mark;
  return on_one_line(marks);
}

/// The labels that the paper prints, but for the heading; empty where it prints none.
std::vector<std::string> printed_labels(const Table& table, const Row& row) {
  std::vector<std::string> labels;
  if (table.published == nullptr || row.published == nullptr) return labels;
  const auto& keys = table.published->row_header;
  if (row.published->header.size() != keys.size()) return labels;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] != kGroupKey) labels.push_back(printed_label(row.published->header[i]));
  }
  return labels;
}

bool is_told_apart(const Table& table, const Row& row, const std::vector<std::string>& labels) {
  return std::none_of(table.rows.begin(), table.rows.end(), [&](const Row& other) {
    return &other != &row && other.group == row.group && printed_labels(table, other) == labels;
  });
}

/// "untrained", "substitute", both or nothing: why its name is not all.
std::string mark_of(const Row& row) {
  const std::string weights = row.weights.mark();
  if (!row.substitute) return weights;
  return weights.empty() ? kSubstitute : fmt::format("{}, {}", weights, kSubstitute);
}

}  // namespace

std::vector<std::string> label_titles(const Table& table) {
  std::vector<std::string> titles;
  if (table.published != nullptr) {
    for (const std::string& key : table.published->row_header) {
      if (key != kGroupKey) titles.push_back(title_of_key(key));
    }
  }
  return titles.empty() ? std::vector<std::string>{""} : titles;
}

std::vector<std::string> labels_of(const Table& table, const Row& row) {
  std::vector<std::string> labels = printed_labels(table, row);
  if (labels.empty() || !is_told_apart(table, row, labels)) {
    labels.assign(label_titles(table).size(), "");
    labels.front() = marked_name(row);
    return labels;
  }
  labels.front() += printed_marks(*row.published);
  if (const std::string mark = mark_of(row); !mark.empty()) labels.front() += fmt::format(" ({})", mark);
  return labels;
}

std::string group_title(const Table& table, const Row& row) {
  if (table.published != nullptr && row.published != nullptr && !row.group.empty()) {
    const auto& keys = table.published->row_header;
    const auto at = std::find(keys.begin(), keys.end(), kGroupKey);
    const auto index = static_cast<std::size_t>(at - keys.begin());
    if (index < row.published->header.size()) return on_one_line(row.published->header[index]);
  }
  return on_one_line(row.group);
}

std::string marked_name(const Row& row) {
  const std::string mark = mark_of(row);
  return on_one_line(mark.empty() ? row.name : fmt::format("{} ({})", row.name, mark));
}

std::string without_marks(std::string text) {
  auto marks = weights_marks();
  for (const std::string& mark : weights_marks()) marks.push_back(fmt::format("{}, {}", mark, kSubstitute));
  marks.emplace_back(kSubstitute);
  for (const std::string& mark : marks) {
    const auto printed = fmt::format(" ({})", mark);
    const auto at = text.find(printed);
    if (at != std::string::npos) return text.erase(at, printed.size());
  }
  return text;
}

bool prints_classes(const Table& table) {
  return table.columns_are != sweeps::Columns::mean;
}

bool prints_mean(const Table& table) {
  if (table.columns_are == sweeps::Columns::chosen) return false;
  return table.columns_are == sweeps::Columns::mean || table.columns.size() != 1;
}

std::string mean_title(const Table& table) {
  const bool is_printed = table.published != nullptr && !table.published->mean_name.empty();
  return is_printed ? on_one_line(table.published->mean_name) : "mean";
}

std::string axis_sign(const std::string& axis) {
  return axis == "lambda" ? "λ" : on_one_line(axis);
}

}  // namespace results
