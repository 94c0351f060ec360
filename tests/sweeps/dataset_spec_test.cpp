// What an entry of "datasets" may say, and every way to get it wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/error.hpp"
#include "sweeps/sweep.hpp"

namespace sweeps {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

DatasetSpec spec_of(const std::string& text) {
  return read_dataset_spec("mine", storage::parse_json(text, "s.json", storage::Blame::user));
}

std::string refusal(const std::string& text) {
  try {
    spec_of(text);
  } catch (const storage::UsageError& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(DatasetSpec, ReadsItsCanonicalTextBack) {
  for (const std::string text : {
           R"({"classes":3,"kind":"synthetic","seed":7,"test_per_class":10,"train_per_class":20})",
           R"({"classes":3,"kind":"synthetic","seed":7,"test_per_class":10,"train_per_class":20,"upright":true})",
           R"({"kind":"image-folder"})",
           R"({"kind":"image-folder","skip":0.01,"split":{"seed":4,"test":0.25}})",
           R"({"kind":"spark2021","size":32})",
           R"({"kind":"spark2022","size":512,"skip":0.5})",
           R"({"kind":"cifar10"})",
           R"({"kind":"cifar100"})",
           R"({"kind":"features"})",
       }) {
    EXPECT_EQ(canonical_text(spec_of(text)), text);
  }
}

TEST(DatasetSpec, FillsInTheDefaultsOfItsKind) {
  EXPECT_EQ(spec_of(R"({"kind": "spark2021"})").size, 512) << "the paper's text";
  EXPECT_FALSE(spec_of(R"({"kind": "synthetic"})").upright);
  const auto split = spec_of(R"({"kind": "image-folder", "split": {"test": 0.5}})").split;
  ASSERT_TRUE(split.has_value());
  EXPECT_EQ(split->seed, 0U);
  EXPECT_EQ(split->test, 0.5);
}

TEST(DatasetSpec, ReadsSetsOfClassesThatAreNormalTogether) {
  const auto sets = spec_of(R"({"kind": "cifar10", "normal_sets":
      {"vehicles": ["truck", "ship"], "no-cats": {"all_but": ["cat"]}}})")
                        .normal_sets;
  ASSERT_EQ(sets.size(), 2U);
  EXPECT_EQ(sets[0].name, "no-cats") << "by name: a JSON object has no order";
  EXPECT_TRUE(sets[0].all_but);
  EXPECT_THAT(sets[0].classes, ElementsAre("cat"));
  EXPECT_FALSE(sets[1].all_but);
  EXPECT_THAT(sets[1].classes, ElementsAre("truck", "ship"));
}

TEST(DatasetSpec, LeavesSetsOfClassesOutOfWhatItsRowsDependOn) {
  EXPECT_EQ(canonical_text(spec_of(R"({"kind": "cifar10", "normal_sets": {"a": ["cat", "dog"]}})")),
            R"({"kind":"cifar10"})");
}

TEST(DatasetSpec, SaysInWordsWhatItsKindLeavesOpen) {
  const auto words = [](const std::string& text) { return settings_in_words(spec_of(text)); };
  EXPECT_THAT(words(R"({"kind": "spark2022", "size": 32})"), ElementsAre("size 32"));
  EXPECT_THAT(words(R"({"kind": "synthetic", "upright": true})"), ElementsAre("upright"));
  EXPECT_THAT(words(R"({"kind": "image-folder", "split": {"test": 0.25, "seed": 7}})"),
              ElementsAre("a share of 0.25 of each class drawn for the test by seed 7"));
  EXPECT_THAT(words(R"({"kind": "cifar10"})"), ::testing::IsEmpty());
}

TEST(DatasetSpec, RefusesWhatItsKindDoesNotHave) {
  EXPECT_EQ(refusal(R"({"kind": "cifar10", "upright": true})"),
            R"(s.json: upright: has no meaning for kind "cifar10", only for synthetic; remove it)");
  EXPECT_EQ(refusal(R"({"kind": "synthetic", "skip": 0.1})"),
            "s.json: skip: has no meaning for kind \"synthetic\", only for image-folder, spark2021 or spark2022; "
            "remove it");
  EXPECT_THAT(refusal(R"({"kind": "spark2022", "split": {"test": 0.1}})"), HasSubstr("only for image-folder"));
  EXPECT_THAT(refusal(R"({"kind": "image-folder", "skipp": 0.1})"), HasSubstr("(did you mean \"skip\"?)"));
  EXPECT_THAT(refusal(R"({"kind": "image-folder", "path": "/x"})"), HasSubstr("--data mine=PATH"));
  EXPECT_THAT(refusal(R"({"kind": "spark"})"), HasSubstr("unknown kind \"spark\""));
}

TEST(DatasetSpec, RefusesValuesOutOfRange) {
  for (const char* share : {"0", "1", "-0.1", "1.5", "\"half\""}) {
    const std::string text = R"({"kind": "image-folder", "split": {"test": )" + std::string(share) + "}}";
    EXPECT_THAT(refusal(text), HasSubstr("s.json: split.test: expected")) << share;
  }
  for (const char* share : {"1", "-0.1", "true"}) {
    const std::string text = R"({"kind": "spark2021", "skip": )" + std::string(share) + "}";
    EXPECT_THAT(refusal(text), HasSubstr("s.json: skip: expected")) << share;
  }
  EXPECT_EQ(refusal(R"({"kind": "spark2021", "size": 64})"),
            "s.json: size: expected 512 (the paper's text) or 32 (what the released code packs), found 64");
  EXPECT_THAT(refusal(R"({"kind": "image-folder", "split": {}})"), HasSubstr("the key \"test\" is missing"));
  EXPECT_THAT(refusal(R"({"kind": "image-folder", "split": {"test": 0.1, "sed": 1}})"), HasSubstr("\"seed\""));
  EXPECT_THAT(refusal(R"({"kind": "synthetic", "upright": 1})"), HasSubstr("s.json: upright: expected"));
}

TEST(DatasetSpec, RefusesSetsThatSayNothing) {
  const auto of_set = [](const std::string& set) {
    return refusal(R"({"kind": "cifar10", "normal_sets": {"a": )" + set + "}}");
  };
  EXPECT_THAT(of_set("[]"), HasSubstr("expected at least one class, found an empty list"));
  EXPECT_THAT(of_set(R"(["cat", "cat"])"), HasSubstr("\"cat\" is there twice"));
  EXPECT_THAT(of_set(R"("cat")"), HasSubstr(R"(expected a list of classes, or {"all_but": [...]})"));
  EXPECT_THAT(of_set(R"({"all-but": ["cat"]})"), HasSubstr("(did you mean \"all_but\"?)"));
  EXPECT_THAT(of_set(R"({"all_but": []})"), HasSubstr("expected at least one class"));
  EXPECT_THAT(refusal(R"({"kind": "cifar10", "normal_sets": {"a\u001bb": ["cat"]}})"),
              HasSubstr("expected a name without control characters"));
}

}  // namespace
}  // namespace sweeps
