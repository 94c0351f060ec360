// Rows of feature sets: only from the weights that the identity names, only from data sets that have such rows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/error.hpp"
#include "tests/storage/plain_files.hpp"
#include "workers/checksums.hpp"
#include "workers/row_maker.hpp"
#include "workers/row_scan.hpp"

namespace workers {
namespace {

using storage_test::message_of;
using storage_test::TemporaryFolder;
using testing::HasSubstr;

class RowMakerTest : public testing::Test {
 protected:
  RowMakerTest() {
    recipe_.data.spec.id = recipe_.data.spec.kind = "synthetic";
    recipe_.backbone = "resnet50";
    recipe_.weights = (folder_ / "resnet50-0676ba61.pth").string();
    recipe_.identity = R"({"weights":")" + std::string(64, 'a') + "\"}";
    storage_test::write_plainly(recipe_.weights, "abc");  // SHA-256 ba7816bf...
  }
  std::string refusal(const FeatureRecipe& recipe) {
    return message_of<storage::Error>([&] {
      const auto data = datasets::open_dataset(recipe.data.spec, "");
      maker_.steps_of(recipe, *data);
    });
  }
  TemporaryFolder folder_;
  FeatureRecipe recipe_;
  RowMaker maker_;
};

TEST_F(RowMakerTest, TakesNoWeightsButThoseThatWereHashedWhenTheRunBegan) {
  EXPECT_EQ(refusal(recipe_), recipe_.weights +
                                  ": these are not the weights that the run began with: their SHA-256 begins with "
                                  "ba7816bf, not with aaaaaaaa; run again, and let the file alone meanwhile");
  recipe_.identity = R"({"weights":"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"})";
  EXPECT_THAT(refusal(recipe_), HasSubstr("resnet50-0676ba61.pth: not a weight file")) << "those are read";
}

TEST_F(RowMakerTest, RefusesADataSetWithoutSuchRows) {
  recipe_.backbone = "features";
  EXPECT_EQ(refusal(recipe_), "data set synthetic: its kind has not the rows that the task is about");
}

TEST_F(RowMakerTest, MakesRowsOnlyOfWhatTheScanSaw) {
  for (const char* name : {"train.npy", "train_labels.npy", "test.npy", "test_labels.npy"}) {
    std::filesystem::copy_file(std::filesystem::path(PLUME_SOURCE_DIR) / "tests/storage/arrays" / name, folder_ / name);
  }
  recipe_.data.spec.id = "mine";
  recipe_.data.spec.kind = "features";
  recipe_.data.root = folder_.path().string();
  recipe_.backbone = "features";
  const auto data = datasets::open_dataset(recipe_.data.spec, recipe_.data.root);
  const auto steps = maker_.steps_of(recipe_, *data);
  const auto scanned = scan_row(*data, {recipe_.data, datasets::Split::train, 0, 6, 224}, 2).crc32c;
  storage::Rows rows;
  steps.append({steps.read({2, checksum_with_class(scanned, "M\xC3\xB6we")})}, rows);
  EXPECT_THAT(std::get<std::vector<float>>(rows), testing::ElementsAre(2, 2.5, -2));
  const std::string message = "train.npy#2 has changed since it was scanned; let the files alone and run again";
  EXPECT_EQ(message_of<storage::Error>([&] {
              steps.read({2, checksum_with_class(scanned ^ 1, "M\xC3\xB6we")});
            }),
            message);
  EXPECT_EQ(message_of<storage::Error>([&] {
              steps.read({2, checksum_with_class(scanned, "owl")});
            }),
            message)
      << "another label";
}

TEST(Checksums, AreReadBackFromTheirDigits) {
  const std::vector<std::uint32_t> checksums = {0, 0xfedcba98, 1};
  EXPECT_EQ(hex_of(checksums), "00000000fedcba9800000001");
  EXPECT_EQ(checksums_of(hex_of(checksums)), checksums);
  EXPECT_EQ(checksums_of("0000000"), std::nullopt);
  EXPECT_EQ(checksums_of("0000000g"), std::nullopt);
}

}  // namespace
}  // namespace workers
