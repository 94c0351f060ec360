// The page of a report: what a reader finds in it, and that nothing of a user is taken for markup. How it looks and
// works in a browser: tests/browser.
#include "results/page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "results/grid.hpp"
#include "results/html_parts.hpp"
#include "results/html_text.hpp"
#include "results/notes.hpp"
#include "tests/results/made_up_tables.hpp"
#include "tests/results/samples.hpp"

namespace {

using results::html_prose;
using results::html_table;
using results::html_text;
using results::Ledger;
using results::page_of;
using results::PageFacts;
using samples::add;
using samples::done;
using samples::finished;
using samples::TableWithEverything;
using samples::training;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(HtmlText, IsNeverMarkup) {
  EXPECT_EQ(html_text("<b a=\"1\" b='2'>&amp;"), "&lt;b a=&quot;1&quot; b=&#39;2&#39;&gt;&amp;amp;");
}

TEST(HtmlText, HasNoControlsAndNothingThatTurnsTheWriting) {
  EXPECT_EQ(html_text("a\nb\x1b[31m\xe2\x80\xae"
                      "c\xff"),
            "a?b?[31m?c?");
}

TEST(HtmlText, IsCodeBetweenTwoBackticksOnly) {
  EXPECT_EQ(html_prose("`best` is not `last`"), "<code>best</code> is not <code>last</code>");
  EXPECT_EQ(html_prose("one ` alone, `<i>`"), "one <code> alone, </code>&lt;i&gt;`");
}

/// What a browser makes of an address.
std::string fetched(const std::string& address) {
  std::string bytes;
  for (std::size_t at = address.find(',') + 1; at < address.size(); ++at) {
    if (address[at] == '%') {
      bytes += static_cast<char>(std::strtol(address.substr(at + 1, 2).c_str(), nullptr, 16));
      at += 2;
    } else {
      bytes += address[at];
    }
  }
  return bytes;
}

TEST(SvgAddress, HoldsThePictureByteByByteAndEndsNoAttribute) {
  const std::string svg = "<svg a=\"#1\" b='2'>100% \xc2\xb1 &amp;\n</svg>";
  const std::string address = results::svg_address(svg);
  EXPECT_EQ(fetched(address), svg);
  EXPECT_EQ(address.find_first_of("\"'<>&#\n"), std::string::npos) << address;
}

TEST(HtmlTable, HasEveryWordOfTheTable) {
  const TableWithEverything everything;
  const std::string html = html_table(everything.table, "everything");
  const results::Grid grid = results::grid_of(everything.table);
  for (const auto& title : grid.columns) EXPECT_THAT(html, HasSubstr(html_text(title)));
  for (const auto& block : grid.blocks) {
    for (const auto& label : block.labels) EXPECT_THAT(html, HasSubstr(html_text(label)));
    for (const auto& line : block.lines) {
      EXPECT_THAT(html, HasSubstr(html_text(line.name)));
      for (const auto& cell : line.cells) EXPECT_THAT(html, AllOf(HasSubstr(cell.text), HasSubstr(cell.after)));
    }
  }
  for (const auto& note : results::notes_of(everything.table)) EXPECT_THAT(html, HasSubstr(html_prose(note)));
}

TEST(HtmlTable, SaysOfEachLineWhichModeItIsOf) {
  const TableWithEverything everything;
  const std::string html = html_table(everything.table, "everything");
  // Four rows of ours in each of four modes; what the paper prints and the difference go with the best epoch.
  EXPECT_EQ(times(html, "data-mode=\"last\""), 4U);
  EXPECT_EQ(times(html, "data-mode=\"last-10\""), 4U);
  EXPECT_EQ(times(html, "data-mode=\"gap\""), 4U);
  EXPECT_EQ(times(html, "data-mode=\"best\""), 12U);
  EXPECT_EQ(times(html, "data-mode=\"any\""), 2U) << "the literature and the baseline";
}

TEST(HtmlTable, HasASwitchWhereThereAreSeveralModes) {
  TableWithEverything everything;
  const std::string html = html_table(everything.table, "everything");
  EXPECT_EQ(times(html, "type=\"radio\" name=\"mode-everything\""), 5U);
  everything.table.modes = {sweeps::Mode::best};
  EXPECT_THAT(html_table(everything.table, "everything"), Not(HasSubstr("radio")));
}

TEST(HtmlTable, TakesNothingOfASweepForMarkup) {
  TableWithEverything everything;
  const std::string hostile = "<script>alert(1)</script>\"'&";
  everything.table.title = everything.table.rows[1].name = hostile;
  everything.table.rows[5].name = everything.table.columns[0] = hostile;
  everything.table.settings = {hostile};
  everything.table.mixed = {hostile};
  EXPECT_THAT(html_table(everything.table, "everything"), Not(HasSubstr("<script")));
}

/// A plan of four trainings without a table.
struct FourJobs {
  FourJobs() {
    for (const std::uint64_t seed : {0, 1, 2, 3}) add(plan, training("cat", seed));
  }
  std::string page(const PageFacts& facts = {}) const { return page_of({}, {}, {plan}, ledger, facts); }
  results::Failed failure(std::size_t job, const std::string& message) const {
    return {plan.jobs[job], 2, "oom", message};
  }
  sweeps::Plan plan;
  Ledger ledger;
};

TEST(Page, SaysThatAllIsThere) {
  FourJobs jobs;
  for (const auto& job : jobs.plan.jobs) jobs.ledger.apply(done(job, finished({0.9})));
  EXPECT_THAT(jobs.page(), AllOf(HasSubstr("<b>Complete</b>: all of 4 jobs have a result."),
                                 Not(HasSubstr("What did not come out"))));
}

TEST(Page, SaysWhatIsNotThereAndWhy) {
  FourJobs jobs;
  jobs.ledger.apply(done(jobs.plan.jobs[0], finished({0.9})));
  auto diverged = finished({});
  diverged.outcome = results::Outcome::diverged;
  diverged.diverged_epoch = 7;
  jobs.ledger.apply(done(jobs.plan.jobs[1], diverged));
  jobs.ledger.apply(jobs.failure(2, "CUDA <out> of memory"));
  jobs.ledger.apply(results::Note{"worker 3 was set aside"});
  EXPECT_THAT(
      jobs.page(),
      AllOf(HasSubstr("<b>Incomplete</b>: 1 job of 4 finished, 1 diverged, 1 failed, 1 not there yet."),
            HasSubstr("CUDA &lt;out&gt; of memory"), HasSubstr("epoch 7"), HasSubstr("worker 3 was set aside")));
}

TEST(Page, ListsTwoHundredFailuresAndCountsTheRest) {
  FourJobs jobs;
  for (std::uint64_t seed = 4; seed < 250; ++seed) add(jobs.plan, training("cat", seed));
  for (std::size_t i = 0; i < jobs.plan.jobs.size(); ++i) jobs.ledger.apply(jobs.failure(i, "no memory"));
  const std::string page = jobs.page();
  EXPECT_EQ(times(page, ">no memory<"), 200U);
  EXPECT_THAT(page, HasSubstr("The first 200 of 250"));
}

TEST(Page, SaysWhatItRestsOn) {
  FourJobs jobs;
  auto result = finished({0.9});
  result.found_learning_rate = 0.000631;
  result.device = "cuda";
  result.threads = 8;
  jobs.ledger.apply(done(jobs.plan.jobs[0], result));
  PageFacts facts;
  facts.sweeps = {"mine"};
  facts.runs = {{"runs/mine",
                 "0.1.0",
                 "node7",
                 "2026-11-29T21:29:15Z",
                 "plume-bench run 'a b.json'",
                 {"worker 1: node7, 8 threads"}}};
  EXPECT_THAT(jobs.page(facts),
              AllOf(HasSubstr("<h1>mine</h1>"), HasSubstr("plume-bench run &#39;a b.json&#39;"),
                    HasSubstr("worker 1: node7, 8 threads"), HasSubstr("0.000631"), HasSubstr(">cuda<")));
}

TEST(Page, SaysOnWhichProcessorsAndThatKindsOfThemMayRoundDifferently) {
  FourJobs jobs;
  auto first = done(jobs.plan.jobs[0], finished({0.9})), second = done(jobs.plan.jobs[1], finished({0.8}));
  first.timing.processor = second.timing.processor = "AMD EPYC, AVX2";
  jobs.ledger.apply(first);
  jobs.ledger.apply(second);
  EXPECT_THAT(jobs.page(PageFacts{}), AllOf(HasSubstr(">AMD EPYC, AVX2<"), Not(HasSubstr("Kinds of processors"))));
  second.timing.processor = "AMD EPYC, AVX-512";
  Ledger of_two;
  of_two.apply(first);
  of_two.apply(second);
  jobs.ledger = of_two;
  EXPECT_THAT(jobs.page(PageFacts{}), AllOf(HasSubstr(">AMD EPYC, AVX2<"), HasSubstr(">AMD EPYC, AVX-512<"),
                                            HasSubstr("Kinds of processors may round differently")));
}

TEST(Page, ShowsFiguresUnderTheirTableOrSaysWhyThereAreNone) {
  const TableWithEverything everything;
  PageFacts facts;
  facts.figures = {{"everything", "everything-bars", "Bars <1>", "All rows.", "<svg/>"},
                   {"other", "other-bars", "Not here", "", "<svg/>"}};
  const auto page = page_of({everything.table}, {"everything"}, {}, {}, facts);
  EXPECT_THAT(page, AllOf(HasSubstr("alt=\"Bars &lt;1&gt;\""), HasSubstr("href=\"figures/everything-bars.csv\""),
                          Not(HasSubstr("Not here"))));
  facts.figures = {};
  facts.why_no_figures = "gnuplot is not installed";
  EXPECT_THAT(page_of({everything.table}, {"everything"}, {}, {}, facts),
              HasSubstr("No figures: gnuplot is not installed"));
}

TEST(Page, HasASectionForFiguresOfDumpsOnlyWhereThereAreSome) {
  PageFacts facts;
  EXPECT_THAT(page_of({}, {}, {}, {}, facts), Not(HasSubstr("Where the rows lie")));
  facts.row_figures = {{"", "tsne-1-features-2d", "Before <1>", "Rows & rows.", "<svg/>"}};
  facts.row_notes = {"Not drawn: <a>"};
  EXPECT_THAT(page_of({}, {}, {}, {}, facts),
              AllOf(HasSubstr("id=\"where-rows-lie\""), HasSubstr("href=\"#where-rows-lie\""),
                    HasSubstr("alt=\"Before &lt;1&gt;\""), HasSubstr("Rows &amp; rows."),
                    HasSubstr("href=\"figures/tsne-1-features-2d.csv\""), HasSubstr("Not drawn: &lt;a&gt;.")));
}

}  // namespace
