// What is known of backbones, and of the pseudo-backbone that no sweep names.
#include "sweeps/backbones.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/error.hpp"
#include "sweeps/sweep.hpp"

namespace sweeps {
namespace {

TEST(Backbones, TakeOneSizeOfInputBecauseAScanSumsOneSquare) {
  for (const auto& facts : known_backbones()) EXPECT_EQ(facts.input_size, 224) << facts.name;
}

TEST(Backbones, KnowRawImagesWithoutOfferingThem) {
  EXPECT_EQ(backbone_facts(kRawImages).row_length, 3072);
  EXPECT_EQ(backbone_facts(kRawImages).input_size, 32);
  EXPECT_EQ(backbone_facts(kRawImages).weights_file, "");
  EXPECT_THAT(backbone_names(), testing::Not(testing::Contains(kRawImages)));
}

TEST(Backbones, OfAJobIsItsOwnOrRawImagesForPladAndRotation) {
  Job job;
  job.backbone = "efficientnet-lite0";
  EXPECT_EQ(backbone_of(job), "efficientnet-lite0");
  for (const Method method : {Method::plad, Method::rotation}) {
    job.method = method;
    EXPECT_EQ(backbone_of(normalised(job)), kRawImages);
  }
}

TEST(Backbones, RefuseRawImagesInASweepAndSayHowToGetThem) {
  try {
    parse_sweep(R"({"version": 1, "name": "s", "blocks": [{"dataset": "cifar10", "backbone": "raw32"}]})", "s.json");
    FAIL() << "nothing was refused";
  } catch (const storage::UsageError& error) {
    EXPECT_STREQ(error.what(),
                 "s.json: blocks[0].backbone: \"raw32\" is no backbone: for the images themselves write \"method\": "
                 "\"plad\"");
  }
}

TEST(Backbones, MayHaveRandomWeightsOfASeed) {
  EXPECT_EQ(random_weights_seed("random:0"), 0u);
  EXPECT_EQ(random_weights_seed("random:9999"), kLastWeightsSeed);
  EXPECT_EQ(random_weights_seed("/weights/random:7"), std::nullopt);
  EXPECT_EQ(random_weights_seed("random"), std::nullopt);
}

TEST(Backbones, RefuseRandomWeightsWithoutAProperSeed) {
  for (const char* bad : {"random:", "random:x", "random:-1", "random:01", "random:10000", "random:99999999999"}) {
    try {
      random_weights_seed(bad);
      FAIL() << bad << " was not refused";
    } catch (const storage::UsageError& error) {
      EXPECT_EQ(error.what(), "weights \"" + std::string(bad) +
                                  "\": expected random:SEED with a seed from 0 to 9999; for a file of that name write "
                                  "\"./" +
                                  bad + "\"");
    }
  }
}

}  // namespace
}  // namespace sweeps
