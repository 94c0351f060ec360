// Sets of classes that are normal together, and what stands in for another, through the real binary: rows on a line, so
// that every AUROC is known by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/end_to_end/npy_bytes.hpp"
#include "tests/end_to_end/program.hpp"
#include "tests/temporary_folder.hpp"

namespace tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string npy_of_vectors(const std::vector<float>& values) {
  return npy("<f4", "(" + std::to_string(values.size()) + ", 1)",
             {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)});
}

std::string npy_of_labels(const std::string& letters) {
  return npy("|S1", "(" + std::to_string(letters.size()) + ",)", letters);
}

/// Training rows: a at 0 and 1, b at 100 and 101, c at 50 and 51. Test rows: one of each, a little beside.
class SetsOnALine : public testing::Test {
 protected:
  SetsOnALine() {
    write_text(folder_ / "line/train.npy", npy_of_vectors({0, 1, 100, 101, 50, 51}));
    write_text(folder_ / "line/train_labels.npy", npy_of_labels("aabbcc"));
    write_text(folder_ / "line/test.npy", npy_of_vectors({0.5F, 100.5F, 50.5F}));
    write_text(folder_ / "line/test_labels.npy", npy_of_labels("abc"));
    write_text(folder_ / "sweep.json", R"({"version": 1, "name": "sets",
      "datasets": {"mine": {"kind": "features", "normal_sets": {"ends": ["b", "a"], "no-b": {"all_but": ["b"]}}},
                   "other": {"kind": "features"}},
      "blocks": [{"dataset": "mine", "method": "knn", "k": 1}]})");
  }
  Ended run(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"run",       "sweep.json", "--out",     "out", "--cache", "cache",
                                          "--workers", "1",          "--threads", "1",   "--data",  "mine=line"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(arguments, folder_.path());
  }
  std::string table(const std::string& id = "mine") { return read_text(folder_ / "out/report/tables" / (id + ".csv")); }

  TemporaryFolder folder_;
};

TEST_F(SetsOnALine, AreTrainedOnTogetherAndAreNormalInTheTestTogether) {
  const auto ended = run();
  ASSERT_EQ(ended.status, 0) << ended.errors;
  // Trained on a alone, b would be farther than c: 50. With b an anomaly, it would be as near as a: 75.
  EXPECT_THAT(table(), AllOf(HasSubstr("mine,knn raw,ends,last,100,"), HasSubstr("mine,knn raw,no-b,last,100,")));
  EXPECT_THAT(table(), Not(HasSubstr("knn raw,a,"))) << "all classes: the sets, where there are any";
  EXPECT_THAT(ended.output, AllOf(HasSubstr("normal set ends (a, b)"), HasSubstr("no-b (a, c)")));
}

TEST_F(SetsOnALine, AreInTheReportThatIsMadeFromTheJournalAlone) {
  const auto first = run();
  ASSERT_EQ(first.status, 0) << first.errors;
  const auto again = run_program({"report", "out"}, folder_.path());
  EXPECT_EQ(again.status, 0) << again.errors;
  EXPECT_EQ(again.output, first.output);
}

TEST_F(SetsOnALine, OfOtherClassesAreOtherJobs) {
  ASSERT_EQ(run().status, 0);
  auto text = read_text(folder_ / "sweep.json");
  text.replace(text.find(R"(["b", "a"])"), 10, R"(["c", "a"])");
  write_text(folder_ / "sweep.json", text);
  const auto ended = run();
  ASSERT_EQ(ended.status, 0) << ended.errors;
  EXPECT_THAT(ended.errors, HasSubstr("2 jobs, 1 done, 1 to run"));
}

TEST_F(SetsOnALine, CanBeChosenAmongThem) {
  const auto ended = run({"--only", "class=ends"});
  ASSERT_EQ(ended.status, 0) << ended.errors;
  EXPECT_THAT(ended.errors, HasSubstr("1 jobs, 0 done, 1 to run"));
}

TEST_F(SetsOnALine, StandInForAnotherDataSetAndEveryCaptionSaysSo) {
  const auto ended = run_program({"run", "sweep.json", "--out", "out", "--cache", "cache", "--workers", "1",
                                  "--threads", "1", "--substitute", "mine=other", "--data", "other=line"},
                                 folder_.path());
  ASSERT_EQ(ended.status, 0) << ended.errors;
  EXPECT_THAT(ended.output, HasSubstr("data set other (in place of mine)"));
  EXPECT_THAT(table("other"), HasSubstr("other,knn raw,a,last,"));
  const auto again = run_program({"report", "out"}, folder_.path());
  EXPECT_EQ(again.output, ended.output) << again.errors;
}

TEST_F(SetsOnALine, AreRefusedWhereNoBlockNamesWhatIsReplaced) {
  const auto ended = run({"--substitute", "min=other"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.errors, HasSubstr("sweep.json: substitute.min: no block names a backbone or data set \"min\" (did "
                                      "you mean \"mine\"?)"));
}

}  // namespace
}  // namespace tests
