// Every number that the paper prints stands in every form of our tables, at its place: the paper's own sweeps, of which
// nothing has been run yet.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>

#include "results/statistics.hpp"
#include "results/tables.hpp"
#include "tests/results/samples.hpp"

namespace {

using nlohmann::json;
using Cells = std::vector<std::vector<std::string>>;

std::string source(const std::string& path) {
  return std::string(PLUME_SOURCE_DIR) + "/" + path;
}

/// The file itself, read by another reader than the program's.
const json& reference() {
  static const json file = json::parse(samples::bytes_of(source("sweeps/paper/tables.json")));
  return file;
}

sweeps::ClassNames class_names() {
  sweeps::ClassNames names;
  for (const json& dataset : reference().at("datasets")) {
    sweeps::NormalClasses& normal = names[dataset.at("id")];
    for (const json& c : dataset.at("classes")) {
      const std::string official = c.at("official");
      if (official.empty()) normal.sets.push_back({c.at("id"), {"Terra", "Aura"}, false});
      if (!official.empty()) normal.classes.push_back(official);
    }
  }
  names["spark2021"].classes = {"Aura", "Debris", "Terra"};
  return names;
}

results::Table table_of(const std::string& id) {
  const auto sweep = sweeps::read_sweep(source("sweeps/paper/" + id + ".json"));
  const auto plan = sweeps::expand(sweep, class_names());
  return results::aggregate(plan, plan.tables.at(0), {});
}

/// "83.3 ± 2.6" or "83.3", as the paper's digits have it.
std::string printed(const json& number, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, number.at("mean").get<double>());
  std::string all = text;
  if (number.at("std").is_null()) return all;
  std::snprintf(text, sizeof text, "%.*f", decimals, number.at("std").get<double>());
  return all + " ± " + text;
}

/// The numbers of a row in the order of the columns, the mean last.
std::vector<std::string> printed_row(const json& table, const json& row) {
  std::vector<std::string> texts;
  for (const json& column : table.at("columns")) {
    texts.push_back(printed(row.at("cells").at(column.at("id").get<std::string>()), table.at("decimals").at("cells")));
  }
  if (!row.at("row_mean").is_null()) texts.push_back(printed(row.at("row_mean"), table.at("decimals").at("row_mean")));
  return texts;
}

void erase_all(std::string& text, const std::string& what) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what)) text.erase(at, what.size());
}

/// Without bold marks, choices of lambda and the spaces around.
std::string plain(std::string text) {
  erase_all(text, "**");
  if (const auto choice = text.find(" (λ"); choice != std::string::npos) text.erase(choice);
  while (text.starts_with(' ')) text.erase(0, 1);
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

Cells pipe_cells(const std::string& markdown) {
  Cells cells;
  std::istringstream lines(markdown);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| ")) continue;
    std::vector<std::string> row;
    std::istringstream fields(line.substr(2));
    for (std::string field; std::getline(fields, field, '|');) row.push_back(plain(field));
    cells.push_back(row);
  }
  return cells;
}

bool is_published_line(const std::vector<std::string>& cells) {
  return std::any_of(cells.begin(), cells.end(),
                     [](const std::string& cell) { return cell == "published" || cell == "another paper's"; });
}

/// The published lines of the first table of a Markdown file, without their labels.
Cells published_lines(const std::string& markdown) {
  Cells lines;
  for (const auto& cells : pipe_cells(markdown)) {
    if (!is_published_line(cells)) continue;
    const auto label = std::find_if(cells.begin(), cells.end(), [](const std::string& cell) {
      return cell == "published" || cell == "another paper's";
    });
    lines.emplace_back(label + 1, cells.end());
  }
  return lines;
}

class GoldenPublished : public testing::TestWithParam<std::string> {
 protected:
  const json& printed_table() const {
    for (const json& table : reference().at("tables")) {
      if (table.at("id") == GetParam()) return table;
    }
    throw std::runtime_error(GetParam());
  }
};

TEST_P(GoldenPublished, NumbersStandInTheMarkdown) {
  const json& paper = printed_table();
  const Cells lines = published_lines(results::to_markdown(table_of(GetParam())));

  if (paper.at("transposed")) {  // a line a class, then the mean; a column a row
    const std::size_t count = paper.at("columns").size() + (paper.at("mean_name") == "" ? 0 : 1);
    ASSERT_EQ(lines.size(), count);
    for (std::size_t row = 0; row < paper.at("rows").size(); ++row) {
      const auto expected = printed_row(paper, paper.at("rows")[row]);
      for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(lines[i].at(row), expected.at(i));
    }
    return;
  }
  ASSERT_EQ(lines.size(), paper.at("rows").size());
  for (std::size_t row = 0; row < lines.size(); ++row) {
    const auto expected = printed_row(paper, paper.at("rows")[row]);
    ASSERT_GE(lines[row].size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(lines[row][i], expected[i]) << paper.at("rows")[row];
  }
}

/// The LaTeX in the words of the Markdown.
std::string without_commands(std::string latex) {
  for (const char* what : {"{\\scriptsize\\color{gray}", "\\textbf{", "{\\scriptsize", "{\\tiny", "}", "\\,"}) {
    erase_all(latex, what);
  }
  for (std::size_t at = latex.find("$\\pm$"); at != std::string::npos; at = latex.find("$\\pm$")) {
    latex.replace(at, 5, " ± ");
  }
  return latex;
}

TEST_P(GoldenPublished, NumbersStandInTheLatexInTheirOrder) {
  const json& paper = printed_table();
  const std::string latex = without_commands(results::to_latex(table_of(GetParam()), GetParam()));
  std::size_t at = latex.find("\\midrule");
  ASSERT_NE(at, std::string::npos);

  std::vector<std::string> expected;
  for (const json& row : paper.at("rows")) {
    const auto texts = printed_row(paper, row);
    expected.insert(expected.end(), texts.begin(), texts.end());
  }
  if (paper.at("transposed")) {
    const std::size_t rows = paper.at("rows").size(), columns = expected.size() / rows;
    std::vector<std::string> turned;
    for (std::size_t i = 0; i < columns; ++i) {
      for (std::size_t row = 0; row < rows; ++row) turned.push_back(expected[row * columns + i]);
    }
    expected = turned;
  }
  for (const std::string& number : expected) {
    const std::size_t found = latex.find(" " + number, at);
    ASSERT_NE(found, std::string::npos) << number;
    at = found + number.size();
  }
}

TEST_P(GoldenPublished, NumbersStandInTheJsonInPercent) {
  const json& paper = printed_table();
  const json ours = json::parse(results::to_json(table_of(GetParam())));
  const double scale = paper.at("metric") == "auc-fraction" ? 100 : 1;

  ASSERT_EQ(ours.at("rows").size(), paper.at("rows").size());
  for (std::size_t row = 0; row < paper.at("rows").size(); ++row) {
    const json& theirs = paper.at("rows")[row];
    for (std::size_t i = 0; i < paper.at("columns").size(); ++i) {
      const json& number = theirs.at("cells").at(paper.at("columns")[i].at("id").get<std::string>());
      const json& cell = ours.at("rows")[row].at("cells").at(i).at("published");
      EXPECT_NEAR(cell.at("mean").get<double>(), number.at("mean").get<double>() * scale, 1e-9);
      EXPECT_EQ(cell.at("std").is_null(), number.at("std").is_null());
    }
  }
}

TEST_P(GoldenPublished, NumbersStandInTheCsvInPercent) {
  const json& paper = printed_table();
  const double scale = paper.at("metric") == "auc-fraction" ? 100 : 1;
  std::vector<double> expected;
  for (const json& row : paper.at("rows")) {
    for (const json& column : paper.at("columns"))
      expected.push_back(row.at("cells").at(column.at("id").get<std::string>()).at("mean").get<double>() * scale);
    if (!row.at("row_mean").is_null()) expected.push_back(row.at("row_mean").at("mean"));
  }

  std::vector<double> ours;
  std::istringstream lines(results::to_csv(table_of(GetParam())));
  std::string line;
  std::getline(lines, line);
  std::istringstream header(line);
  std::size_t at = 0;
  for (std::string name; std::getline(header, name, ',') && name != "published_mean";) ++at;
  while (std::getline(lines, line)) {
    while (line.find('"') != std::string::npos) {  // names with commas
      const auto open = line.find('"'), close = line.find('"', open + 1);
      line.replace(open, close + 1 - open, "name");
    }
    std::istringstream fields(line);
    std::string field;
    for (std::size_t i = 0; i <= at; ++i) std::getline(fields, field, ',');
    if (!field.empty()) ours.push_back(std::stod(field));
  }

  ASSERT_EQ(ours.size(), expected.size());
  for (std::size_t i = 0; i < ours.size(); ++i) EXPECT_NEAR(ours[i], expected[i], 1e-9) << i;
}

std::vector<std::string> ids() {
  std::vector<std::string> ids;
  for (const json& table : reference().at("tables")) ids.push_back(table.at("id"));
  return ids;
}
INSTANTIATE_TEST_SUITE_P(Paper, GoldenPublished, testing::ValuesIn(ids()), [](const auto& tested) {
  std::string name = tested.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
