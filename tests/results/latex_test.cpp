// LaTeX that a real pdflatex makes pages of: the paper's own tables, and names that try to be commands.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <regex>

#include "results/latex_text.hpp"
#include "results/tables.hpp"
#include "tests/results/printed_tables.hpp"
#include "tests/results/samples.hpp"

namespace {

using results::latex_prose;
using results::latex_text;
using results::Table;
using testing::HasSubstr;
using testing::Not;

/// Runs pdflatex on all.tex of a report and returns its log; "" where it failed, with the reason as a failure.
std::string log_of_pdflatex(const std::filesystem::path& folder) {
  const std::string command = "cd '" + folder.string() +
                              "' && max_print_line=1000 pdflatex -interaction=nonstopmode -halt-on-error all.tex "
                              "> printed.txt 2>&1 < /dev/null";
  const int status = std::system(command.c_str());
  const std::string printed = samples::bytes_of(folder / "printed.txt");
  EXPECT_EQ(status, 0) << printed.substr(printed.size() - std::min<std::size_t>(printed.size(), 3000));
  return status == 0 ? samples::bytes_of(folder / "all.log") : "";
}

/// Points by which the widest or highest box is too large.
double worst_overfull(const std::string& log) {
  static const std::regex form(R"((?:Overfull \\[hv]box \(|Float too large for page by )([0-9.]+)pt)");
  double worst = 0;
  for (std::sregex_iterator at(log.begin(), log.end(), form), end; at != end; ++at) {
    worst = std::max(worst, std::stod((*at)[1]));
  }
  return worst;
}

/// Compiles a report of `tables`; no error, nothing far outside its page.
void expect_to_compile(const std::vector<Table>& tables) {
  const samples::TemporaryFolder folder;
  results::write_report(folder.path(), tables);

  const std::string log = log_of_pdflatex(folder / "tables");

  EXPECT_THAT(log, HasSubstr("Output written on all.pdf"));
  EXPECT_THAT(log, Not(HasSubstr("Missing character")));
  EXPECT_LE(worst_overfull(log), 20) << log;
}

TEST(Latex, ShowsEveryTableOfThePaper) {
  std::vector<Table> tables;
  for (const auto& published : sweeps::published_tables()) tables.push_back(samples::printed_table(published));
  const samples::TableWithEverything made_up;
  tables.push_back(made_up.table);

  ASSERT_EQ(tables.size(), 10u);
  expect_to_compile(tables);
}

TEST(Latex, OfHostileNamesCompiles) {
  const std::string names[] = {"#1 $x$ 50% a&b c_d {e} ~f ^g \\h <i> |j| \"k\"",
                               "[0pt] \\\\[9cm] *star ``q'' ?` !` -- --- ,,",
                               "\\end{tabular}\\input{/etc/passwd} % gone",
                               "λ ± é ő ł ß ı Ω ✓ † “q” — … ≤ ≈ \xC2\xA0 x",
                               "\xF0\x9F\x98\x80 漢字 e\xCC\x81 ą \xE2\x80\x8B \xE2\x80\xAE",
                               "bytes \xFF\xFE\x80 tab\tbell\a newline\n\n\\par ` `` '",
                               std::string(300, 'm'),
                               ""};
  samples::TableWithEverything made_up;
  made_up.table.published = nullptr;
  for (results::Row& row : made_up.table.rows) row.published = nullptr;
  std::vector<Table> tables;
  for (const std::string& name : names) {
    Table table = made_up.table;
    table.id = "t_" + std::to_string(tables.size()) + ".x";
    table.title = table.columns[1] = table.rows[0].name = table.rows[1].group = table.settings[0] = name;
    table.rows[1].uncounted[0].detail = table.comparisons[0].first = table.mixed[0] = name;
    table.transposed = tables.size() % 2 == 1;
    tables.push_back(table);
  }

  expect_to_compile(tables);
}

TEST(Latex, OfMoreRowsThanAPageHoldsIsSetSmaller) {
  samples::TableWithEverything made_up;
  const results::Row row = made_up.table.rows[2];
  made_up.table.rows.assign(90, row);

  expect_to_compile({made_up.table});
}

TEST(Latex, OfWhatNoPageHoldsSaysWhereItIs) {
  samples::TableWithEverything wide, high, named;
  wide.table.rows.resize(3);
  wide.table.columns.assign(400, "a class");
  for (results::Row& row : wide.table.rows) row.cells.assign(400, row.cells.front());
  high.table.id = "high";
  high.table.rows.assign(1500, results::Row(high.table.rows[2]));
  named.table.id = "named";
  named.table.published = nullptr;
  for (results::Row& row : named.table.rows) row.published = nullptr;
  named.table.rows[2].name = named.table.comparisons[0].first = std::string(5000, 'm');

  expect_to_compile({wide.table, high.table, named.table});

  EXPECT_THAT(results::to_latex(named.table, "named"), HasSubstr("Too large for a page"));
}

TEST(Latex, OfNoTablesCompiles) {
  const samples::TemporaryFolder folder;
  samples::write_bytes(folder / "all.tex", results::latex_document({}));

  EXPECT_THAT(log_of_pdflatex(folder.path()), HasSubstr("Output written on all.pdf"));
}

TEST(Latex, SetsRowsAsThePaperDoes) {
  const auto* published = sweeps::find_published_table("cifar10-ablation");
  ASSERT_NE(published, nullptr);
  Table table = samples::printed_table(*published);
  table.rows[1].cells[0].bold = true;

  const std::string text = results::to_latex(table, "cifar10-ablation");

  EXPECT_THAT(text, HasSubstr("Perturbation & Guidance & Plane & Car & Bird & Cat & Deer & Dog & Frog & Horse & Ship & "
                              "Truck & Mean \\\\\n    \\midrule\n    Gaussian & - & 82.4{\\scriptsize$\\pm$1.7} & "));
  EXPECT_THAT(text, HasSubstr("\n    Gaussian & $\\checkmark$ & \\textbf{74.2}{\\scriptsize$\\pm$1.7} & "));
  EXPECT_THAT(text, HasSubstr("{\\scriptsize\\color{gray}73.7} \\\\[2pt]\n    \\midrule\n    AddMult & - & "));
  EXPECT_THAT(text, HasSubstr("\\label{tab:cifar10-ablation}"));
}

TEST(Latex, JoinsHeadingsOfEqualColumns) {
  const auto* published = sweeps::find_published_table("spark");
  ASSERT_NE(published, nullptr);

  const std::string text = results::to_latex(samples::printed_table(*published), "spark");

  EXPECT_THAT(text, HasSubstr(R"(
     & PLAD\textsuperscript{$\dagger$} & \multicolumn{3}{c}{PLUME} \\
    \midrule
    Classifier & LeNet5 & \multicolumn{3}{c}{3 Fully-Connected Layers} \\
    \cmidrule(lr){3-5}
    Input Data & Raw Images & ResNet50 & VGG16 & ConvNeXt \\
    \midrule
    AUC & 0.68{\scriptsize$\pm$0.02}{\scriptsize, max 0.69} & )"));
}

TEST(LatexText, EscapesWhatTexWouldObey) {
  EXPECT_EQ(latex_text("50% of a_b & #1, {x}"), "50\\% of a\\_b \\& \\#1, \\{x\\}");
  EXPECT_EQ(latex_text("\\input"), "\\textbackslash{}input");
  EXPECT_EQ(latex_text("[5cm]*"), "{[}5cm{]}{*}");
  EXPECT_EQ(latex_text("a--b '' -"), "a{-}-b {'}' -");
}

TEST(LatexText, IsAsciiWhateverTheCharacters) {
  EXPECT_EQ(latex_text("λ 10 ± é ✓"), "$\\lambda$ 10 $\\pm$ \\'{e} $\\checkmark$");
  EXPECT_EQ(latex_text("\xF0\x9F\x98\x80"), "{[}U+1F600{]}");
  EXPECT_EQ(latex_text("a\xFF\n"), "a? ");
}

TEST(LatexText, SetsCodeInProseAndLetsLongWordsBreak) {
  EXPECT_EQ(latex_prose("`a_b` is it"), "\\texttt{a\\_b} is it");
  EXPECT_EQ(latex_prose("one ` only"), "one {`} only");
  EXPECT_EQ(latex_prose(std::string(21, 'x')), std::string(20, 'x') + "\\hspace{0pt}x");
}

}  // namespace
