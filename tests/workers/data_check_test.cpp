// What a check says of a data set.
#include "workers/data_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/digest.hpp"
#include "storage/error.hpp"
#include "tests/workers/made_up_images.hpp"

namespace workers {
namespace {

using datasets::Split;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::StartsWith;
using workers_test::MadeUpImages;
using workers_test::MadeUpRow;
using workers_test::two_pixels;

/// Of a data set in memory, as the trainer scans it.
SplitScan scan_of(const MadeUpImages& data, Split split) {
  std::vector<int> labels;
  std::vector<ScannedImage> images;
  for (std::int64_t i = 0; i < data.size(split); ++i) {
    labels.push_back(data.label(split, i));
    ScannedImage scanned;
    if (data.is_damaged(split, i)) {
      scanned.fault = "/data/" + data.row_id(split, i) + ": damaged JPEG image";
      images.push_back(scanned);
      continue;
    }
    const auto image = data.read(split, i);
    scanned.width = image.width;
    scanned.height = image.height;
    scanned.crc32c = storage::crc32c({reinterpret_cast<const char*>(image.rgb.data()), image.rgb.size()});
    scanned.sums = scanned.squares = {0, 0, 0};
    for (std::size_t b = 0; b < image.rgb.size(); ++b) {
      scanned.sums[b % 3] += image.rgb[b];
      scanned.squares[b % 3] += image.rgb[b] * image.rgb[b];
    }
    images.push_back(scanned);
  }
  return merge_scan(data.classes(), labels, images, {});
}

class DataCheck : public testing::Test {
 protected:
  explicit DataCheck() {
    spec_.id = "mine";
    spec_.kind = "image-folder";
    say_ = {[this](const std::string& label, const std::string& text) {
              facts_.push_back(label.empty() ? text : label + ": " + text);
            },
            [this](const std::string& note) { notes_.push_back(note); }};
  }
  void say_scan(const MadeUpImages& data) {
    const std::array<SplitScan, 2> scan = {scan_of(data, Split::train), scan_of(data, Split::test)};
    say_skipped({spec_, data, {}}, scan, say_);
    say_images({spec_, data, {}}, scan, say_);
    say_duplicates({spec_, data, {}}, scan, say_);
  }

  sweeps::DatasetSpec spec_;
  SayCheck say_;
  std::vector<std::string> facts_, notes_;
};

const std::vector<MadeUpRow> kFour = {
    {0, two_pixels(1, 2)}, {0, two_pixels(3, 4)}, {1, two_pixels(5, 6)}, {1, two_pixels(7, 8)}};

TEST_F(DataCheck, ShowsClassesAndCountsAsATable) {
  const MadeUpImages data({"cat", "polar bear"}, kFour, {{1, two_pixels(9, 9)}});
  say_contents({spec_, data, {}}, say_);
  EXPECT_THAT(facts_, ElementsAre("kind: image-folder", "train: train/0 to train/3", "test: test/0 to test/0",
                                  "classes: 2", "class       train  test",  //
                                  "cat             2     0",                //
                                  "polar bear      2     1",                //
                                  "all             4     1",                //
                                  "normal: each of 2 classes in turn"));
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(DataCheck, SumsUpClassesBeyondAScreen) {
  std::vector<std::string> names;
  std::vector<MadeUpRow> rows;
  for (int k = 0; k < 100; ++k) {
    names.push_back("c" + std::to_string(k));
    for (int i = 0; i < 2 + k % 2; ++i) rows.push_back({k, two_pixels(1, 2)});
  }
  say_contents({spec_, MadeUpImages(names, rows, {}), {}}, say_);
  EXPECT_THAT(facts_, Contains("classes: 100; rows of one: 2 to 3 train, 0 test"));
  EXPECT_THAT(facts_, Contains("c34              2     0"));
  EXPECT_THAT(facts_, Contains("and 65 more    163     0"));
  EXPECT_LE(facts_.size(), 45U);
}

TEST_F(DataCheck, NamesNormalSetsAndWhatIsNeverTrainedOn) {
  MadeUpImages data({"Aura", "Terra", "Debris"}, kFour, {{2, two_pixels(9, 9)}});
  data.never = {"Debris"};
  say_contents({spec_, data, {{"satellites", {"Aura", "Terra"}}}}, say_);
  EXPECT_THAT(facts_, IsSupersetOf({"normal: satellites: 2 classes together, Aura, Terra",
                                    "anomalies: never trained on: Debris"}));
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(DataCheck, NotesClassesThatHaveNoTwoTrainingRows) {
  say_contents({spec_, MadeUpImages({"cat", "dog", "rare"}, kFour, {{2, two_pixels(9, 9)}}), {}}, say_);
  EXPECT_THAT(notes_, ElementsAre("1 of 3 classes has fewer than 2 training rows and is nobody's normal class alone: "
                                  "rare"));
}

TEST_F(DataCheck, RefusesADataSetWithoutANormalClass) {
  const MadeUpImages data({"cat", "dog"}, {kFour[0], kFour[2]}, {});
  EXPECT_THROW(say_contents({spec_, data, {}}, say_), storage::UsageError);
}

TEST_F(DataCheck, NotesOfficialDataSetsThatAreIncomplete) {
  spec_.kind = "cifar10";
  say_contents({spec_, MadeUpImages({"airplane", "truck"}, kFour, {}), {}}, say_);
  EXPECT_THAT(facts_, Contains("official: 5,000 training and 1,000 test images a class"));
  EXPECT_THAT(notes_, ElementsAre("not the numbers of rows that the paper used: airplane: 2 training images, "
                                  "officially 5,000; truck: 2 training images, officially 5,000; airplane: 0 test "
                                  "images, officially 1,000; and 1 more"));
}

TEST_F(DataCheck, SaysSizesStatisticsAndFlatImages) {
  // Byte values 51 and 102 are 0.2 and 0.4: mean 0.3, spread 0.1; the other class 0 and 255: 0.5 and 0.5.
  const MadeUpImages data({"cat", "dog"}, {{0, two_pixels(51, 102)}, {1, two_pixels(0, 255)}},
                          {{0, {1, 2, std::vector<std::uint8_t>(6, 9)}}});
  say_scan(data);
  EXPECT_THAT(facts_, ElementsAre("sizes: train: all 2 x 1", "test: all 1 x 2", "one colour: 1 image: test/0",
                                  "statistics: mean 0.40000 0.40000 0.40000, std 0.30000 0.30000 0.30000",
                                  "red, green, blue in [0, 1], training images, mean over classes, of the pixels as "
                                  "stored",
                                  "duplicates: none: no two rows are equal"));
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(DataCheck, NotesAChannelWithoutSpread) {
  const MadeUpImages data({"cat", "dog"}, {{0, two_pixels(5, 5)}, {1, two_pixels(5, 5)}}, {});
  say_scan(data);
  EXPECT_THAT(notes_, Contains(HasSubstr("write \"normalisation\": \"imagenet\" in the sweep")));
}

TEST_F(DataCheck, NotesStatisticsOfOtherImagesThanThePapers) {
  spec_.kind = "spark2021";
  say_scan(MadeUpImages({"cat", "dog"}, {{0, two_pixels(51, 102)}, {1, two_pixels(0, 255)}}, {}));
  EXPECT_THAT(facts_, Contains("published: the released code's constants: others (at most 0.30701 away)"));
  EXPECT_THAT(notes_, ElementsAre("the statistics are not those published (up to 0.30701 away from the released "
                                  "code's constants): these are not the images that the paper used"));
}

TEST_F(DataCheck, NamesTestImagesThatWereTrainedOn) {
  say_scan(MadeUpImages({"cat", "dog"}, kFour, {{0, two_pixels(5, 6)}, {1, two_pixels(7, 8)}, {1, two_pixels(9, 8)}}));
  EXPECT_THAT(facts_,
              IsSupersetOf({"duplicates: test rows equal to a training row: 2: test/0 = train/2, test/1 = "
                            "train/3",
                            "training rows equal to an earlier one: none", "test rows equal to an earlier one: none",
                            "equal rows of two classes: 1: test/0 = train/2"}));
  EXPECT_THAT(notes_, ElementsAre(StartsWith("2 of 3 test rows are training rows too")));
}

TEST_F(DataCheck, NamesAFewDuplicatesAndCountsTheOthers) {
  const std::vector<MadeUpRow> same(6, {0, two_pixels(1, 2)});
  say_scan(MadeUpImages({"cat", "dog"}, same, {}));
  EXPECT_THAT(facts_, Contains("training rows equal to an earlier one: 5: train/1 = train/0, train/2 = train/0, "
                               "train/3 = train/0 and 2 more"));
  EXPECT_THAT(notes_, ElementsAre("5 rows equal an earlier one of the same split and count twice"));
}

TEST_F(DataCheck, CountsSkippedRowsByReasonAndComparesOnlyTheOthers) {
  const MadeUpRow damaged = {0, {}};
  say_scan(MadeUpImages({"cat", "dog"}, {damaged, kFour[0], kFour[2], damaged, kFour[2]}, {damaged, kFour[2]}));
  EXPECT_THAT(facts_, IsSupersetOf({"skipped: 2 train, 1 test", "3: damaged JPEG image: train/0, train/3, test/0",
                                    "duplicates: test rows equal to a training row: 1: test/1 = train/2",
                                    "training rows equal to an earlier one: 1: train/4 = train/2"}));
  EXPECT_THAT(notes_, IsSupersetOf({"3 of 7 rows cannot be read and are left out, as \"skip\" allows",
                                    "cat has 1 training row left and is nobody's normal class alone"}));
}

}  // namespace
}  // namespace workers
