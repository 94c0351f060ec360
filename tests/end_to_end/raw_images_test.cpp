// Method plad through the real binary: images are decoded once into the cache, and no weights are asked for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "datasets/dataset.hpp"
#include "storage/feature_file.hpp"
#include "tests/datasets/jpeg_writer.hpp"
#include "tests/end_to_end/program.hpp"
#include "tests/temporary_folder.hpp"

namespace tests {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// One training of three batches an epoch.
void write_sweep(const TemporaryFolder& folder) {
  write_text(folder / "sweep.json", R"({"version": 1, "name": "images",
    "datasets": {"synthetic": {"kind": "synthetic", "classes": 2, "train_per_class": 24, "test_per_class": 12}},
    "blocks": [{"dataset": "synthetic", "classes": ["ring"], "method": "plad", "lr": 1e-4, "batch_size": 8, "epochs": 2,
                "seeds": 1}]})");
}

std::vector<std::string> arguments(const std::string& out, const std::vector<std::string>& more = {}) {
  std::vector<std::string> list = {"run",   "sweep.json", "--out", out,         "--cache",
                                   "cache", "--workers",  "1",     "--threads", "1"};
  list.insert(list.end(), more.begin(), more.end());
  return list;
}
std::vector<std::string> command(const std::string& out) {
  auto list = arguments(out);
  list.insert(list.begin(), program().string());
  return list;
}

/// Weights are nowhere to be found.
const std::vector<std::string> kNoWeights = {"TORCH_HOME=/nowhere"};

std::string log_of(const TemporaryFolder& folder, const std::string& out) {
  return read_text(folder / (out + "/logs/run.log"));
}
std::string table_of(const TemporaryFolder& folder, const std::string& out) {
  return read_text(folder / (out + "/report/tables/synthetic.csv"));
}

std::vector<fs::path> sets_in(const fs::path& cache) {
  std::vector<fs::path> sets;
  for (const auto& entry : fs::directory_iterator(cache)) {
    if (entry.path().extension() == ".h5") sets.push_back(entry.path());
  }
  return sets;
}

TEST(RawImages, AreDecodedOnceForTwoRunsAtOnceAndALaterOne) {
  const TemporaryFolder folder;
  write_sweep(folder);
  {
    Running first(command("first"), folder.path(), kNoWeights);
    Running second(command("second"), folder.path(), kNoWeights);
    for (auto* run : {&first, &second}) {
      const auto ended = run->wait();
      EXPECT_EQ(ended.status, 0) << ended.errors;
    }
  }
  // On a busy machine either of the two may find all done by the other.
  EXPECT_THAT(log_of(folder, "first") + log_of(folder, "second"), HasSubstr("extract synthetic train through raw32"));
  EXPECT_THAT(table_of(folder, "first"), HasSubstr("plad,ring,best"));
  EXPECT_EQ(table_of(folder, "second"), table_of(folder, "first"));
  EXPECT_EQ(sets_in(folder / "cache").size(), 2U) << "train and test";

  const auto third = run_program(arguments("third", {"--only", "seed=0"}), folder.path(), kNoWeights);
  EXPECT_EQ(third.status, 0) << third.errors;
  EXPECT_THAT(log_of(folder, "third"), AllOf(Not(HasSubstr("extract ")), Not(HasSubstr("scan "))));
  EXPECT_THAT(third.errors, testing::ContainsRegex("plad seed 0 epoch 1: AUROC [01]\\.[0-9]{4}, AP [01]\\.[0-9]{2}, "
                                                   "FPR95 [01]\\.[0-9]{2}, loss [0-9.e+]+, lr [0-9.]+e-[0-9]+\n"));
  EXPECT_EQ(table_of(folder, "third"), table_of(folder, "first"));
  EXPECT_THAT(run_program(arguments("third"), folder.path(), kNoWeights).errors, HasSubstr("1 done, 0 to run"));
}

TEST(RawImages, ThatAreDamagedInTheCacheAreNamedAndDecodedAgain) {
  const TemporaryFolder folder;
  write_sweep(folder);
  ASSERT_EQ(run_program(arguments("first"), folder.path()).status, 0);
  const auto sets = sets_in(folder / "cache");
  ASSERT_EQ(sets.size(), 2U);
  for (const auto& set : sets) {
    auto bytes = read_text(set);
    bytes[bytes.size() / 2] ^= 1;
    write_text(set, bytes);
  }
  const auto again = run_program(arguments("second"), folder.path());
  EXPECT_EQ(again.status, 0) << again.errors;
  for (const auto& set : sets) {
    EXPECT_THAT(again.errors, HasSubstr(set.filename().string() + ".damaged and made again"));
    EXPECT_TRUE(fs::exists(set.string() + ".damaged"));
  }
  EXPECT_EQ(table_of(folder, "second"), table_of(folder, "first"));
  EXPECT_THAT(run_program(arguments("first"), folder.path()).errors, HasSubstr("1 done, 0 to run"))
      << "the same bytes as those that its result rests on";
}

/// Byte of the decoded picture.
double red_of(const datasets::Image& image, int row, int column) {
  return image.rgb.at(static_cast<std::size_t>(3 * (row * image.width + column)));
}

TEST(RawImages, OfAFolderAreResizedTo32PixelsASideAndRoundedDown) {
  using datasets_test::jpeg;
  const TemporaryFolder folder;
  write_text(folder / "pictures/train/cat/1.jpg", jpeg(48, 40, 10));
  write_text(folder / "pictures/train/cat/2.jpg", jpeg(32, 32, 60));
  write_text(folder / "pictures/train/dog/1.jpg", jpeg(48, 40, 200));
  write_text(folder / "pictures/test/cat/1.jpg", jpeg(48, 40, 20));
  write_text(folder / "pictures/test/dog/1.jpg", jpeg(48, 40, 190));
  write_text(folder / "sweep.json", R"({"version": 1, "name": "s", "datasets": {"pets": {"kind": "image-folder"}},
    "blocks": [{"dataset": "pets", "classes": ["cat"], "method": "plad", "lr": 1e-4, "epochs": 1, "seeds": 1}]})");
  const auto ended = run_program(arguments("out", {"--data", "pets=pictures"}), folder.path(), kNoWeights);
  ASSERT_EQ(ended.status, 0) << ended.errors;

  storage::FeatureTable train;
  for (const auto& set : sets_in(folder / "cache")) {
    const auto header = storage::read_feature_header(set);
    if (header.row_count == 3) train = storage::read_feature_file(set, storage::RowKind::images, header.identity);
  }
  ASSERT_EQ(train.row_count, 3);
  const auto pets =
      datasets::open_images(sweeps::read_sweep(folder / "sweep.json").datasets.at(0), folder / "pictures");
  ASSERT_EQ(train.ids.at(0), pets->row_id(datasets::Split::train, 0));
  // Output pixel (row 10, column 20) of a 48 x 40 picture is centred at row 10.5 * 40 / 32 - 0.5 = 12.625 and column
  // 20.5 * 48 / 32 - 0.5 = 30.25.
  const auto picture = pets->read(datasets::Split::train, 0);
  ASSERT_EQ(picture.width, 48);
  const double above = 0.75 * red_of(picture, 12, 30) + 0.25 * red_of(picture, 12, 31);
  const double below = 0.75 * red_of(picture, 13, 30) + 0.25 * red_of(picture, 13, 31);
  EXPECT_EQ(train.images().at(10 * 32 + 20), static_cast<int>(0.375 * above + 0.625 * below));
  // The second is 32 x 32: its own bytes. Red, row 31, column 5.
  EXPECT_EQ(train.images().at(3072 + 31 * 32 + 5), red_of(pets->read(datasets::Split::train, 1), 31, 5));
}

}  // namespace
}  // namespace tests
