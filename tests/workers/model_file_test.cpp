// The facts of a detector as metadata: they come back as they were, and what cannot be is refused by name.
#include "workers/model_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "storage/error.hpp"
#include "tests/storage/plain_files.hpp"
#include "tests/workers/small_models.hpp"

namespace workers {
namespace {

using storage_test::message_of;
using testing::AllOf;
using testing::HasSubstr;
using testing::Pair;
using testing::StartsWith;

Metadata with(Metadata metadata, const std::string& name, const std::string& text) {
  for (auto& [key, value] : metadata) {
    if (key == name) value = text;
  }
  return metadata;
}

Metadata without(Metadata metadata, const std::string& name) {
  metadata.erase(std::remove_if(metadata.begin(), metadata.end(), [&](const auto& m) { return m.first == name; }),
                 metadata.end());
  return metadata;
}

std::string refusal(const Metadata& metadata) {
  return message_of<storage::Error>([&] { decode_facts(metadata, "m.safetensors"); });
}

TEST(ModelFile, GivesBackItsFacts) {
  for (const auto& facts : {tests::facts_of_features(), tests::facts_of_images()}) {
    EXPECT_EQ(decode_facts(encode_facts(facts), "m"), facts);
  }
}

TEST(ModelFile, SaysWhatItIsInTexts) {
  const auto metadata = encode_facts(tests::facts_of_features());
  EXPECT_THAT(metadata,
              testing::IsSupersetOf({Pair("format", "plume-bench model"), Pair("version", "1"), Pair("which", "best"),
                                     Pair("epoch", "2"), Pair("auroc", "0.1"), Pair("threshold", "0.30000001192092896"),
                                     Pair("row_length", "8"), Pair("classes", R"(["bad","good","it's \"so,so\""])"),
                                     Pair("normal_classes", R"(["good"])"), Pair("mean", "[]"), Pair("std", "[]"),
                                     Pair("contents", "classifier")}));
  EXPECT_TRUE(std::is_sorted(metadata.begin(), metadata.end()));
  EXPECT_THAT(encode_facts(tests::facts_of_images()), testing::Not(testing::Contains(Pair("auroc", testing::_))));
}

TEST(ModelFile, OfOtherWeightsSaysWhatIsMissing) {
  EXPECT_THAT(refusal({{"format", "pt"}}),
              AllOf(StartsWith("m.safetensors: "), HasSubstr("no detector"), HasSubstr("\"plume-bench model\""),
                    HasSubstr("give a file that a training with \"save\"")));
  EXPECT_THAT(refusal({}), HasSubstr("no detector"));
}

TEST(ModelFile, OfAnotherVersionIsRefused) {
  const auto metadata = encode_facts(tests::facts_of_features());
  EXPECT_THAT(refusal(with(metadata, "version", "2")),
              AllOf(HasSubstr("version 2"), HasSubstr("reads version 1"), HasSubstr("0.1.0")));
}

TEST(ModelFile, OfAnEngineWhoseScoresWouldBeOthersIsRefused) {
  auto facts = tests::facts_of_features();
  const auto as_of = [&](int version) {
    return with(encode_facts(facts), "job", sweeps::canonical_text(facts.job, version));
  };
  EXPECT_THAT(refusal(as_of(sweeps::kEngineVersion + 1)),
              AllOf(HasSubstr("engine version " + std::to_string(sweeps::kEngineVersion + 1)), HasSubstr("newer")));
  EXPECT_THAT(refusal(as_of(kOldestScoringEngine - 1)),
              AllOf(HasSubstr("engine version " + std::to_string(kOldestScoringEngine - 1)), HasSubstr("train again")));
}

TEST(ModelFile, LacksNothing) {
  const auto metadata = encode_facts(tests::facts_of_features());
  for (const auto& [name, text] : metadata) {
    if (name == "auroc" || name == "threshold" || name == "program") continue;
    EXPECT_THAT(refusal(without(metadata, name)), HasSubstr(name == "format" ? "no detector" : name.c_str())) << name;
  }
}

TEST(ModelFile, RefusesFactsThatCannotBe) {
  const auto metadata = encode_facts(tests::facts_of_features());
  const auto refused = [&](const char* name, const char* text) {
    EXPECT_THAT(refusal(with(metadata, name, text)), AllOf(StartsWith("m.safetensors"), HasSubstr(name))) << text;
  };
  refused("which", "first");
  refused("epoch", "3");
  refused("epoch", "-1");
  refused("epoch", "2.5");
  refused("auroc", "1.5");
  refused("threshold", "-0.1");
  refused("threshold", "nan");
  refused("contents", "");
  refused("normal_classes", R"(["bad"])");
  refused("mean", "[0,0,0]");
  refused("std", "[1,2,3,4]");
  refused("key", "0");
  refused("features", "{}");
  EXPECT_THAT(refusal(with(metadata, "classes", R"(["bad"])")), HasSubstr("it has no class \"good\""));
  EXPECT_THAT(refusal(with(metadata, "row_length", "9")),
              HasSubstr("its rows have 9 numbers, those of its features 8"));
  EXPECT_THAT(refusal(with(metadata, "features", tests::facts_of_images().features_identity)),
              HasSubstr("its features are of raw32, its job is of features"));
}

TEST(ModelFile, IsNotWrittenWithFactsThatCannotBe) {
  auto facts = tests::facts_of_features();
  facts.epoch = 3;
  EXPECT_THROW(encode_facts(facts), std::logic_error);
  facts = tests::facts_of_images();
  facts.mean.clear();
  EXPECT_THROW(encode_facts(facts), std::logic_error);
}

}  // namespace
}  // namespace workers
