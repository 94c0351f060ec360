// What the notes under a table say of the paper, of choices and of what must not be compared.
#include "results/notes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/between_variants.hpp"
#include "results/tables.hpp"
#include "tests/results/made_up_tables.hpp"

namespace {

using results::notes_of;
using results::Verdict;
using samples::TableWithEverything;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

Verdict withheld(const std::string& why) {
  return {Verdict::Kind::withheld, {}, {}, {}, {}, why};
}

TEST(Notes, CountVerdictsAndSayWhyTheyAreWithheld) {
  TableWithEverything made_up;
  for (results::Cell& cell : made_up.table.rows[1].cells) cell.verdict = withheld("reduced");
  made_up.table.rows[2].cells[0].verdict = withheld("untrained");

  EXPECT_THAT(notes_of(made_up.table),
              Contains("Against the paper, of 11 numbers: 2 inside the 95 % interval of the difference (Welch), 5 "
                       "without an interval (1 run of ours: no spread, 1 of 5 runs; no spread published), 4 withheld "
                       "(reduced; untrained)."));
}

TEST(Notes, CountMeansWhereThePaperPrintsNothingElse) {
  TableWithEverything made_up;
  for (results::Row& row : made_up.table.rows) {
    for (results::Cell& cell : row.cells) cell.verdict.reset();
  }

  EXPECT_THAT(notes_of(made_up.table),
              Contains("Against the paper, of 4 means over classes: 3 without an interval (no spread published, 1 of 5 "
                       "runs; no spread published), 1 not there yet."));
}

TEST(Notes, NameRowsOfOtherPapersUnlessTheyAreMany) {
  TableWithEverything made_up;
  EXPECT_THAT(notes_of(made_up.table), Contains(StartsWith("Rot: another paper's numbers, as printed in the paper")));

  made_up.table.rows.insert(made_up.table.rows.begin(), 7, made_up.table.rows[0]);
  EXPECT_THAT(notes_of(made_up.table), Contains(StartsWith("8 rows: another paper's numbers")));
}

TEST(Notes, SayThatAQuickScaleProvesNothing) {
  TableWithEverything made_up;
  made_up.table.scale = "quick";

  const std::string note =
      "Run at --scale quick: few rows, epochs and seeds of a small network: the numbers say nothing about the paper.";
  EXPECT_THAT(notes_of(made_up.table), Contains(note));
  EXPECT_THAT(warnings_of(made_up.table), Contains(note));
}

TEST(Notes, SayThatThePaperLeavesOpenWhatItPrintsOfSpark) {
  TableWithEverything made_up;
  made_up.published.rows[2].statistic = "best";
  made_up.table.rows[2].statistic = sweeps::Statistic::mean_and_max;

  EXPECT_THAT(notes_of(made_up.table), Contains("`max` is the highest of the seeds. The paper prints one number and "
                                                "does not say whether it is a mean or a maximum."));
}

TEST(Notes, SayNothingOfRunsWhereAllIsPrinted) {
  TableWithEverything made_up;
  made_up.table.rows.resize(1);

  EXPECT_THAT(notes_of(made_up.table), Not(Contains(HasSubstr("AUROC"))));
  EXPECT_THAT(notes_of(made_up.table), Not(Contains(HasSubstr("`best`"))));
}

TEST(Notes, BeginNoLineOfMarkdownLikeAListOrAHeading) {
  TableWithEverything made_up;
  made_up.table.settings = {std::string(99, 'x') + " - y", std::string(99, 'z') + " # w"};

  EXPECT_THAT(results::to_markdown(made_up.table), HasSubstr("\n\\- y;\n" + std::string(99, 'z') + "\n\\# w.\n"));
}

TEST(Comparisons, SayHowEachPValueIsMade) {
  TableWithEverything made_up;
  EXPECT_THAT(comparison_notes(made_up.table), Contains(HasSubstr("≈ by the normal approximation, else exact")));

  made_up.table.comparisons.resize(1);
  made_up.table.comparisons[0].pairs = 50;
  EXPECT_THAT(comparison_notes(made_up.table),
              ElementsAre(Not(HasSubstr("(48/50)")), HasSubstr("two-sided, exact. `p (Holm)`: adjusted for the 2")));
}

}  // namespace
