// Parts of feature sets, made of images of many sizes while others are being read.
#include "workers/feature_parts.hpp"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plume/backbone.hpp"
#include "storage/error.hpp"
#include "storage/feature_file.hpp"
#include "tests/datasets/jpeg_writer.hpp"
#include "tests/temporary_folder.hpp"
#include "workers/checksums.hpp"
#include "workers/feature_set.hpp"
#include "workers/raw_images.hpp"
#include "workers/row_scan.hpp"

namespace workers {
namespace {

using datasets::Split;
using testing::HasSubstr;

/// Forty images of four sizes, so two batches; a task for thirty-seven of them.
class Part : public testing::Test {
 protected:
  Part() {
    for (int i = 0; i < 40; ++i) {
      const std::string name = (i < 10 ? "train/cat/0" : "train/cat/") + std::to_string(i) + ".jpg";
      tests::write_text(folder_ / name, datasets_test::jpeg(20 + 9 * (i % 4), 30 - 5 * (i % 4), 6 * i));
    }
    for (const char* name : {"train/dog/1.jpg", "test/cat/1.jpg"}) {
      tests::write_text(folder_ / name, datasets_test::jpeg(8, 8, 1));
    }
    auto& recipe = task_.recipe;
    recipe.data.spec.id = "pets";
    recipe.data.spec.kind = "image-folder";
    recipe.data.root = folder_.path().string();
    recipe.backbone = "efficientnet-lite0";
    recipe.weights = "random:1";
    recipe.mean = {0.4, 0.5, 0.6};
    recipe.std_dev = {0.2, 0.25, 0.3};
    recipe.identity = R"({"weights":"random:1"})";
    recipe.id = std::string(32, 'a');
    recipe.row_length = 1280;
    data_ = datasets::open_dataset(recipe.data.spec, recipe.data.root);
    for (const std::int64_t row : data_rows()) add(row);
  }
  static std::vector<std::int64_t> data_rows() {
    std::vector<std::int64_t> rows;
    for (std::int64_t row = 0; row < 40; ++row) {
      if (row != 3 && row != 4 && row != 39) rows.push_back(row);
    }
    return rows;
  }
  void add(std::int64_t row) {
    task_.rows.push_back(row);
    const auto scanned = scan_row(*data_, {task_.recipe.data, Split::train, row, 1, 32}, row).crc32c;
    task_.checksums.push_back(checksum_with_class(scanned, "cat"));
    task_.recipe.row_count = ++task_.count;
  }
  datasets::Image image(std::int64_t row) const {
    return dynamic_cast<const datasets::Images&>(*data_).read(Split::train, row);
  }
  Extracted extract(int threads, const std::string& cache) {
    task_.recipe.cache = (folder_ / cache).string();
    return extract_part(
        task_, [this]() -> const datasets::Dataset& { return *data_; }, maker_, threads, [this] { ++moved_; });
  }
  storage::FeatureTable part() const {
    return storage::read_feature_file(part_file(task_.recipe.cache, task_.recipe.id, task_.part),
                                      row_kind_of(task_.recipe.backbone),
                                      task_.recipe.identity + "#rows 0+" + std::to_string(task_.count));
  }

  tests::TemporaryFolder folder_;
  ExtractTask task_;
  std::unique_ptr<datasets::Dataset> data_;
  RowMaker maker_;
  int moved_ = 0;
};

/// Every image resized alone, thirty-two of them through the backbone at once: how rows were made when nothing was read
/// ahead.
std::vector<float> rows_made_one_by_one(const std::vector<datasets::Image>& images) {
  const auto backbone = plume::load_backbone("efficientnet-lite0", "random:1");
  std::vector<float> rows;
  for (std::size_t begin = 0; begin < images.size(); begin += 32) {
    std::vector<at::Tensor> batch;
    for (auto i = begin; i < std::min(begin + 32, images.size()); ++i) {
      batch.push_back(plume::preprocess(as_tensor(images[i]).unsqueeze(0), {0.4, 0.5, 0.6}, {0.2, 0.25, 0.3}, 224));
    }
    const at::Tensor features = backbone->forward(at::cat(batch)).contiguous();
    rows.insert(rows.end(), features.const_data_ptr<float>(), features.const_data_ptr<float>() + features.numel());
  }
  return rows;
}

TEST_F(Part, HasTheRowsThatImagesMadeOneByOneHaveForAnyNumberOfThreads) {
  std::vector<datasets::Image> images;
  for (const auto row : task_.rows) images.push_back(image(row));
  const auto expected = rows_made_one_by_one(images);
  for (const int threads : {1, 3}) {
    const auto extracted = extract(threads, "cache" + std::to_string(threads));
    EXPECT_EQ(extracted.rows, 37);
    EXPECT_GT(extracted.spent.computing, 0);
    EXPECT_GT(extracted.spent.writing, 0);
    EXPECT_EQ(part().features(), expected) << threads;
  }
  EXPECT_EQ(moved_, 4) << "each batch is a sign of life";
  EXPECT_EQ(part().ids[3], "train/cat/05.jpg") << "rows 3 and 4 are not among them";
}

TEST_F(Part, ThatIsThereIsTakenAndCostsNoTime) {
  extract(1, "cache");
  const auto again = extract(1, "cache");
  EXPECT_EQ(again.rows, 37);
  EXPECT_EQ(again.spent, Spent{});
}

TEST_F(Part, NamesTheFirstRowThatHasChanged) {
  tests::write_text(folder_ / "train/cat/20.jpg", datasets_test::jpeg(9, 9, 9));
  tests::write_text(folder_ / "train/cat/30.jpg", "no picture");
  try {
    extract(3, "cache");
    ADD_FAILURE() << "no error";
  } catch (const storage::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("train/cat/20.jpg has changed since it was scanned"));
  }
}

TEST_F(Part, RefusesARowThatTheDataSetHasNot) {
  task_.rows.back() = 41;
  try {
    extract(1, "cache");
    ADD_FAILURE() << "no error";
  } catch (const storage::Error& error) {
    EXPECT_STREQ(error.what(),
                 "pets: the train split has 41 rows, row 41 was wanted: the data changed during the run; run again");
  }
}

TEST_F(Part, OfRawImagesHasTheirBytes) {
  task_.recipe.backbone = "raw32";
  task_.recipe.weights = "";
  task_.recipe.identity = "{}";
  task_.recipe.row_length = storage::kImageLength;
  extract(2, "cache");
  const auto table = part();
  EXPECT_EQ(table.images().size(), 37U * 3072U);
  std::vector<std::uint8_t> expected;
  for (const auto row : task_.rows) append_raw_image(image(row), 0, expected);
  EXPECT_EQ(table.images(), expected);
}

}  // namespace
}  // namespace workers
