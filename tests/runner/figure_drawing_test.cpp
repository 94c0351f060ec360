// Figures drawn by the real gnuplot, by none, and by programs of its name that fail, hang and end half-way.
#include "runner/figure_drawing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "results/file_names.hpp"
#include "runner/ask_program.hpp"
#include "runner/directory_report.hpp"
#include "tests/results/samples.hpp"

namespace {

namespace fs = std::filesystem;
using results::Figure;
using samples::bytes_of;
using samples::TemporaryFolder;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// An environment variable has another value while this lives.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name), old_(std::getenv(name)) {
    setenv(name, value.c_str(), 1);
  }
  ~Variable() { setenv(name_, old_.c_str(), 1); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::string old_;
};

/// A report of a table with two lambdas of two seeds in one class, and a row that an enemy has named.
class FigureDrawing : public testing::Test {
 protected:
  FigureDrawing() {
    sweeps::PlannedTable table;
    table.id = "small";
    table.title = "A small table";
    table.datasets = {"cifar10"};
    table.columns = {"airplane"};
    table.modes = {sweeps::Mode::best, sweeps::Mode::last};
    table.compare.with = sweeps::Compare::With::none;
    for (const char* name : {"PLUME, λ 5", kHostile}) {
      sweeps::PlannedRow row{name, true, true, true, {{}}};
      for (const std::uint64_t seed : {0, 1}) {
        sweeps::Job job = samples::training("airplane", seed);
        job.training.lambda = name == kHostile ? 10 : 5;
        row.cells[0].jobs.push_back(samples::add(report.plans[0], job));
        results::JobResult result = samples::finished({0.75, 0.25, 0.5 + 0.125 * static_cast<double>(seed)});
        result.classes = {"airplane", kHostile};
        for (auto& record : result.epochs) record.shares = {0.5, 0.25};
        ledger.apply(samples::done(job, result));
      }
      table.rows.push_back(row);
    }
    report.plans[0].tables = {table};
    report.tables = {results::aggregate(report.plans[0], table, ledger)};
  }
  std::vector<Figure> figures() const {
    return results::figures_of(report.tables, results::file_names_of(report.tables), report.plans, ledger);
  }
  /// A program of the name gnuplot that the PATH below finds.
  void pretend(const std::string& script) const {
    tests::write_text(programs / "gnuplot", "#!/bin/sh\n" + script);
    fs::permissions(programs / "gnuplot", fs::perms::owner_all);
  }
  std::set<std::string> files(const std::string& of = "figures") const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder / of)) names.insert(entry.path().filename());
    return names;
  }

  static constexpr const char* kHostile = "it's `touch pwned` $(touch pwned) @x \"%s\" {<&>} \\";
  runner::DirectoryReport report{std::vector<sweeps::Plan>(1), {}, ""};
  results::Ledger ledger;
  const TemporaryFolder folder, programs;
};

Figure figure(const std::string& kind) {
  const std::string name = "t-" + kind;
  return {name,      "t",          "title",
          "caption", "a,b\n1,2\n", "# draws it from " + name + ".csv\nset output '" + name + ".svg'\n"};
}

/// All text that an XML parser finds in it.
std::string text_of(const fs::path& svg) {
  const char* program =
      "import sys, xml.etree.ElementTree as t\nprint('|'.join(e.text or '' for e in t.parse(sys.argv[1]).iter()))";
  const auto answer = runner::ask_program({"python3", "-c", program, svg.string()}, {"PYTHONIOENCODING=utf-8"});
  EXPECT_EQ(answer.why, "") << svg;
  return answer.output;
}

TEST_F(FigureDrawing, DrawsEveryKindAsXmlWithTheNamesAsText) {
  const auto drawn = runner::draw_figures(folder.path(), figures());

  EXPECT_EQ(drawn.why_not, "");
  ASSERT_EQ(drawn.figures.size(), 6u);
  EXPECT_EQ(files().size(), 18u);
  for (const Figure& one : drawn.figures) {
    const fs::path svg = folder / ("figures/" + one.name + ".svg");
    EXPECT_EQ(bytes_of(svg), drawn.svg.at(one.name));
    EXPECT_EQ(bytes_of(folder / ("figures/" + one.name + ".csv")), one.data);
    EXPECT_EQ(bytes_of(folder / ("figures/" + one.name + ".gp")), one.script);
    const std::string names = text_of(svg);
    if (one.name == "small-lambda") continue;  // names no rows
    EXPECT_THAT(names, HasSubstr("PLUME, λ 5")) << one.name;
    EXPECT_THAT(names, HasSubstr("it's `")) << one.name;
  }
  EXPECT_THAT(text_of(folder / "figures/small-lambda.svg"), HasSubstr("linear-map + full, best epoch"));
  EXPECT_THAT(text_of(folder / "figures/small-scatter.svg"), HasSubstr("@x \"%s\" {<&>} \\"));
  EXPECT_THAT(files(""), ElementsAre("figures")) << "nothing of the drawing stays, and no name was obeyed";
}

TEST_F(FigureDrawing, GivesTheSameBytesAgain) {
  const auto once = runner::draw_figures(folder / "a", figures()),
             again = runner::draw_figures(folder / "b", figures());
  EXPECT_EQ(once.svg, again.svg);
  EXPECT_EQ(once.svg.size(), 6u);
}

TEST_F(FigureDrawing, ReadsNoSettingsOfTheUsersOwn) {
  const auto plain = runner::draw_figures(folder / "a", figures());
  ASSERT_EQ(plain.svg.size(), 6u);
  tests::write_text(folder / "home/.gnuplot", "set title 'mine'\nset grid\n");
  const Variable home("HOME", (folder / "home").string());
  EXPECT_EQ(runner::draw_figures(folder / "b", figures()).svg, plain.svg);
}

TEST_F(FigureDrawing, LeavesAReportWithoutGnuplotItsTables) {
  const Variable nothing("PATH", programs.path().string());

  runner::write_report(folder.path(), report, ledger);

  EXPECT_THAT(
      bytes_of(folder / "index.md"),
      AllOf(HasSubstr("| PLUME, λ 5"), Not(HasSubstr(".svg")),
            HasSubstr("Note: no figures are drawn: gnuplot is not installed (Debian's package gnuplot-nox); "
                      "`plume-bench report` draws them once it is. Their numbers and scripts lie in figures/.\n")));
  EXPECT_THAT(bytes_of(folder / "tables/small.csv"), HasSubstr("PLUME"));
  EXPECT_EQ(files().size(), 12u) << "numbers and scripts";
}

TEST_F(FigureDrawing, SaysHowGnuplotFailedAndKeepsWhatIsWhole) {
  const Variable pretended("PATH", programs.path().string());
  pretend("echo '<svg></svg>' > t-a.svg\nprintf '<svg>' > t-b.svg\necho 'line 3: bad' >&2\nexit 1\n");

  const auto drawn = runner::draw_figures(folder.path(), {figure("a"), figure("b"), figure("c")});

  EXPECT_EQ(drawn.why_not, "gnuplot ended with status 1: line 3: bad");
  EXPECT_THAT(drawn.svg, ElementsAre(testing::Pair("t-a", "<svg></svg>\n")));
  EXPECT_THAT(files(), ElementsAre("t-a.csv", "t-a.gp", "t-a.svg", "t-b.csv", "t-b.gp", "t-c.csv", "t-c.gp"));
  EXPECT_THAT(runner::figures_index(drawn), AllOf(HasSubstr("[a](figures/t-a.svg)"), Not(HasSubstr("t-b.svg")),
                                                  HasSubstr("Note: not all figures are drawn: ")));
}

TEST_F(FigureDrawing, GivesUpAGnuplotThatHangs) {
  const Variable pretended("PATH", programs.path().string() + ":/usr/bin:/bin");
  pretend("exec sleep 60\n");

  const auto drawn = runner::draw_figures(folder.path(), {figure("a")}, std::chrono::duration<double>(0.2));

  EXPECT_THAT(drawn.why_not, HasSubstr("gnuplot did not answer within"));
  EXPECT_THAT(drawn.svg, IsEmpty());
}

TEST_F(FigureDrawing, FollowsALinkAndLeavesIt) {
  pretend("for script in \"$@\"; do [ \"$script\" = -d ] || echo '<svg/></svg>' > \"${script%.gp}.svg\"; done\n");
  const Variable pretended("PATH", programs.path().string());
  fs::create_directories(folder / "elsewhere");
  fs::create_directory_symlink("elsewhere", folder / "figures");
  runner::draw_figures(folder.path(), {figure("a")});
  EXPECT_TRUE(fs::is_symlink(folder / "figures"));
  EXPECT_THAT(files("elsewhere"), ElementsAre("t-a.csv", "t-a.gp", "t-a.svg"));
}

TEST_F(FigureDrawing, RemovesFiguresOfAnEarlierReportAndNothingElse) {
  pretend("for script in \"$@\"; do [ \"$script\" = -d ] || echo '<svg/></svg>' > \"${script%.gp}.svg\"; done\n");
  {
    const Variable pretended("PATH", programs.path().string());
    runner::draw_figures(folder.path(), {figure("a"), figure("b")});
    for (const char* mine : {"z notes.txt", "z.csv", "z.gp", "z.svg"})
      tests::write_text(folder / "figures" / mine, "mine");
    runner::draw_figures(folder.path(), {figure("b"), figure("c")});
  }
  EXPECT_THAT(files(), ElementsAre("t-b.csv", "t-b.gp", "t-b.svg", "t-c.csv", "t-c.gp", "t-c.svg", "z notes.txt",
                                   "z.csv", "z.gp", "z.svg"));
  for (const char* mine : {"z.csv", "z.gp", "z.svg"}) fs::remove(folder / "figures" / mine);
  const Variable nothing("PATH", (folder / "nowhere").string());
  runner::draw_figures(folder.path(), {figure("c")});
  EXPECT_THAT(files(), ElementsAre("t-c.csv", "t-c.gp", "z notes.txt")) << "no picture of other numbers";
  fs::remove(folder / "figures/z notes.txt");
  runner::draw_figures(folder.path(), {});
  EXPECT_FALSE(fs::exists(folder / "figures"));
}

}  // namespace
