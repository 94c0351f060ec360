// What a row of the SPARK data sets is, in each layout. The errors are spark_errors_test's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "datasets/box.hpp"
#include "datasets/dataset.hpp"
#include "datasets/exact_resize.hpp"
#include "datasets/jpeg.hpp"
#include "storage/error.hpp"
#include "tests/datasets/jpeg_writer.hpp"
#include "tests/datasets/spark_files.hpp"

namespace {

namespace fs = std::filesystem;
using datasets::Box;
using datasets::Image;
using datasets::Images;
using datasets::Split;
using datasets_test::jpeg;
using datasets_test::Spark2021Files;
using datasets_test::Spark2022Files;
using storage_test::write_plainly;
using testing::ElementsAre;

std::vector<std::string> row_ids(const Images& data, Split split) {
  std::vector<std::string> ids;
  for (std::int64_t i = 0; i < data.size(split); ++i) ids.push_back(data.row_id(split, i));
  return ids;
}

std::vector<int> labels(const Images& data, Split split) {
  std::vector<int> found;
  for (std::int64_t i = 0; i < data.size(split); ++i) found.push_back(data.label(split, i));
  return found;
}

TEST(Spark2021, HasTheOfficialClassesByName) {
  const Spark2021Files files;
  const auto data = files.open();
  EXPECT_THAT(data->classes(), ElementsAre("AcrimSat", "Aquarius", "Aura", "Calipso", "Cloudsat", "CubeSat", "Debris",
                                           "Jason", "Sentinel-6", "Terra", "TRMM"));
  EXPECT_THAT(labels(*data, Split::train), ElementsAre(10, 9, 2, 6)) << "TRMM, Terra, Aura, Debris";
  EXPECT_THAT(labels(*data, Split::test), ElementsAre(6, 8));
}

TEST(Spark2021, KeepsTheOrderOfItsFilesWhereIdsAndNamesRepeatAcrossClasses) {
  const Spark2021Files files;
  const auto data = files.open();
  EXPECT_THAT(row_ids(*data, Split::train), ElementsAre("train_rgb/TRMM/img_7.jpg", "train_rgb/Terra/img_7.jpg",
                                                        "train_rgb/Aura/img_2.jpg", "train_rgb/Debris/img_1.jpg"));
  EXPECT_THAT(row_ids(*data, Split::test),
              ElementsAre("validate_rgb/Debris/img_1.jpg", "validate_rgb/Sentinel-6/img_1.jpg"));
}

TEST(Spark2021, IsTheSameInEveryLayout) {
  const Spark2021Files files;
  const auto nested = files.open();
  fs::rename(files.root() / "train/train_rgb", files.root() / "train_rgb");
  fs::rename(files.root() / "validate/validate_rgb", files.root() / "validate_rgb");
  fs::rename(files.root() / "train_labels.csv", files.root() / "train/train_labels.csv");
  const auto flat = files.open();
  for (const Split split : {Split::train, Split::test}) {
    EXPECT_EQ(row_ids(*flat, split), row_ids(*nested, split));
    EXPECT_EQ(labels(*flat, split), labels(*nested, split));
  }
  EXPECT_EQ(flat->read(Split::train, 0).height, 12);
}

TEST(Spark2021, FindsColumnsByNameInAnyOrder) {
  const Spark2021Files files;
  write_plainly(files.root() / "train_labels.csv",
                "bbox,image,more,class\n\"[0, 0, 3, 4]\",img_7.jpg,,Terra\n\"[0,0,4,3]\",img_2.jpg,,Aura\n");
  const auto data = files.open();
  EXPECT_THAT(labels(*data, Split::train), ElementsAre(9, 2));
  EXPECT_EQ(data->read(Split::train, 1).height, 4);
}

TEST(Spark2021, CropsToTheBoxRowsFirst) {
  const Spark2021Files files;
  const Image whole = datasets::decode_jpeg(jpeg(40, 30, 7), "whole");
  const Image part = files.open()->read(Split::train, 0);
  EXPECT_EQ(part.height, 12);
  EXPECT_EQ(part.width, 5);
  EXPECT_EQ(part.rgb, datasets::crop(whole, Box{2, 20, 14, 25})->rgb);
  EXPECT_EQ(part.rgb[0], whole.rgb[3 * (2 * 40 + 20)]);
}

TEST(Spark2021, CutsABoxThatLeavesTheImage) {
  const Spark2021Files files;
  const Image part = files.open()->read(Split::train, 1);  // [-4, 30, 10, 99] of 30 rows and 40 columns
  EXPECT_EQ(part.height, 10);
  EXPECT_EQ(part.width, 10);
}

TEST(Spark2021, Of32PixelsIsWhatTheReleasedCodePacks) {
  const Spark2021Files files;
  const auto crops = files.open();
  const auto packed = files.open({.size = 32});
  EXPECT_EQ(packed->read(Split::train, 0).rgb, datasets::exact_resize(crops->read(Split::train, 0), 512, 32).rgb);
  EXPECT_EQ(packed->first_square(), 0);
  EXPECT_FALSE(packed->may_differ_in_size());
  EXPECT_EQ(crops->first_square(), 512);
  EXPECT_TRUE(crops->may_differ_in_size());
}

TEST(Spark2021, TrainsOnTheSatellitesTogetherAndNeverOnDebris) {
  const Spark2021Files files;
  const auto data = files.open();
  EXPECT_THAT(data->normal_sets(), ElementsAre(sweeps::NormalSet{"satellites", {"Debris"}, true}));
  EXPECT_THAT(data->only_anomalies(), ElementsAre("Debris"));
  EXPECT_EQ(data->averaging(), datasets::Averaging::images);
}

TEST(Spark2022, HasTheOfficialClassesAndTheOrderOfItsFiles) {
  const Spark2022Files files;
  const auto data = files.open();
  EXPECT_THAT(data->classes(),
              ElementsAre("proba_2", "cheops", "debris", "double_star", "earth_observation_sat_1", "lisa_pathfinder",
                          "proba_3_csc", "proba_3_ocs", "smart_1", "soho", "xmm_newton"));
  EXPECT_THAT(labels(*data, Split::train), ElementsAre(9, 0, 2));
  EXPECT_THAT(labels(*data, Split::test), ElementsAre(2, 10));
  EXPECT_THAT(row_ids(*data, Split::train), ElementsAre("train/img3.jpg", "train/img1.jpg", "train/img2.jpg"));
  EXPECT_THAT(row_ids(*data, Split::test), ElementsAre("val/img1.jpg", "val/img9.jpg"));
  EXPECT_THAT(data->normal_sets(), ElementsAre(sweeps::NormalSet{"satellites", {"debris"}, true}));
  EXPECT_THAT(data->only_anomalies(), ElementsAre("debris"));
}

TEST(Spark2022, CropsToTheBoxRowsFirst) {
  const Spark2022Files files;
  const Image part = files.open()->read(Split::train, 0);
  EXPECT_EQ(part.height, 8);
  EXPECT_EQ(part.width, 3);
  EXPECT_EQ(part.rgb, datasets::crop(datasets::decode_jpeg(jpeg(24, 20, 3), "whole"), Box{1, 9, 9, 12})->rgb);
}

TEST(SparkStamp, FollowsLabelsAndImages) {
  const Spark2022Files files;
  const std::string stamp = files.open()->stamp();
  EXPECT_EQ(files.open()->stamp(), stamp);
  write_plainly(files.root() / "val/img9.jpg", jpeg(24, 21, 3));
  const std::string other_image = files.open()->stamp();
  EXPECT_NE(other_image, stamp);
  write_plainly(files.root() / "val.csv",
                "class,filename,bbox\ndebris,img1.jpg,\"[1, 2, 9, 12]\"\nxmm_newton,img9.jpg,\"[0, 0, 4, 5]\"\n");
  EXPECT_NE(files.open()->stamp(), other_image);
}

TEST(SparkStamp, NotesAnImageThatMayBeMissing) {
  const Spark2022Files files;
  const auto data = files.open({.skip = 0.5});
  const std::string whole = data->stamp();
  fs::remove(files.root() / "train/img1.jpg");
  EXPECT_NE(data->stamp(), whole);
  EXPECT_EQ(data->stamp(), files.open({.skip = 0.5})->stamp());
}

}  // namespace
