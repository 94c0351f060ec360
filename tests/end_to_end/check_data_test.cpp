// What is a data set, is it whole, and what does a model see of it? The real program on small ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "datasets/jpeg.hpp"
#include "tests/datasets/jpeg_writer.hpp"
#include "tests/end_to_end/contact_sheet_reader.hpp"
#include "tests/end_to_end/program.hpp"
#include "tests/temporary_folder.hpp"

namespace tests {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ContainsRegex;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

constexpr int kSquare = 224;  // as large as the backbones' input

/// A folder `mine`: 3 training images and 1 test image of cats and of dogs, all different.
class CheckData : public testing::Test {
 protected:
  CheckData() {
    int shade = 0;
    for (const std::string name : {"cat", "dog"}) {
      for (int i = 0; i < 3; ++i) write(image("train", name, i), kSquare, shade += 17);
      write(image("test", name, 0), kSquare, shade += 17);
    }
  }
  static std::string image(const std::string& split, const std::string& class_name, int i) {
    return "mine/" + split + "/" + class_name + "/" + std::to_string(i) + ".jpg";
  }
  void write(const std::string& file, int side, int shade) const {
    write_text(folder_ / file, datasets_test::jpeg(side, side, shade));
  }
  Ended run(const std::vector<std::string>& arguments) const { return run_program(arguments, folder_.path()); }
  /// plume-bench check data mine ...
  Ended check(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all = {"check", "data", "mine", "--data", "mine=mine", "--cache", "cache"};
    if (std::find(more.begin(), more.end(), "--sweep") == more.end()) {
      all.insert(all.end(), {"--kind", "image-folder"});
    }
    all.insert(all.end(), more.begin(), more.end());
    return run(all);
  }
  static void expect_refused(const Ended& ended, int status, const std::string& what) {
    EXPECT_EQ(ended.status, status) << ended.output << ended.errors;
    EXPECT_THAT(ended.errors, AllOf(StartsWith("plume-bench: "), HasSubstr(what)));
    EXPECT_EQ(std::count(ended.errors.begin(), ended.errors.end(), '\n'), 1) << ended.errors;
    EXPECT_THAT(ended.output, Not(HasSubstr("Good:")));
  }
  TemporaryFolder folder_;
};

TEST_F(CheckData, SaysEveryFactOfAGoodFolder) {
  const auto ended = check({"--threads", "2"});

  EXPECT_EQ(ended.status, 0);
  EXPECT_THAT(ended.errors, IsEmpty());
  EXPECT_THAT(ended.output, StartsWith("Data set mine\n"
                                       "  folder      " +
                                       (folder_ / "mine").string() +
                                       "\n"
                                       "              found by --data\n"
                                       "  kind        image-folder\n"
                                       "              train: train/cat/0.jpg to train/dog/2.jpg\n"
                                       "              test: test/cat/0.jpg to test/dog/0.jpg\n"
                                       "  classes     2\n"
                                       "              class  train  test\n"
                                       "              cat        3     1\n"
                                       "              dog        3     1\n"
                                       "              all        6     2\n"
                                       "  normal      each of 2 classes in turn\n"
                                       "  scan        8 rows read in "));
  EXPECT_THAT(
      ended.output,
      ContainsRegex("on 2 threads: every one whole\n"
                    "  sizes       all 224 x 224\n"
                    "  one colour  no image\n"
                    "  statistics  mean 0\\.[0-9]+ 0\\.[0-9]+ 0\\.[0-9]+, std 0\\.[0-9]+ 0\\.[0-9]+ 0\\.[0-9]+\n"
                    ".*training images, mean over classes.*\n"
                    "  duplicates  none: no two rows are equal\n"
                    "  sheet       check-mine.html: 6 images of 2 classes as the model sees them .*\n"
                    "Good: mine can be run on.\n$"));
}

TEST_F(CheckData, ShowsImagesAsTheModelSeesThem) {
  ASSERT_EQ(check().status, 0);
  const auto html = read_text(folder_ / "check-mine.html");

  EXPECT_THAT(html, AllOf(StartsWith("<!DOCTYPE html>"), EndsWith("</html>\n"), Not(HasSubstr("<script")),
                          Not(HasSubstr("http:")), Not(HasSubstr("https:")), Not(HasSubstr("<link"))));
  const auto pictures = pictures_of(html);
  ASSERT_EQ(pictures.size(), 6U);
  EXPECT_THAT(pictures[4].title, StartsWith("train/dog/1.jpg: 224 x 224, input -"));
  const auto original = datasets::decode_jpeg(read_text(folder_ / image("train", "dog", 1)), "dog");
  EXPECT_EQ(pictures[4].width, 224U);
  EXPECT_EQ(pictures[4].height, 224U);
  EXPECT_TRUE(pictures[4].rgb == original.rgb) << "normalised and back, nothing to resize";
}

TEST_F(CheckData, KeepsTheScanForTheNextCheckAndTheNextRun) {
  write_text(folder_ / "sweep.json", R"({"version": 1, "name": "s", "datasets": {"mine": {"kind": "image-folder"}},
    "blocks": [{"dataset": "mine", "backbone": "efficientnet-lite0", "method": "knn", "k": 1}]})");
  ASSERT_EQ(check({"--no-sheet"}).status, 0);
  EXPECT_FALSE(fs::exists(folder_ / "check-mine.html"));

  const auto again = check({"--sweep", "sweep.json", "--sheet", "pages/mine.html"});
  EXPECT_THAT(again.output, AllOf(HasSubstr("  scan        kept by an earlier one"), HasSubstr("all 224 x 224"),
                                  HasSubstr("pages/mine.html: 6 images")));
  EXPECT_EQ(pictures_of(read_text(folder_ / "pages/mine.html")).size(), 6U);
  const auto ended = run({"run", "sweep.json", "--out", "out", "--cache", "cache", "--data", "mine=mine", "--weights",
                          "efficientnet-lite0=random:0", "--workers", "1"});
  EXPECT_EQ(ended.status, 0) << ended.errors;
  EXPECT_THAT(read_text(folder_ / "out/logs/run.log"), AllOf(HasSubstr("extract mine"), Not(HasSubstr("scan mine"))));
}

TEST_F(CheckData, EndsAtTheFirstDamagedImageWithWhatItKnows) {
  auto bytes = read_text(folder_ / image("train", "dog", 0));
  write_text(folder_ / image("train", "dog", 0), bytes.substr(0, bytes.size() / 2));
  write_text(folder_ / image("train", "dog", 2), "");
  const auto ended = check();

  expect_refused(ended, 1, (folder_ / image("train", "dog", 0)).string());
  EXPECT_THAT(ended.output, AllOf(HasSubstr("  normal      each of 2"), Not(HasSubstr("  scan"))));
  EXPECT_FALSE(fs::exists(folder_ / "check-mine.html"));
}

TEST_F(CheckData, NotesTestImagesThatWereTrainedOn) {
  fs::copy_file(folder_ / image("train", "cat", 1), folder_ / image("test", "cat", 1));
  fs::copy_file(folder_ / image("train", "cat", 1), folder_ / image("train", "dog", 7));
  const auto ended = check({"--no-sheet"});

  EXPECT_EQ(ended.status, 0) << ended.errors;
  EXPECT_THAT(ended.output,
              HasSubstr("  duplicates  test rows equal to a training row: 1: test/cat/1.jpg = train/cat/1.jpg\n"
                        "              training rows equal to an earlier one: 1: train/dog/7.jpg = train/cat/1.jpg\n"
                        "              test rows equal to an earlier one: none\n"
                        "              equal rows of two classes: 1: train/dog/7.jpg = train/cat/1.jpg\n"
                        "Note: 1 of 3 test rows is a training row too"));
  EXPECT_THAT(ended.output, EndsWith("counts twice\nGood: mine can be run on.\n"));
}

TEST_F(CheckData, ShowsAClassOfAnomaliesLastAndFromTheTestSplit) {
  write(image("test", "bird", 4), 48, 3);
  const auto ended = check();

  EXPECT_EQ(ended.status, 0) << ended.errors;
  EXPECT_THAT(ended.output, AllOf(HasSubstr("  sizes       train: all 224 x 224\n              test: 48 to 224 wide"),
                                  HasSubstr("\nNote: 1 of 3 classes has fewer than 2 training rows")));
  const auto pictures = pictures_of(read_text(folder_ / "check-mine.html"));
  ASSERT_EQ(pictures.size(), 7U);
  EXPECT_THAT(pictures[6].title, StartsWith("test/bird/4.jpg: 48 x 48"));
  EXPECT_EQ(pictures[6].width, 224U);
}

TEST_F(CheckData, TakesSkipAndNormalSetsFromTheSweep) {
  write(image("train", "bird", 4), kSquare, 200);
  write(image("test", "bird", 4), kSquare, 210);
  write_text(folder_ / image("train", "dog", 1), "no image");
  write_text(folder_ / "sweep.json", R"({"version": 1, "name": "s",
    "datasets": {"mine": {"kind": "image-folder", "skip": 0.2, "normal_sets": {"pets": {"all_but": ["bird"]}}}},
    "blocks": [{"dataset": "mine", "classes": ["pets"], "method": "plad"}]})");
  const auto ended = check({"--sweep", "sweep.json"});

  EXPECT_EQ(ended.status, 0) << ended.errors;
  EXPECT_THAT(ended.output,
              AllOf(HasSubstr("  kind        image-folder\n              {\"kind\":\"image-folder\",\"skip\":0.2}"),
                    HasSubstr("  normal      pets: 2 classes together, cat, dog\n"),
                    HasSubstr("  skipped     1 train, 0 test\n              1: "), HasSubstr(": train/dog/1.jpg\n"),
                    HasSubstr("Note: 1 of 10 rows cannot be read and is left out, as \"skip\" allows\n")));
  EXPECT_EQ(pictures_of(read_text(folder_ / "check-mine.html")).size(), 6U) << "3 cats, 2 dogs, 1 bird";
}

TEST_F(CheckData, LooksAtVectorsToo) {
  const auto npy = [](const std::string& type, const std::string& shape, const std::string& bytes) {
    const std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }\n";
    return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' + header + bytes;
  };
  const auto bytes_of = [](const std::vector<float>& numbers) {
    return std::string(reinterpret_cast<const char*>(numbers.data()), 4 * numbers.size());
  };
  write_text(folder_ / "vectors/train.npy", npy("<f4", "(3, 2)", bytes_of({1, -2, 3, 4, 5, 6})));
  write_text(folder_ / "vectors/test.npy", npy("<f4", "(2, 2)", bytes_of({3, 4, 0, 0})));
  write_text(folder_ / "vectors/train_labels.npy", npy("|S1", "(3,)", "aab"));
  write_text(folder_ / "vectors/test_labels.npy", npy("|S1", "(2,)", "ab"));
  const auto ended =
      run({"check", "data", "v", "--kind", "features", "--data", "v=vectors", "--cache", "cache", "--threads", "1"});

  EXPECT_EQ(ended.status, 0) << ended.errors;
  EXPECT_THAT(ended.output, AllOf(HasSubstr("  length      L = 2\n"
                                            "  numbers     train: finite, from -2 to 6, mean 2.833, std 2.672\n"
                                            "              test: finite, from 0 to 4, mean 1.75, std 1.785\n"
                                            "  duplicates  test rows equal to a training row: 1: "),
                                  Not(HasSubstr("sheet")), Not(HasSubstr("statistics")), EndsWith("run on.\n")));
}

TEST_F(CheckData, AnswersWrongUsageWithTheRightOne) {
  expect_refused(run({"check", "data", "mine", "--data", "mine=mine"}), 2,
                 "nothing says what \"mine\" is; name one that needs no entry (synthetic, cifar10");
  expect_refused(run({"check", "data"}), 2, "check data: which? Expected synthetic, cifar10");
  expect_refused(run({"check", "data", "mine", "--kind", "image-folder"}), 2, "give --data mine=PATH");
  expect_refused(run({"check", "data", "mine", "--kind", "image-folder", "--data", "mine=nowhere"}), 2,
                 "no such folder");
  expect_refused(run({"check", "data", "cifar10", "--data", "mine=mine"}), 2,
                 "--data mine=mine: only cifar10 is checked here; write --data cifar10=mine");
  expect_refused(check({"--sheet", "x.html", "--no-sheet"}), 2, "give one of the two");
  expect_refused(check({"--shet", "x.html"}), 2, "--shet (did you mean \"--sheet\"?)");
  expect_refused(check({"--sheet", "mine"}), 1, (folder_ / "mine").string());
  const auto help = run({"check", "data", "--help"});
  EXPECT_EQ(help.status, 0);
  EXPECT_THAT(help.output, HasSubstr("plume-bench check data cifar10 --data"));
}

}  // namespace
}  // namespace tests
