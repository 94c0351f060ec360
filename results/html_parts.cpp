// Elements, lists and tables of plain text.
#include "results/html_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "results/html_text.hpp"

namespace results {

std::string element(std::string_view tag, const std::string& text, std::string_view attributes) {
  return fmt::format("<{0}{1}{2}>{3}</{0}>", tag, attributes.empty() ? "" : " ", attributes, text);
}

std::string page_section(std::string_view id, std::string_view title, const std::string& text) {
  if (text.empty()) return "";
  const auto heading = element("h2", html_text(title));
  return element("section", "\n" + heading + "\n" + text, fmt::format("id=\"{}\"", id)) + "\n";
}

std::string description_list(const std::vector<std::pair<std::string, std::string>>& facts) {
  std::string items;
  for (const auto& [term, text] : facts) {
    if (!text.empty()) items += element("dt", html_text(term)) + element("dd", text) + "\n";
  }
  return items.empty() ? "" : element("dl", "\n" + items) + "\n";
}

std::string in_a_frame(const std::string& table, const std::string& title) {
  return element("div", "\n" + table + "\n",
                 fmt::format("class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"{}\"", html_text(title))) +
         "\n";
}

std::string text_table(const std::string& title, const std::vector<std::string>& header,
                       const std::vector<std::vector<std::string>>& rows, const std::vector<std::size_t>& numbers) {
  if (rows.empty()) return "";
  const auto is_number = [&](std::size_t i) { return std::find(numbers.begin(), numbers.end(), i) != numbers.end(); };
  std::string head, body;
  for (std::size_t i = 0; i < header.size(); ++i) {
    head += element("th", html_text(header[i]), is_number(i) ? "scope=\"col\"" : "scope=\"col\" class=\"words\"");
  }
  for (const auto& row : rows) {
    std::string cells;
    for (std::size_t i = 0; i < row.size(); ++i) {
      cells += element("td", html_text(row[i]), is_number(i) ? "" : "class=\"words\"");
    }
    body += element("tr", cells) + "\n";
  }
  return in_a_frame(
      element("table", "\n" + element("thead", element("tr", head)) + "\n" + element("tbody", "\n" + body) + "\n"),
      title);
}

std::string counted(std::size_t count, std::string_view one, std::string_view several) {
  std::string digits = std::to_string(count);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return fmt::format("{} {}", digits, count == 1 ? one : several);
}

}  // namespace results
