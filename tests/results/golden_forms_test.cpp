// The bytes of every form of one made-up table, beside files that a person reads: tests/golden/forms/.
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "results/tables.hpp"
#include "tests/results/made_up_tables.hpp"
#include "tests/results/samples.hpp"

namespace {

std::filesystem::path golden_file(const std::string& name) {
  return std::filesystem::path(PLUME_SOURCE_DIR) / "tests/golden/forms" / name;
}

/// PLUME_WRITE_GOLDEN=1 writes it again.
void expect_golden(const std::string& name, const std::string& text) {
  const std::filesystem::path file = golden_file(name);
  if (std::getenv("PLUME_WRITE_GOLDEN") != nullptr) tests::write_text(file, text);
  EXPECT_EQ(text, tests::read_text(file)) << file;
}

TEST(GoldenForms, IsMarkdownThatReadsAsPlainText) {
  const samples::TableWithEverything made_up;

  expect_golden("everything.md", results::to_markdown(made_up.table));
}

TEST(GoldenForms, IsMarkdownWithRowsAsColumns) {
  samples::TableWithEverything made_up;
  made_up.table.transposed = true;
  made_up.table.comparisons.clear();

  expect_golden("transposed.md", results::to_markdown(made_up.table));
}

TEST(GoldenForms, IsFoldedForATerminal) {
  const samples::TableWithEverything made_up;

  expect_golden("everything.txt", results::to_terminal(made_up.table, 100));
}

TEST(GoldenForms, IsTidyCsv) {
  const samples::TableWithEverything made_up;

  expect_golden("everything.csv", results::to_csv(made_up.table));
  expect_golden("everything-comparisons.csv", results::comparisons_csv(made_up.table));
}

TEST(GoldenForms, IsLatex) {
  const samples::TableWithEverything made_up;

  expect_golden("everything.tex", results::to_latex(made_up.table, "everything"));
}

/// The file is indented for its readers; what is written is one line.
TEST(GoldenForms, IsJson) {
  const samples::TableWithEverything made_up;

  const std::string text = results::to_json(made_up.table);

  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
  expect_golden("everything.json", nlohmann::ordered_json::parse(text).dump(1) + "\n");
}

}  // namespace
