// Which data set `check data` is asked about.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/check_data_command.hpp"
#include "storage/error.hpp"
#include "tests/temporary_folder.hpp"

namespace runner {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string refusal(const DataQuestion& question) {
  try {
    asked_dataset(question);
  } catch (const storage::UsageError& error) {
    return error.what();
  }
  return "not refused";
}

class AskedDataset : public testing::Test {
 protected:
  AskedDataset() {
    tests::write_text(folder_ / "sweep.json", R"({"version": 1, "name": "s",
      "datasets": {"synthetic": {"kind": "synthetic", "classes": 3}, "spare": {"kind": "features"}},
      "blocks": [{"dataset": "synthetic", "method": "plad"}]})");
    question_.sweep = (folder_ / "sweep.json").string();
  }
  tests::TemporaryFolder folder_;
  DataQuestion question_;
};

TEST_F(AskedDataset, HasTheSettingsOfTheSweep) {
  question_.id = "synthetic";
  EXPECT_EQ(asked_dataset(question_).class_count, 3);
  question_.sweep.reset();
  EXPECT_EQ(asked_dataset(question_).class_count, 6) << "without it the kind's own";
}

TEST_F(AskedDataset, MayBeOneThatNoBlockUses) {
  question_.id = "spare";
  EXPECT_EQ(asked_dataset(question_).kind, "features");
}

TEST_F(AskedDataset, MustBeOneThatTheSweepNames) {
  question_.id = "sinthetic";
  EXPECT_THAT(refusal(question_),
              AllOf(HasSubstr("sweep.json names no data set \"sinthetic\""), HasSubstr("did you mean \"synthetic\"?")));
}

TEST_F(AskedDataset, HasAKindFromTheSweepOrFromTheFlag) {
  question_.id = "synthetic";
  question_.kind = "cifar10";
  EXPECT_THAT(refusal(question_), HasSubstr("--sweep and --kind"));
  question_.sweep.reset();
  EXPECT_EQ(asked_dataset(question_).kind, "cifar10");
  question_.kind = "image-foldr";
  EXPECT_THAT(refusal(question_), HasSubstr("did you mean \"image-folder\"?"));
  question_.kind = "image-folder";
  question_.id = "a/b";
  EXPECT_THAT(refusal(question_), HasSubstr("the id of a data set has"));
}

TEST_F(AskedDataset, SaysTheThreeWaysToDeclareOne) {
  question_.sweep.reset();
  question_.id = "cifra10";
  EXPECT_THAT(refusal(question_),
              AllOf(HasSubstr("nothing says what \"cifra10\" is (did you mean \"cifar10\"?)"),
                    HasSubstr("needs no entry"), HasSubstr("--sweep FILE"), HasSubstr("--kind image-folder")));
}

}  // namespace
}  // namespace runner
