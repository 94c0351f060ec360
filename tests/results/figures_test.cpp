// The numbers of every kind of figure, whole, from runs that a person can check; what captions say; and that no name
// is ever obeyed.
#include "results/figures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "results/file_names.hpp"
#include "results/gnuplot_script.hpp"
#include "results/quantiles.hpp"
#include "tests/results/made_up_tables.hpp"
#include "tests/results/samples.hpp"

namespace {

using results::Figure;
using results::Ledger;
using samples::add;
using samples::done;
using samples::finished;
using samples::training;
using sweeps::Mode;
using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

/// Two rows that differ in lambda and kNN, two classes, two seeds: jobs 0-3 are five, 4-7 ten, 8 and 9 kNN.
class Figures : public testing::Test {
 protected:
  Figures() {
    table.id = "small";
    table.title = "A small table";
    table.datasets = {"cifar10"};
    table.columns = {"airplane", "bird"};
    table.modes = {Mode::best, Mode::last};
    table.compare.with = sweeps::Compare::With::none;
    add_row("five", 5);
    add_row("ten", 10);
    sweeps::PlannedRow neighbours{"kNN", false, false, false, {}};
    for (const std::string& column : table.columns)
      neighbours.cells.push_back({{add(plan, samples::neighbours(column))}});
    table.rows.push_back(neighbours);
  }
  void add_row(const std::string& name, double lambda) {
    sweeps::PlannedRow row{name, true, true, true, {}};
    for (const std::string& column : table.columns) {
      sweeps::PlannedCell cell;
      for (const std::uint64_t seed : {0, 1}) {
        sweeps::Job job = training(column, seed);
        job.training.lambda = lambda;
        cell.jobs.push_back(add(plan, job));
      }
      row.cells.push_back(cell);
    }
    table.rows.push_back(row);
  }
  void finish(std::size_t job, std::initializer_list<double> aucs) {
    ledger.apply(done(plan.jobs[job], finished(aucs)));
  }
  /// Epochs that fall: best first, last last. In percent the means over the classes are, five: best 70 and 80, last 25
  /// and 50; ten: best 75, of one seed.
  void finish_most() {
    finish(0, {0.75, 0.25});
    finish(1, {0.875, 0.5});
    finish(2, {0.65, 0.25});
    finish(3, {0.725, 0.5});
    finish(4, {0.5, 0.625});
    finish(6, {0.875, 0.75});
    finish(8, {0.9});
    finish(9, {0.8});
  }
  std::vector<Figure> figures() {
    plan.tables = {table};
    const std::vector<results::Table> tables = {results::aggregate(plan, table, ledger)};
    return results::figures_of(tables, results::file_names_of(tables), {plan}, ledger);
  }
  Figure figure(const std::string& kind) {
    for (Figure& one : figures()) {
      if (one.name == "small-" + kind) return one;
    }
    ADD_FAILURE() << "no figure " << kind;
    return {};
  }
  std::vector<std::string> names() {
    std::vector<std::string> all;
    for (const Figure& one : figures()) all.push_back(one.name);
    return all;
  }

  sweeps::Plan plan;
  sweeps::PlannedTable table;
  Ledger ledger;
};

TEST_F(Figures, AreThoseThatThereIsDataFor) {
  EXPECT_THAT(names(), ElementsAre());
  finish(8, {0.9});
  EXPECT_THAT(names(), ElementsAre("small-boxes")) << "kNN has no mean over two classes, no epochs and no lambda";
  finish_most();
  EXPECT_THAT(names(), ElementsAre("small-bars", "small-boxes", "small-epochs", "small-scatter", "small-lambda"))
      << "no run has shares";
  EXPECT_EQ(figure("bars").table, "small");
  EXPECT_EQ(figure("bars").title, "A small table: AUROC, mean over the classes");
  EXPECT_THAT(figure("bars").script, AllOf(HasSubstr("'small-bars.csv'"), HasSubstr("set output 'small-bars.svg'")));
}

TEST_F(Figures, BarsAreMeansWithTheirSpreadOverSeeds) {
  finish_most();
  EXPECT_EQ(figure("bars").data,
            "at,kind,mean,std,low,high,n,what,row\n"
            "0.00,0,75,7.0710678118654755,67.92893218813452,82.07106781186548,2,ours best,five\n"
            "1.00,1,37.5,17.67766952966369,19.82233047033631,55.17766952966369,2,ours last,five\n"
            "2.70,0,75,,75,75,1,ours best,ten\n"
            "3.70,1,68.75,,68.75,68.75,1,ours last,ten\n"
            "5.40,0,85,,85,85,1,ours best,kNN\n"
            "6.40,1,85,,85,85,1,ours last,kNN\n");
}

TEST(FiguresOfATable, BarsTellOursFromThePapersAndFromOthers) {
  const samples::TableWithEverything made_up;

  const auto figures = results::figures_of({made_up.table}, {"everything"}, {}, {});

  ASSERT_EQ(figures.size(), 1u) << "without plans nothing is known of single runs";
  EXPECT_EQ(figures[0].data,
            "at,kind,mean,std,low,high,n,what,row\n"
            "1.00,3,86.3,,86.3,86.3,,others',Rot\n"
            "3.70,2,74.4,,74.4,74.4,5,the paper's,\"PLAD, re-run\"\n"
            "5.40,0,82.5,,82.5,82.5,1,ours best,\"PLUME, lambda 5\"\n"
            "6.40,1,62.5,,62.5,62.5,1,ours last,\"PLUME, lambda 5\"\n"
            "7.40,2,82.3,,82.3,82.3,5,the paper's,\"PLUME, lambda 5\"\n"
            "9.10,0,83.5,0.9,82.6,84.4,5,ours best,\"PLUME, best lambda\"\n"
            "10.10,1,63.5,0.9,62.6,64.4,5,ours last,\"PLUME, best lambda\"\n"
            "11.10,2,83.2,,83.2,83.2,5,the paper's,\"PLUME, best lambda\"\n"
            "12.80,0,87.1,,87.1,87.1,5,ours best,\"PLUME, highest\"\n"
            "13.80,1,67.1,,67.1,67.1,5,ours last,\"PLUME, highest\"\n"
            "14.80,2,87.2,,87.2,87.2,5,the paper's,\"PLUME, highest\"\n"
            "17.50,0,87,,87,87,1,ours best,kNN\n"
            "18.50,1,87,,87,87,1,ours last,kNN\n");
  EXPECT_THAT(figures[0].script, AllOf(HasSubstr("'[rotation-based]' 0.00"), HasSubstr("'[unbiased]' 2.70")));
  EXPECT_THAT(figures[0].caption,
              HasSubstr("Not all runs are there: PLAD, re-run 9 of 15 (2 diverged, 3 failed, 1 missing); "));
}

TEST_F(Figures, BoxesHaveTheQuartilesOfAClassAndEachRun) {
  finish_most();
  EXPECT_THAT(
      figure("boxes").data,
      AllOf(HasSubstr("column,row,mode,n,low,first_quartile,median,third_quartile,high,run,row_name,column_name\n"
                      "0,0,0,2,75,78.125,81.25,84.375,87.5,,five,airplane\n"
                      "0,0,0,,,,,,,75,five,airplane\n"
                      "0,0,0,,,,,,,87.5,five,airplane\n"
                      "0,0,1,2,25,31.25,37.5,43.75,50,,five,airplane\n"),
            HasSubstr("0,1,0,1,62.5,62.5,62.5,62.5,62.5,,ten,airplane\n"),
            HasSubstr("1,2,1,1,80,80,80,80,80,,kNN,bird\n")));
}

TEST_F(Figures, BoxesOfManyRunsHaveNoPoints) {
  table.rows.resize(1);
  table.rows[0].cells[0].jobs.clear();
  for (std::uint64_t seed = 0; seed < 21; ++seed) {
    table.rows[0].cells[0].jobs.push_back(add(plan, training("airplane", seed)));
    finish(plan.jobs.size() - 1, {0.5});
  }
  finish(2, {0.75});
  const Figure boxes = figure("boxes");
  EXPECT_EQ(std::count(boxes.data.begin(), boxes.data.end(), '\n'), 1 + 2 + 4) << "two boxes of 21, two with their run";
  EXPECT_THAT(boxes.caption, HasSubstr("Points are drawn only in boxes of at most 20 runs"));
}

TEST(FiveNumbers, HaveTheQuartilesOfRAndNumpy) {
  const auto five = results::five_numbers({5, 1, 3, 2});  // numpy.percentile([1, 2, 3, 5], [25, 50, 75])
  EXPECT_EQ(five.low, 1);
  EXPECT_EQ(five.first_quartile, 1.75);
  EXPECT_EQ(five.median, 2.5);
  EXPECT_EQ(five.third_quartile, 3.5);
  EXPECT_EQ(five.high, 5);
  EXPECT_EQ(results::five_numbers({7}).first_quartile, 7);
}

TEST_F(Figures, EpochsHaveTheMeanTheBandAndOneRunOfEachRow) {
  finish(0, {0.25, 0.75});
  finish(1, {0.5, 0.25});
  finish(2, {0.75, 0.5, 0.375});
  finish(8, {0.9});
  EXPECT_EQ(figure("epochs").data,
            "panel,epoch,n,mean,low,first_quartile,third_quartile,high,one_run,row\n"
            "0,0,3,50,25,37.5,62.5,75,25,five\n"
            "0,1,3,50,25,37.5,62.5,75,75,five\n"
            "0,2,1,37.5,37.5,37.5,37.5,37.5,,five\n");
}

TEST_F(Figures, EpochsOfADivergedRunCountAsFarAsItCame) {
  results::JobResult diverged = samples::diverged(2);
  diverged.epochs = finished({0.5, 0.75}).epochs;
  ledger.apply(done(plan.jobs[0], diverged));
  EXPECT_THAT(names(), ElementsAre("small-epochs")) << "it is in no mean";
  EXPECT_THAT(figure("epochs").data, HasSubstr("0,1,1,75,75,75,75,75,75,five\n"));
  EXPECT_THAT(
      figure("epochs").caption,
      EndsWith(" Not all runs are there: five 0 of 4 (1 diverged, 3 missing); ten 0 of 4 (4 missing); kNN 0 of 2 "
               "(2 missing)."));
}

TEST_F(Figures, LongTrainingsAreThinnedAndTheLastEpochStays) {
  results::JobResult result = finished({});
  for (int epoch = 0; epoch < 1000; ++epoch) {
    results::EpochRecord record;
    record.epoch = epoch;
    record.ranking = results::Ranking{0.5, 0.5, 0.5, 0.5};
    result.epochs.push_back(record);
  }
  ledger.apply(done(plan.jobs[0], result));
  const Figure one = figure("epochs");
  EXPECT_EQ(std::count(one.data.begin(), one.data.end(), '\n'), 1 + 250 + 1);  // 0, 4, ... 996, and 999
  EXPECT_THAT(one.data, HasSubstr("\n0,999,1,50,"));
  EXPECT_THAT(one.caption, HasSubstr("Of long trainings about 250 epochs are drawn."));
}

TEST_F(Figures, ScatterHasAPointForEachTraining) {
  finish_most();
  EXPECT_EQ(figure("scatter").data,
            "row,last,best,seed,row_name,class\n"
            "0,25,75,0,five,airplane\n"
            "0,50,87.5,1,five,airplane\n"
            "0,25,65,0,five,bird\n"
            "0,50,72.5,1,five,bird\n"
            "1,62.5,62.5,0,ten,airplane\n"
            "1,75,87.5,0,ten,bird\n");
}

TEST_F(Figures, LambdaIsTheMeanOverSeedsThatAreCompleteInEveryClass) {
  finish_most();
  finish(5, {0.25});  // seed 1 of ten has no bird
  EXPECT_EQ(figure("lambda").data,
            "at,series,mode,n,mean,std,lambda,setting\n"
            "0,0,0,2,75,7.0710678118654755,5,linear-map + full\n"
            "1,0,0,1,75,,10,linear-map + full\n"
            "0,0,1,2,37.5,17.67766952966369,5,linear-map + full\n"
            "1,0,1,1,68.75,,10,linear-map + full\n");
}

TEST_F(Figures, LambdaKnowsTheValuesOfABestOfAxisAndAveragesOnlyCommonClasses) {
  finish_most();
  table.rows[0].best_of = "lambda";
  for (std::size_t column = 0; column < 2; ++column) {
    const auto five = table.rows[0].cells[column].jobs, ten = table.rows[1].cells[column].jobs;
    table.rows[0].cells[column].choices = {{"5", five}, {"10", ten}};
    table.rows[0].cells[column].jobs.insert(table.rows[0].cells[column].jobs.end(), ten.begin(), ten.end());
  }
  const std::string of_rows = figure("lambda").data;
  table.rows.erase(table.rows.begin() + 1);
  EXPECT_EQ(figure("lambda").data, of_rows);

  table.rows[0].cells[1].choices.pop_back();  // lambda 10 has no birds
  table.rows[0].cells[1].jobs.resize(2);
  EXPECT_THAT(figure("lambda").data,
              HasSubstr("\n0,0,0,2,81.25,8.838834764831844,5,linear-map + full\n1,0,0,1,62.5,,10,"))
      << "airplanes alone: 75 and 87.5";
  EXPECT_THAT(figure("lambda").caption, HasSubstr("Only classes that every λ has are averaged."));
}

TEST_F(Figures, SharesAreMeansOverSeedsInTheLastEpoch) {
  for (const std::size_t job : {0, 1}) {
    results::JobResult result = finished({0.75, 0.5});
    result.classes = {"airplane", "bird", "cat"};
    result.epochs[0].shares = {0, 0, 0};
    result.epochs[1].shares = {1, job == 0 ? 0.25 : 0.75, std::nullopt};
    ledger.apply(done(plan.jobs[job], result));
  }
  EXPECT_EQ(figure("shares").data,
            "panel,normal,test,share,n,row,normal_class,test_class\n"
            "0,0,0,100,2,five,airplane,airplane\n"
            "0,0,1,50,2,five,airplane,bird\n");
}

TEST_F(Figures, DoNotDependOnTheOrderOfTheJournal) {
  finish_most();
  const auto text = [&] {
    std::string all;
    for (const Figure& one : figures()) all += one.name + one.title + one.caption + one.data + one.script;
    return all;
  };
  const std::string forward = text();
  ledger = {};
  finish(9, {0.8});
  finish(8, {0.9});
  finish(6, {0.875, 0.75});
  finish(4, {0.5, 0.625});
  finish(3, {0.725, 0.5});
  finish(2, {0.65, 0.25});
  finish(1, {0.875, 0.5});
  finish(0, {0.75, 0.25});
  EXPECT_EQ(text(), forward);
}

TEST(FiguresOfATable, AreNotMoreThanAPageCanHold) {
  const samples::TableWithEverything made_up;
  std::vector<std::string> names;
  for (std::size_t i = 0; i <= results::kMostFigures; ++i) names.push_back("t" + std::to_string(i));

  const auto figures = results::figures_of(std::vector<results::Table>(names.size(), made_up.table), names, {}, {});

  ASSERT_EQ(figures.size(), results::kMostFigures);
  EXPECT_THAT(figures.back().caption, HasSubstr("at most 90 figures: those of the tables from t90 on are left out"));
  EXPECT_THAT(figures.front().caption, Not(HasSubstr("left out")));
}

TEST_F(Figures, SayHowManyRowsTheyLeaveOut) {
  for (int i = 0; i < 20; ++i) {
    table.rows.push_back(table.rows[0]);
    table.rows.back().name = "again " + std::to_string(i);
  }
  finish_most();
  EXPECT_THAT(figure("boxes").caption, HasSubstr("Shown are the first 12 of 23 rows."));
  EXPECT_THAT(figure("epochs").caption, HasSubstr("Shown are the first 12 of 22 rows."));
  EXPECT_THAT(figure("scatter").caption, HasSubstr("Shown are the first 16 of 22 rows."));
}

TEST_F(Figures, NamesAreTextInScriptsAndData) {
  table.rows[0].name = "it's `touch x`\n@m \"q\" 100% \\";
  finish_most();
  const Figure bars = figure("bars");
  EXPECT_THAT(bars.script, HasSubstr("('it''s `touch x`?@m \"q\" 100%% \\' 0.50, "));
  EXPECT_THAT(bars.data, HasSubstr(",ours best,\"it's `touch x`?@m \"\"q\"\" 100% \\\"\n"));
  EXPECT_THAT(figure("scatter").script, HasSubstr("title 'it''s `touch x`?@m \"q\" 100% \\', "));
}

TEST(GnuplotText, IsShortenedBeforeItsQuotesAreDoubled) {
  const std::string text = results::gnuplot_text(std::string(30, '\''), 8);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\'') % 2, 0) << text << ": a quote would stay open";
  EXPECT_EQ(results::gnuplot_text("a 50 % b"), "'a 50 % b'");
  EXPECT_EQ(results::gnuplot_tic("a 50 % b"), "'a 50 %% b'");
}

}  // namespace
