// What a person sees of an epoch.
#include "runner/epoch_line.hpp"

#include <gtest/gtest.h>

namespace runner {
namespace {

results::EpochRecord seventh() {
  results::EpochRecord record;
  record.epoch = 7;
  record.ranking = {0.81234, 0.4, 0.9, 0.7149};
  record.losses = results::LossTerms{1.2341, 0.5, 0.5, 0.2, 0};
  record.learning_rate = 0.000418;
  return record;
}

TEST(EpochLine, ShowsTheRecordOfATraining) {
  EXPECT_EQ(epoch_text(seventh()), "epoch 7: AUROC 0.8123, AP 0.40, FPR95 0.71, loss 1.234, lr 4.2e-04");
}

TEST(EpochLine, ShowsSmallAndLargeLossesInFourDigits) {
  auto record = seventh();
  record.losses->total = -0.00123412;
  EXPECT_NE(epoch_text(record).find("loss -0.001234,"), std::string::npos) << epoch_text(record);
  record.losses->total = 1234567;
  EXPECT_NE(epoch_text(record).find("loss 1.235e+06,"), std::string::npos) << epoch_text(record);
}

TEST(EpochLine, LeavesOutWhatABaselineHasNot) {
  auto record = seventh();
  record.epoch = 0;
  record.losses.reset();
  record.learning_rate.reset();
  EXPECT_EQ(epoch_text(record), "epoch 0: AUROC 0.8123, AP 0.40, FPR95 0.71");
}

TEST(EpochLine, SaysWhyTheRankingIsUndefined) {
  auto record = seventh();
  record.ranking.reset();
  record.undefined = "the test split has no anomalies";
  EXPECT_EQ(epoch_text(record), "epoch 7: AUROC undefined (the test split has no anomalies), loss 1.234, lr 4.2e-04");
}

}  // namespace
}  // namespace runner
