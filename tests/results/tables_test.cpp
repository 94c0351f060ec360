// The rendered tables, whole, as a person sees them, and what their notes say when things go wrong.
#include "results/tables.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "results/text_layout.hpp"
#include "storage/error.hpp"
#include "tests/results/samples.hpp"

namespace {

using results::Ledger;
using results::Note;
using results::Table;
using samples::add;
using samples::bytes_of;
using samples::done;
using samples::finished;
using samples::training;
using sweeps::Mode;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Three rows, two classes: two trainings with two seeds, and kNN.
class Tables : public testing::Test {
 protected:
  Tables() {
    table.id = "small";
    table.title = "A small table";
    table.datasets = {"cifar10"};
    table.columns = {"airplane", "bird"};
    table.modes = {Mode::best, Mode::last};
    table.compare.with = sweeps::Compare::With::none;
    add_row("LinearMap", [](sweeps::Job&) {});
    add_row("gaussian", [](sweeps::Job& job) {
      job.training.perturbation = sweeps::Perturbation::gaussian;
      job.training.guidance = sweeps::Guidance::none;
    });
    table.rows.push_back(
        {"kNN",
         false,
         false,
         false,
         {{{add(plan, samples::neighbours("airplane"))}}, {{add(plan, samples::neighbours("bird"))}}}});
  }
  template <typename Change>
  void add_row(const std::string& name, const Change& change) {
    sweeps::PlannedRow row{name, true, true, true, {}};
    for (const std::string& column : table.columns) {
      sweeps::PlannedCell cell;
      for (const std::uint64_t seed : {0, 1}) {
        sweeps::Job job = training(column, seed);
        change(job);
        cell.jobs.push_back(add(plan, job));
      }
      row.cells.push_back(cell);
    }
    table.rows.push_back(row);
  }
  void finish(std::size_t job, std::initializer_list<double> aucs) {
    ledger.apply(done(plan.jobs[job], finished(aucs)));
  }
  /// Jobs 0-3 LinearMap, 4-7 gaussian, 8-9 kNN.
  void finish_all() {
    finish(0, {0.9, 0.25});
    finish(1, {0.8, 0.35});
    finish(2, {0.61, 0.45});
    finish(3, {0.5, 0.3001});
    finish(4, {0.7, 0.6});
    finish(5, {0.71, 0.61});
    finish(6, {0.72, 0.62});
    finish(7, {1.0, 1.0});
    finish(8, {0.9005});
    finish(9, {0.88});
  }
  Table aggregated() const { return results::aggregate(plan, table, ledger); }

  sweeps::Plan plan;
  sweeps::PlannedTable table;
  Ledger ledger;
};

TEST_F(Tables, AreMarkdownThatReadsAsPlainText) {
  finish_all();

  EXPECT_EQ(results::to_markdown(aggregated()), R"(# A small table

data set cifar10; backbone efficientnet-lite0; normalisation dataset; training rows per class 1000;
test rows per class all; semantics released; dimension 384 (reduced; the paper uses 3072); epochs 2;
batch size 32; learning rate 0.0005; weight decay 0.01; lambda 5; nu 1; gamma 1; tau 0.5; sigma 1;
features l2; kNN k 2; device cpu, 1 thread.

|           |                        |   airplane |        bird |        mean | runs |
| --------- | ---------------------- | ---------: | ----------: | ----------: | ---: |
| LinearMap | best (selects on test) | 85.0 ± 7.1 |  55.5 ± 7.8 |  70.2 ± 7.4 |  4/4 |
|           | last                   | 30.0 ± 7.1 | 37.5 ± 10.6 |  33.8 ± 1.8 |      |
| gaussian  | best (selects on test) | 70.5 ± 0.7 | 86.0 ± 19.8 | 78.2 ± 10.3 |  4/4 |
|           | last                   | 60.5 ± 0.7 | 81.0 ± 26.9 | 70.8 ± 13.8 |      |
| kNN       | all modes              |       90.0 |        88.0 |        89.0 |  2/2 |

- AUROC in percent, normal class positive: mean ± standard deviation over seeds (sample, ddof = 1).
- `best` selects the epoch on the test split, as the paper does. `last` is the last epoch, with
  nothing selected. The two differ by tens of points in this method: read both.
- `mean` averages the classes within each seed, over the seeds that are complete in every class.
  `runs`: counted / planned.
- LinearMap: the last-epoch mean is 33.8, below 40: the scores end inverted (they rank anomalies
  above normals).
- kNN: not in the paper. A baseline on the same features without training: one run, whose best epoch
  is its last.
- All trainings: not the paper's settings: dimension 384 (reduced), 1000 training rows per class, 2
  epochs, backbone efficientnet-lite0: not comparable with its numbers.
)");
}

TEST_F(Tables, AreTidyCsvAtFullPrecision) {
  table.rows[0].name = "Linear, \"full\"";
  finish_all();
  table.rows.erase(table.rows.begin() + 1);

  EXPECT_EQ(
      results::to_csv(aggregated()),
      R"(table,row,column,mode,mean_percent,std_percent,ddof,n,planned,diverged,failed,missing,undefined,reduced,method_in_paper,weights,metric,group,statistic,chosen,max_percent,published_mean,published_std,published_n,paper_choice,difference,low,high,max_difference,verdict,why,mixed
small,"Linear, ""full""",airplane,best,85,7.0710678118654755,1,2,2,0,0,0,0,true,true,other,percent,,mean,,90,,,,,,,,,,,
small,"Linear, ""full""",airplane,last,30,7.0710678118654755,1,2,2,0,0,0,0,true,true,other,percent,,mean,,35,,,,,,,,,,,
small,"Linear, ""full""",bird,best,55.5,7.7781745930520225,1,2,2,0,0,0,0,true,true,other,percent,,mean,,61,,,,,,,,,,,
small,"Linear, ""full""",bird,last,37.504999999999995,10.599530649986349,1,2,2,0,0,0,0,true,true,other,percent,,mean,,45,,,,,,,,,,,
small,"Linear, ""full""",mean,best,70.25,7.424621202458749,1,2,2,0,0,0,0,true,true,other,percent,,mean,,75.5,,,,,,,,,,,
small,"Linear, ""full""",mean,last,33.7525,1.7642314190604393,1,2,2,0,0,0,0,true,true,other,percent,,mean,,40,,,,,,,,,,,
small,kNN,airplane,best,90.05,,1,1,1,0,0,0,0,false,false,other,percent,,mean,,90.05,,,,,,,,,,,
small,kNN,airplane,last,90.05,,1,1,1,0,0,0,0,false,false,other,percent,,mean,,90.05,,,,,,,,,,,
small,kNN,bird,best,88,,1,1,1,0,0,0,0,false,false,other,percent,,mean,,88,,,,,,,,,,,
small,kNN,bird,last,88,,1,1,1,0,0,0,0,false,false,other,percent,,mean,,88,,,,,,,,,,,
small,kNN,mean,best,89.025,,1,1,1,0,0,0,0,false,false,other,percent,,mean,,89.025,,,,,,,,,,,
small,kNN,mean,last,89.025,,1,1,1,0,0,0,0,false,false,other,percent,,mean,,89.025,,,,,,,,,,,
)");
}

TEST_F(Tables, SayInEachCellWhatIsNotThere) {
  finish(0, {0.9, 0.25});
  ledger.apply(done(plan.jobs[2], samples::diverged(1)));
  ledger.apply(done(plan.jobs[3], samples::diverged(0)));
  ledger.apply(results::Failed{plan.jobs[4], 2, "oom", "killed on node7 at /scratch/x"});
  finish(5, {0.7, 0.5});
  finish(7, {0.8, 0.6});
  ledger.apply(results::Failed{plan.jobs[8], 2, "exception", "no such file"});

  EXPECT_EQ(results::to_terminal(aggregated(), 100), R"(A small table
data set cifar10; backbone efficientnet-lite0; normalisation dataset; training rows per class 1000;
test rows per class all; semantics released; dimension 384 (reduced; the paper uses 3072); epochs 2;
batch size 32; learning rate 0.0005; weight decay 0.01; lambda 5; nu 1; gamma 1; tau 0.5; sigma 1;
features l2; kNN k 2; device cpu, 1 thread.

                                          airplane            bird            mean  runs
---------------------------------   --------------  --------------  --------------  ----
LinearMap  best (selects on test)   90.0 ± - (1/2)    diverged 2/2               -   1/4
           last                     25.0 ± - (1/2)    diverged 2/2               -
gaussian   best (selects on test)   70.0 ± - (1/2)  80.0 ± - (1/2)  75.0 ± - (1/2)   2/4
           last                     50.0 ± - (1/2)  60.0 ± - (1/2)  55.0 ± - (1/2)
kNN        all modes                    failed 1/1         missing               -   0/2

- AUROC in percent, normal class positive: mean ± standard deviation over seeds (sample, ddof = 1).
  `± -`: one run has no standard deviation. `(3/5)`: of 3 runs only, where 5 are planned (seeds, for
  the mean).
- `best` selects the epoch on the test split, as the paper does. `last` is the last epoch, with
  nothing selected. The two differ by tens of points in this method: read both.
- `mean` averages the classes within each seed, over the seeds that are complete in every class.
  `runs`: counted / planned.
- kNN: not in the paper. A baseline on the same features without training: one run, whose best epoch
  is its last.
- All trainings: not the paper's settings: dimension 384 (reduced), 1000 training rows per class, 2
  epochs, backbone efficientnet-lite0: not comparable with its numbers.
- LinearMap: incomplete, 1 of 4 runs counted: 2 diverged (bird seed 0 at epoch 1; bird seed 1 at
  epoch 0), 1 missing (airplane seed 1). No seed is complete in every class, so there is no mean
  over classes.
- gaussian: incomplete, 2 of 4 runs counted: 1 failed (airplane seed 0: oom), 1 missing (bird seed
  0).
- kNN: incomplete, 0 of 2 runs counted: 1 failed (airplane: exception), 1 missing (bird). Not every
  class is there, so there is no mean over classes.
- diverged: a loss stopped being finite; such a run is in no mean. Epochs count from 0.
)");
}

TEST_F(Tables, CallARowCompleteWhoseOtherColumnsWereNeverPlanned) {
  table.rows[0].cells[1].jobs.clear();
  finish_all();
  const std::string text = results::to_terminal(aggregated(), 1000);
  EXPECT_THAT(text, HasSubstr("\n- LinearMap: all 2 planned runs counted. None is planned in bird, so there is no mean "
                              "over classes.\n"));
  EXPECT_THAT(text, Not(HasSubstr("incomplete")));
}

TEST_F(Tables, ShowTheSpreadOfKMeansAndKeepPladInThePaper) {
  table.rows.clear();
  add_row("PLAD", [](sweeps::Job& job) { job = samples::plad(job.normal_class, job.seed); });
  add_row("k-means", [](sweeps::Job& job) { job = samples::k_means(job.normal_class, job.seed); });
  for (sweeps::PlannedRow& row : table.rows) row.reduced = false, row.in_paper = row.name == "PLAD";
  const std::vector<double> aucs = {0.7, 0.72, 0.6, 0.62, 0.9, 0.92, 0.8, 0.82};  // airplane, airplane, bird, bird
  for (std::size_t i = 0; i < aucs.size(); ++i) finish(table.rows[i / 4].cells[i % 4 / 2].jobs[i % 2], {aucs[i]});

  const std::string text = results::to_terminal(aggregated(), 1000);

  EXPECT_THAT(text, HasSubstr("\nPLAD     best (selects on test)   71.0 ± 1.4  61.0 ± 1.4"));
  EXPECT_THAT(text, HasSubstr("\nk-means  all modes                91.0 ± 1.4  81.0 ± 1.4"));
  EXPECT_THAT(text,
              HasSubstr("\n- k-means: not in the paper. A baseline on the same features without training: one run "
                        "a seed, whose best epoch is its last.\n"));
  EXPECT_THAT(text, Not(HasSubstr("PLAD: not in the paper")));
  EXPECT_THAT(text,
              HasSubstr("\n- All trainings: not the paper's settings: 1000 training rows per class, 2 epochs: not "
                        "comparable with its numbers.\n"));
}

TEST_F(Tables, SayThatRotationTrainsANetworkOnTheImages) {
  table.rows.clear();
  add_row("turns", [](sweeps::Job& job) {
    job.method = sweeps::Method::rotation;
    job = sweeps::normalised(job);
  });
  table.rows[0].reduced = table.rows[0].in_paper = false;
  table.rows[0].trains_on_images = true;
  for (std::size_t i = 0; i < 4; ++i) finish(table.rows[0].cells[i / 2].jobs[i % 2], {0.8});

  const std::string text = results::to_terminal(aggregated(), 1000);

  EXPECT_THAT(text,
              HasSubstr("\n- turns: not in the paper. A baseline that trains a small network on the images themselves "
                        "to tell by how much they were turned: one run a seed, whose best epoch is its last.\n"));
  EXPECT_THAT(text, Not(HasSubstr("without training")));
}

TEST_F(Tables, OverSeveralDataSetsNameThemAllAndCompareNothing) {
  table.datasets = {"cifar10", "synthetic"};
  table.columns_are = sweeps::Columns::chosen;
  table.dataset_settings["synthetic"] = {"upright"};
  table.compare.with = sweeps::Compare::With::pairs;
  for (sweeps::PlannedRow& row : table.rows) {
    row.cells[1].jobs.clear();
    sweeps::Job job = samples::neighbours("ring");
    job.dataset = "synthetic";
    row.cells[1].jobs.push_back(add(plan, job));
  }
  finish_all();
  finish(plan.jobs.size() - 1, {0.75});

  const std::string text = results::to_terminal(aggregated(), 1000);

  EXPECT_THAT(text, HasSubstr("\ndata set cifar10, synthetic (upright); backbone"));
  EXPECT_THAT(text,
              HasSubstr("\n- Columns are of different data sets: there is no mean over them, and rows are not tested "
                        "against each other. `runs`: counted / planned.\n"));
  EXPECT_THAT(text, Not(HasSubstr("Between variants")));
  EXPECT_THAT(results::to_json(aggregated()), HasSubstr(R"("dataset":null,"datasets":["cifar10","synthetic"],)"));
}

TEST_F(Tables, SayWhichTrainingsAreNotComparableWhereSomeAre) {
  add_row("as in the paper", [](sweeps::Job& job) {
    job.training = {};
    job.train_rows.reset();
    job.backbone = "resnet50";
  });

  EXPECT_THAT(
      results::to_terminal(aggregated(), 1000),
      HasSubstr("\n- LinearMap; gaussian: not the paper's settings: dimension 384 (reduced), 1000 training rows"));
  table.rows = {table.rows.back()};
  EXPECT_THAT(results::to_terminal(aggregated(), 1000), Not(HasSubstr("settings:")));
}

TEST_F(Tables, FoldAWideTableToTheTerminal) {
  table.columns = {"airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"};
  table.rows.clear();
  plan = {};
  add_row("LinearMap, guided", [](sweeps::Job&) {});
  for (std::size_t job = 0; job < plan.jobs.size(); ++job) finish(job, {0.5 + static_cast<double>(job) / 50, 0.45});

  const std::string text = results::to_terminal(aggregated(), 100);

  EXPECT_THAT(text, HasSubstr(R"(
                                              airplane  automobile        bird         cat
-----------------------------------------   ----------  ----------  ----------  ----------
LinearMap, guided  best (selects on test)   51.0 ± 1.4  55.0 ± 1.4  59.0 ± 1.4  63.0 ± 1.4
                   last                     45.0 ± 0.0  45.0 ± 0.0  45.0 ± 0.0  45.0 ± 0.0

                                                  deer         dog        frog       horse
)"));
  for (std::size_t width = 54; width < 250; ++width) {
    std::istringstream lines(results::to_terminal(aggregated(), width));
    for (std::string line; std::getline(lines, line);) ASSERT_LE(results::display_width(line), width) << line;
  }
}

TEST_F(Tables, CallARowInvertedOnlyIfItsUnroundedLastEpochMeanIsBelow40) {
  for (const std::size_t job : {0, 1, 2, 3}) finish(job, {0.9, 0.4});
  for (const std::size_t job : {4, 5, 6, 7}) finish(job, {0.9, 0.39996});

  const std::string text = results::to_markdown(aggregated());

  EXPECT_THAT(text, Not(HasSubstr("- LinearMap: the last-epoch")));
  EXPECT_THAT(text, HasSubstr("- gaussian: the last-epoch mean is 39.996, below 40: the scores end inverted"));
}

TEST_F(Tables, CallARowInvertedThoughOnlyTheBestEpochIsShown) {
  table.modes = {Mode::best};
  for (const std::size_t job : {0, 1, 2, 3}) finish(job, {0.9, 0.25});

  const std::string text = results::to_markdown(aggregated());

  EXPECT_THAT(text, HasSubstr("- LinearMap: the last-epoch mean is 25.0, below 40"));
  EXPECT_THAT(text, Not(HasSubstr("| last ")));
}

TEST_F(Tables, NameSixRunsOfAKindAndCountTheRest) {
  table.columns = {"airplane", "bird", "cat", "deer"};
  table.rows.clear();
  add_row("LinearMap", [](sweeps::Job&) {});

  EXPECT_THAT(
      results::to_terminal(aggregated(), 1000),
      HasSubstr("8 missing (airplane seed 0; airplane seed 1; bird seed 0; bird seed 1; cat seed 0; cat seed 1; "
                "and 2 more)"));
}

TEST_F(Tables, KeepNamesFromBreakingTheirRowsOrActingAsMarkup) {
  table.rows[0].name = "a|b\n<i>*\x1b[2J";

  EXPECT_THAT(results::to_markdown(aggregated()), HasSubstr("| a\\|b &lt;i>\\* \\[2J | best "));
  EXPECT_THAT(results::to_terminal(aggregated(), 100), AllOf(HasSubstr("\na|b <i>* [2J "), Not(HasSubstr("\x1b"))));
}

TEST_F(Tables, AreTheSameBytesWhateverTheOrderOfTheJournal) {
  const samples::TemporaryFolder folder;
  finish_all();
  std::vector<std::string> lines;
  for (const auto& [key, entry] : ledger.done) lines.push_back(results::encode(entry) + "\n");
  lines.push_back(results::encode(results::Failed{plan.jobs[0], 1, "oom", "x"}) + "\n");
  lines.push_back(results::encode(Note{"anything"}) + "\n");
  std::sort(lines.begin(), lines.end());

  std::string first_md, first_csv;
  for (int order = 0; order < 20; ++order) {
    std::string bytes;
    for (const std::string& line : lines) bytes += line;
    samples::write_bytes(folder / "journal.jsonl", bytes);
    ledger = results::replay_journal(folder / "journal.jsonl").ledger;
    const std::string md = results::to_markdown(aggregated()), csv = results::to_csv(aggregated());
    if (order == 0) {
      first_md = md;
      first_csv = csv;
    }
    EXPECT_EQ(md, first_md);
    EXPECT_EQ(csv, first_csv);
    std::rotate(lines.begin(), lines.begin() + 5, lines.end());
    std::swap(lines[0], lines[order % lines.size()]);
  }
}

TEST_F(Tables, AreWrittenWithAnIndex) {
  const samples::TemporaryFolder folder;
  finish_all();
  const Table one = aggregated();
  Table two = one;
  two.id = "other";
  two.title = "";

  results::write_report(folder / "report", {one, two});

  EXPECT_EQ(bytes_of(folder / "report/tables/small.md"), results::to_markdown(one));
  EXPECT_EQ(bytes_of(folder / "report/tables/small.csv"), results::to_csv(one));
  EXPECT_EQ(bytes_of(folder / "report/tables/small.json"), results::to_json(one));
  EXPECT_EQ(bytes_of(folder / "report/tables/other.tex"), results::to_latex(two, "other"));
  EXPECT_EQ(bytes_of(folder / "report/tables/all.tex"), results::latex_document({"small", "other"}));
  const std::string index = bytes_of(folder / "report/index.md");
  EXPECT_THAT(index,
              HasSubstr("- small: [Markdown](tables/small.md), [LaTeX](tables/small.tex), [CSV](tables/small.csv), "
                        "[JSON](tables/small.json); 10 of 10 runs\n"));
  EXPECT_THAT(index, HasSubstr("\n## A small table\n"));
  EXPECT_THAT(index, HasSubstr("\n## other\n"));
}

TEST_F(Tables, OfOneIdDoNotOverwriteEachOther) {
  const samples::TemporaryFolder folder;
  const Table before = aggregated();
  finish_all();

  results::write_report(folder.path(), {before, aggregated()});

  EXPECT_EQ(bytes_of(folder / "tables/small.md"), results::to_markdown(before));
  EXPECT_EQ(bytes_of(folder / "tables/small-2.md"), results::to_markdown(aggregated()));
}

TEST_F(Tables, HaveAFileOfComparisonsOnlyWhereThereAreSome) {
  const samples::TemporaryFolder folder;
  Table compared = aggregated();
  compared.comparisons.push_back({Mode::best, "LinearMap", "gaussian"});
  Table namesake = aggregated();
  namesake.id = "small-comparisons";

  results::write_report(folder.path(), {compared, namesake});
  EXPECT_EQ(bytes_of(folder / "tables/small-comparisons.csv"), results::comparisons_csv(compared));
  EXPECT_EQ(bytes_of(folder / "tables/small-comparisons-2.csv"), results::to_csv(namesake));
  EXPECT_THAT(bytes_of(folder / "index.md"), HasSubstr(", [comparisons](tables/small-comparisons.csv); "));

  results::write_report(folder.path(), {aggregated()});
  EXPECT_FALSE(std::filesystem::exists(folder / "tables/small-comparisons.csv"));
}

TEST_F(Tables, AreFollowedByWhatHappenedOnTheWay) {
  const samples::TemporaryFolder folder;
  results::write_report(folder.path(), {aggregated()}, {}, ledger);
  const std::string quiet = bytes_of(folder / "index.md");
  ledger.apply(results::Note{"worker 2 (*node*) is set aside:\nline"});
  results::write_report(folder.path(), {aggregated()}, {}, ledger);
  EXPECT_EQ(bytes_of(folder / "index.md"),
            quiet + "\n## What happened on the way\n\n    worker 2 (*node*) is set aside:?line\n");
}

TEST_F(Tables, WhoseIdIsNoFileNameAreNotWritten) {
  const samples::TemporaryFolder folder;
  table.id = "../small";

  EXPECT_THROW(results::write_report(folder / "report", {aggregated()}), storage::Error);

  EXPECT_FALSE(std::filesystem::exists(folder / "report"));
}

TEST(TextLayout, CountsCodePointsNotBytes) {
  EXPECT_EQ(results::display_width("84.5 ± 1.2"), 10u);
  EXPECT_EQ(results::pad_left("±", 3), "  ±");
  EXPECT_EQ(results::pad_right("±", 3), "±  ");
  EXPECT_EQ(results::centred("±", 4), " ±  ");
}

TEST(TextLayout, FoldsAtSpacesAndLeavesLongWordsWhole) {
  EXPECT_EQ(results::folded("one two three", 7, "- ", "  "), "- one\n  two\n  three\n");
  EXPECT_EQ(results::folded("a ± b c", 7), "a ± b c\n");
  EXPECT_EQ(results::folded("averylongword a", 5), "averylongword\na\n");
  EXPECT_EQ(results::folded("", 5), "\n");
}

}  // namespace
