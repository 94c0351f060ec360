// SPARK 2022 as it is given out, and the same images in the layout of SPARK 2021. Needs the archive of a sample, which
// is not part of the tree: $PLUME_IMAGE_ARCHIVES, or ../shared/data beside it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "datasets/csv.hpp"
#include "datasets/dataset.hpp"
#include "tests/storage/plain_files.hpp"

namespace {

namespace fs = std::filesystem;
using datasets::Images;
using datasets::Split;
using storage_test::TemporaryFolder;
using testing::ElementsAre;

fs::path archive() {
  const char* given = std::getenv("PLUME_IMAGE_ARCHIVES");
  return (given != nullptr ? fs::path(given) : fs::path(PLUME_SOURCE_DIR).parent_path() / "shared" / "data") /
         "spark2022-mini.tar.xz";
}

/// A name of SPARK 2021 for each class of SPARK 2022.
const std::map<std::string, std::string> kNames2021 = {{"proba_2", "TRMM"},
                                                       {"cheops", "Terra"},
                                                       {"debris", "Debris"},
                                                       {"double_star", "Aura"},
                                                       {"earth_observation_sat_1", "Sentinel-6"},
                                                       {"lisa_pathfinder", "Jason"},
                                                       {"proba_3_csc", "CubeSat"},
                                                       {"proba_3_ocs", "Cloudsat"},
                                                       {"smart_1", "Calipso"},
                                                       {"soho", "Aquarius"},
                                                       {"xmm_newton", "AcrimSat"}};

/// Writes a split of `from` (SPARK 2022) into `to` as SPARK 2021 has it: ids and file names count within a class.
void write_as_2021(const fs::path& from, const std::string& split, const fs::path& to, const std::string& split_2021) {
  std::string labels = "class,id,image,depth,bbox,illumination\n";
  std::map<std::string, int> ids;
  datasets::CsvReader csv(from / (split + ".csv"));
  while (const auto row = csv.next()) {
    const std::string name = kNames2021.at(row->fields[csv.column("class")]);
    const std::string id = std::to_string(++ids[name]);
    const fs::path image = to / split_2021 / (split_2021 + "_rgb") / name / ("img_" + id + ".jpg");
    fs::create_directories(image.parent_path());
    fs::create_symlink(from / split / row->fields[csv.column("filename")], image);
    labels +=
        name + "," + id + ",img_" + id + ".jpg,depth_" + id + ".png,\"" + row->fields[csv.column("bbox")] + "\",1\n";
  }
  storage_test::write_plainly(to / (split_2021 + "_labels.csv"), labels);
}

/// Every row is decoded and compared; returns the bytes seen.
std::size_t expect_same_rows(const Images& of_2022, const Images& of_2021, Split split) {
  std::size_t bytes = 0;
  EXPECT_EQ(of_2022.size(split), of_2021.size(split));
  for (std::int64_t i = 0; i < of_2022.size(split); ++i) {
    const auto& name = of_2022.classes().at(static_cast<std::size_t>(of_2022.label(split, i)));
    EXPECT_EQ(of_2021.classes().at(static_cast<std::size_t>(of_2021.label(split, i))), kNames2021.at(name)) << i;
    const auto image = of_2022.read(split, i);
    EXPECT_EQ(of_2021.read(split, i).rgb, image.rgb) << of_2022.row_id(split, i);
    bytes += image.rgb.size();
  }
  return bytes;
}

TEST(RealSpark, IsTheSameInTheLayoutsOf2022And2021) {
  if (!fs::exists(archive())) GTEST_SKIP() << archive() << " is not there: it is not part of the tree";
  const TemporaryFolder folder;
  const std::string command = "tar -xf '" + archive().string() + "' -C '" + folder.path().string() + "'";
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  const fs::path root = folder / "spark2022-mini";
  write_as_2021(root, "train", folder / "2021", "train");
  write_as_2021(root, "val", folder / "2021", "validate");

  const auto of_2022 = datasets::open_images({.id = "spark2022", .kind = "spark2022"}, root);
  const auto of_2021 = datasets::open_images({.id = "spark2021", .kind = "spark2021"}, folder / "2021");
  EXPECT_THAT(rows_of_classes(*of_2022, Split::train), ElementsAre(90, 87, 82, 86, 78, 84, 84, 74, 80, 79, 83));
  EXPECT_THAT(rows_of_classes(*of_2022, Split::test), ElementsAre(30, 30, 32, 33, 33, 33, 36, 31, 34, 34, 36));
  EXPECT_GT(expect_same_rows(*of_2022, *of_2021, Split::train), 0u);
  EXPECT_GT(expect_same_rows(*of_2022, *of_2021, Split::test), 0u);
}

}  // namespace
