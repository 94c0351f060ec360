// Figures of a dump: their data, scripts and words, and when an earlier report's numbers are used again.
#include "results/row_figures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "tests/results/made_up_dump.hpp"
#include "tests/results/samples.hpp"

namespace {

using results::Dump;
using results::DumpedKind;
using results::Figure;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string nothing(const std::string& /*file*/) {
  return "";
}

/// A finished run and a dump of it.
struct DumpedRun {
  explicit DumpedRun(std::size_t n = 8) : dump(samples::made_up_dump(job, n)) {
    run.key = {dump.key};
    run.job = &job;
    run.setting = "linear-map + full";
  }
  std::vector<Figure> figures(const results::EarlierFile& earlier = nothing) const {
    return results::row_figures(run, dump, earlier);
  }
  sweeps::Job job = samples::training("bird", 4);
  Dump dump;
  results::PlannedRun run;
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::size_t lines_with(const std::string& text, const std::string& part) {
  const auto lines = lines_of(text);
  return static_cast<std::size_t>(std::count_if(
      lines.begin(), lines.end(), [&](const std::string& line) { return line.find(part) != std::string::npos; }));
}

TEST(RowFigures, AreBeforeTheClassifierAndInTheEmbeddingInTwoAndThreeDimensions) {
  const DumpedRun dumped;
  const auto figures = dumped.figures();
  ASSERT_EQ(figures.size(), 4U);
  const std::string stem = "tsne-" + dumped.dump.key;
  EXPECT_EQ(figures[0].name, stem + "-features-2d");
  EXPECT_EQ(figures[1].name, stem + "-features-3d");
  EXPECT_EQ(figures[2].name, stem + "-embedding-2d");
  EXPECT_EQ(figures[3].name, stem + "-embedding-3d");
  for (const Figure& figure : figures) EXPECT_EQ(figure.table, "");
}

TEST(RowFigures, HaveALineARowWithItsKindClassAndId) {
  const auto figures = DumpedRun().figures();
  const auto flat = lines_of(figures[0].data), deep = lines_of(figures[3].data);
  ASSERT_EQ(flat.size(), 1 + 8 + 8 + 16U);
  EXPECT_EQ(flat[0], "x,y,kind,class,id");
  EXPECT_EQ(deep[0], "x,y,z,kind,class,id");
  EXPECT_THAT(flat[1], HasSubstr(",anomalous,plane,test#8"));
  EXPECT_THAT(flat[17], HasSubstr(",pseudo,bird,test#0"));
  EXPECT_THAT(flat[25], HasSubstr(",normal,bird,test#0"));
  EXPECT_THAT(deep.back(), HasSubstr(",normal,bird,test#7"));
  EXPECT_EQ(std::count(deep[1].begin(), deep[1].end(), ','), 5);
}

TEST(RowFigures, SayWhatTheyShowAndHowLittleDistancesMean) {
  const auto figures = DumpedRun().figures();
  EXPECT_EQ(figures[0].title, "Before the classifier, 2-D, cifar10, normal class bird, linear-map + full, seed 4");
  EXPECT_THAT(figures[0].caption,
              AllOf(StartsWith("Rows at epoch 3 "),
                    HasSubstr("epoch 3 (the first is 0), the best, selected on the test split, AUROC 93.8 %"),
                    HasSubstr("8 normal rows, 8 pseudo-anomalies made from them and 16 anomalous rows"),
                    HasSubstr("perplexity 10."), HasSubstr("how far clusters lie apart")));
  EXPECT_THAT(figures[3].caption, AllOf(HasSubstr("from three angles"), HasSubstr("in the embedding")));
}

TEST(RowFigures, AreOfTheLastEpochWhereNoneIsBest) {
  DumpedRun dumped;
  dumped.dump.best.reset();
  dumped.dump.last.auroc.reset();
  EXPECT_THAT(dumped.figures()[0].caption, HasSubstr("epoch 7 (the first is 0), the last, no AUROC"));
}

TEST(RowFigures, LeaveOutAKindAndASpaceThatAreNotThere) {
  DumpedRun dumped;
  dumped.dump.anomalous = {};
  dumped.dump.best->anomalous = {};
  dumped.dump.embedding = 0;
  const auto figures = dumped.figures();
  ASSERT_EQ(figures.size(), 2U);
  EXPECT_THAT(figures[0].script, AllOf(HasSubstr("title 'normal rows'"), Not(HasSubstr("title 'anomalous rows'"))));
}

TEST(RowFigures, TellTheKindsApartByColourAndMark) {
  const std::string script = DumpedRun().figures()[0].script;
  EXPECT_THAT(script, AllOf(HasSubstr("(strcol(3) eq 'normal' ? $2 : NaN) with points pt 6 ps 0.55 lc rgb '#0072B2'"),
                            HasSubstr("pt 8 ps 0.55 lc rgb '#D98600'"), HasSubstr("pt 4 ps 0.55 lc rgb '#AA4C92'")));
}

TEST(RowFigures, Have3DPlotsFromThreeAngles) {
  const std::string script = DumpedRun().figures()[1].script;
  EXPECT_EQ(lines_with(script, "set view 65, 25"), 1U);
  EXPECT_EQ(lines_with(script, "set view 65, 115"), 1U);
  EXPECT_EQ(lines_with(script, "set view 20, 70"), 1U);
  EXPECT_EQ(lines_with(script, "splot"), 3U);
}

TEST(RowFigures, GiveTheSameBytesAgain) {
  const auto once = DumpedRun().figures(), again = DumpedRun().figures();
  for (std::size_t i = 0; i < once.size(); ++i) {
    EXPECT_EQ(once[i].data, again[i].data);
    EXPECT_EQ(once[i].script, again[i].script);
  }
}

TEST(RowFigures, ShowAThirdOfEachKindAtMostAndPseudoAnomaliesOfTheRowsShown) {
  const DumpedRun dumped(700);
  std::map<DumpedKind, std::vector<std::size_t>> shown;
  for (const auto& row : results::shown_rows(dumped.dump)) shown[row.kind].push_back(row.index);
  for (const auto& [kind, rows] : shown) {
    EXPECT_EQ(rows.size(), 666U);
    EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
    EXPECT_EQ(std::adjacent_find(rows.begin(), rows.end()), rows.end()) << "none twice";
  }
  EXPECT_EQ(shown[DumpedKind::pseudo], shown[DumpedKind::normal]);
  EXPECT_GT(shown[DumpedKind::anomalous].back(), 1200U) << "not the first of 1,400";
  EXPECT_EQ(results::shown_rows(DumpedRun(8).dump).size(), 32U) << "all of few";
}

/// The files of an earlier report.
std::map<std::string, std::string> files_of(const std::vector<Figure>& figures) {
  std::map<std::string, std::string> files;
  for (const Figure& figure : figures) {
    files[figure.name + ".csv"] = figure.data;
    files[figure.name + ".gp"] = figure.script;
  }
  return files;
}

TEST(RowFigures, UseTheNumbersOfAnEarlierReportOnlyWhereTheyAreWholeAndOfTheSameDump) {
  const DumpedRun dumped;
  auto files = files_of(dumped.figures());
  const std::string name = dumped.figures()[2].name;
  const results::EarlierFile earlier = [&](const std::string& file) { return files[file]; };
  EXPECT_TRUE(results::has_row_figures(dumped.dump, earlier));
  const auto again = dumped.figures(earlier);
  EXPECT_EQ(files_of(again), files_of(dumped.figures()));

  // Numbers that a script vouches for are taken, so it is they that are used.
  files[name + ".csv"] += "1,2,normal,bird,mine\n";
  EXPECT_FALSE(results::has_row_figures(dumped.dump, earlier)) << "changed numbers";
  EXPECT_EQ(dumped.figures(earlier)[2].data, again[2].data);
  files = files_of(again);
  files[name + ".gp"] = "";
  EXPECT_FALSE(results::has_row_figures(dumped.dump, earlier)) << "no script";
  files = files_of(again);
  DumpedRun other;
  other.dump.best->normal.embeddings[0] += 1;
  EXPECT_FALSE(results::has_row_figures(other.dump, earlier)) << "another dump";
  EXPECT_NE(other.figures(earlier)[2].data, again[2].data);
}

TEST(RowFigures, ObeyNothingOfANameThatAnEnemyGave) {
  DumpedRun dumped;
  dumped.job.normal_class = "it's `touch x`\n";
  dumped.dump.classes[1] = dumped.dump.normal_classes[0] = "a,\"b\"\n'`touch y`";
  dumped.dump.normal.ids[0] = "'; system('touch z') #";
  for (const Figure& figure : dumped.figures()) {
    EXPECT_THAT(figure.script, AllOf(Not(HasSubstr("touch")), Not(HasSubstr("a,\"b\""))));
    EXPECT_EQ(lines_of(figure.data).size(), 33U);
    EXPECT_THAT(figure.title, Not(HasSubstr("\n")));
  }
}

}  // namespace
