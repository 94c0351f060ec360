// The user's own features: the same rows from both layouts, classes by every kind of label, and one line for each
// mistake.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>
#include <limits>

#include "datasets/dataset.hpp"
#include "storage/error.hpp"
#include "tests/storage/plain_files.hpp"

namespace {

namespace fs = std::filesystem;
using datasets::Split;
using storage_test::message_of;
using storage_test::TemporaryFolder;
using storage_test::write_plainly;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

const fs::path kArrays = fs::path(PLUME_SOURCE_DIR) / "tests/storage/arrays";

std::unique_ptr<datasets::Vectors> open(const fs::path& root) {
  auto data = datasets::open_dataset({.id = "mine", .kind = "features"}, root);
  EXPECT_NE(dynamic_cast<datasets::Vectors*>(data.get()), nullptr);
  return std::unique_ptr<datasets::Vectors>(dynamic_cast<datasets::Vectors*>(data.release()));
}

std::vector<std::string> class_of_rows(const datasets::Dataset& data, Split split) {
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < data.size(split); ++i) {
    names.push_back(data.classes().at(static_cast<std::size_t>(data.label(split, i))));
  }
  return names;
}

template <typename Number>
std::string npy(const std::string& type, const std::string& shape, const std::vector<Number>& numbers) {
  const std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }\n";
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size());
  bytes += '\0';
  bytes += header;
  return bytes.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number));
}
std::string rows(std::size_t count, float value = 1) {
  return npy("<f4", "(" + std::to_string(count) + ", 2)", std::vector<float>(2 * count, value));
}
std::string labels(const std::vector<std::int64_t>& numbers) {
  return npy("<i8", "(" + std::to_string(numbers.size()) + ",)", numbers);
}

/// Three training rows of classes 0, 1, 1 and two test rows of 5 and 0.
class FeatureVectors : public testing::Test {
 protected:
  FeatureVectors() {
    write_plainly(folder_ / "train.npy", rows(3));
    write_plainly(folder_ / "train_labels.npy", labels({0, 1, 1}));
    write_plainly(folder_ / "test.npy", rows(2));
    write_plainly(folder_ / "test_labels.npy", labels({5, 0}));
  }
  std::string refusal() {
    return message_of<storage::UsageError>([&] { open(folder_.path()); });
  }
  TemporaryFolder folder_;
};

TEST_F(FeatureVectors, AreTheSameFromNumpyAndFromH5py) {
  for (const char* name : {"train.npy", "test.npy", "train_labels.npy", "test_labels.npy"}) {
    fs::copy_file(kArrays / name, folder_ / name, fs::copy_options::overwrite_existing);
  }
  for (const fs::path& root : {folder_.path(), kArrays / "texts.h5", kArrays / "numbers.h5"}) {
    const auto data = open(root);
    ASSERT_EQ(data->size(Split::train), 6) << root;
    ASSERT_EQ(data->size(Split::test), 4) << root;
    EXPECT_EQ(data->row_length(), 3) << root;
    EXPECT_THAT(data->read(Split::train, 5), ElementsAre(5, 5.5, -5)) << root;
    EXPECT_THAT(data->read(Split::test, 3), ElementsAre(13, 13.5, -13)) << root;
    EXPECT_THAT(data->read(Split::train, 0), ElementsAre(0, 0.5, 0)) << root;
    EXPECT_THAT(class_of_rows(*data, Split::test), ElementsAre("M\xC3\xB6we", "M\xC3\xB6we", "owl", "wren")) << root;
  }
  EXPECT_EQ(open(folder_.path())->row_id(Split::test, 3), "test.npy#3");
  EXPECT_EQ(open(kArrays / "texts.h5")->row_id(Split::train, 2), "texts.h5/train/features#2");
}

TEST_F(FeatureVectors, HaveTheirLabelsForClassesUnlessTheyAreNamed) {
  const auto unnamed = open(folder_.path());
  EXPECT_THAT(unnamed->classes(), ElementsAre("0", "1", "5")) << "of both splits, by value";
  EXPECT_THAT(class_of_rows(*unnamed, Split::train), ElementsAre("0", "1", "1"));
  EXPECT_THAT(class_of_rows(*unnamed, Split::test), ElementsAre("5", "0"));
  write_plainly(folder_ / "classes.txt", "\xEF\xBB\xBFowl\r\nwren\ncrow\nrook\njay\nibis\n\n");
  const auto named = open(folder_.path());
  EXPECT_THAT(named->classes(), ElementsAre("owl", "wren", "crow", "rook", "jay", "ibis")) << "label k is line k";
  EXPECT_THAT(class_of_rows(*named, Split::test), ElementsAre("ibis", "owl"));
}

TEST_F(FeatureVectors, AreRefusedWithClassNamesThatDoNotFit) {
  const auto with_classes = [&](const std::string& text) {
    write_plainly(folder_ / "classes.txt", text);
    return refusal();
  };
  const std::string file = (folder_ / "classes.txt").string();
  EXPECT_EQ(with_classes("owl\nwren\n"), file +
                                             ": has 2 classes and none for label \"5\"; expected a name for every "
                                             "label, numbers from 0");
  EXPECT_EQ(with_classes("owl\nowl\n"), file + ": class name 2, \"owl\", is there twice");
  EXPECT_EQ(with_classes("owl\n\nwren\n"), file + ": class name 2 is empty");
  EXPECT_EQ(with_classes("owl,wren\n"), file +
                                            ": has 1 class names, expected two or more (the others are the "
                                            "anomalies), one a line or label");
  EXPECT_EQ(with_classes("owl\nwr\x1b[2Jen\n"),
            file +
                ": class name 2, \"wr?[2Jen\", has characters that no name can have (control characters, or bytes that "
                "are not UTF-8)");
  write_plainly(folder_ / "train_labels.npy", labels({0, -1, 1}));
  EXPECT_THAT(with_classes("a\nb\nc\nd\ne\nf\n"), HasSubstr("none for label \"-1\""));
}

TEST_F(FeatureVectors, NameWhatIsMissing) {
  fs::remove(folder_ / "test_labels.npy");
  EXPECT_EQ(refusal(), (folder_ / "test_labels.npy").string() +
                           ": is not there; data set mine is a folder with train.npy, train_labels.npy, test.npy and "
                           "test_labels.npy, or an HDF5 file (--data mine=PATH)");
  EXPECT_THAT(message_of<storage::UsageError>([&] { open(folder_ / "nowhere"); }),
              HasSubstr("nowhere: is not there; give"));
  EXPECT_THAT(message_of<storage::UsageError>([&] { open(folder_ / "train.npy"); }),
              HasSubstr("train.npy: is no HDF5 file"));
  EXPECT_THAT(message_of<storage::UsageError>([&] { open(""); }), HasSubstr("data set mine (features): nothing known"));
}

TEST_F(FeatureVectors, DoNotWaitForAPipe) {
  ASSERT_EQ(mkfifo((folder_ / "classes.txt").c_str(), 0600), 0);
  EXPECT_THAT(message_of<storage::Error>([&] { open(folder_.path()); }),
              EndsWith("classes.txt: expected a file, found a folder, pipe or device"));
  fs::remove(folder_ / "train.npy");
  ASSERT_EQ(mkfifo((folder_ / "train.npy").c_str(), 0600), 0);
  EXPECT_THAT(refusal(), EndsWith("train.npy: is no file; expected a .npy file"));
}

TEST_F(FeatureVectors, NameALinkThatGoesRoundInCircles) {
  fs::remove(folder_ / "train.npy");
  fs::create_symlink("train.npy", folder_ / "train.npy");
  EXPECT_THAT(message_of<storage::Error>([&] { open(folder_.path()); }),
              EndsWith("train.npy: cannot be looked at: Too many levels of symbolic links"));
}

TEST_F(FeatureVectors, AreRefusedWhereTheirFilesDisagree) {
  write_plainly(folder_ / "test_labels.npy", labels({1, 0, 1}));
  EXPECT_EQ(refusal(), (folder_ / "test_labels.npy").string() + ": has 3 labels, " + (folder_ / "test.npy").string() +
                           " has 2 rows; expected one label a row");
  write_plainly(folder_ / "test_labels.npy", npy("|S1", "(2,)", std::vector<char>{'a', 'b'}));
  EXPECT_THAT(refusal(), EndsWith("test_labels.npy: holds texts, the training labels are numbers"));
  write_plainly(folder_ / "test_labels.npy", labels({0, 1}));
  write_plainly(folder_ / "test.npy", npy("<f4", "(2, 3)", std::vector<float>(6)));
  EXPECT_THAT(refusal(), HasSubstr("test.npy: has rows of 3 features, those of the train split have 2"));
  write_plainly(folder_ / "test.npy", rows(0));
  EXPECT_THAT(refusal(), EndsWith("test.npy: has no rows"));
}

TEST_F(FeatureVectors, AreRefusedWithOneClassOrWithALabelARow) {
  write_plainly(folder_ / "train_labels.npy", labels({0, 0, 0}));
  write_plainly(folder_ / "test_labels.npy", labels({0, 0}));
  EXPECT_THAT(refusal(), HasSubstr("train_labels.npy: has 1 class names"));
  std::vector<std::int64_t> many;
  for (std::int64_t i = 0; i <= 10'000; ++i) many.push_back(i);
  write_plainly(folder_ / "train.npy", rows(many.size()));
  write_plainly(folder_ / "train_labels.npy", labels(many));
  EXPECT_THAT(refusal(), HasSubstr("more than 10000 different labels; expected one label a class"));
}

TEST_F(FeatureVectors, NameTheRowWhoseNumbersAreNotFinite) {
  for (const float bad : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    write_plainly(folder_ / "train.npy", npy("<f4", "(3, 2)", std::vector<float>{1, 2, 3, bad, 5, 6}));
    const auto data = open(folder_.path());
    EXPECT_THAT(data->read(Split::train, 0), ElementsAre(1, 2));
    EXPECT_EQ(message_of<storage::Error>([&] { data->read(Split::train, 1); }),
              (folder_ / "train.npy").string() +
                  ": row 1 has a number that is not finite in float32, at position 1; "
                  "expected finite features");
  }
  write_plainly(folder_ / "train.npy", npy("<f8", "(3, 2)", std::vector<double>{1, 2, 3, 4, 1e300, 6}));
  EXPECT_THAT(message_of<storage::Error>([&] { open(folder_.path())->read(Split::train, 2); }),
              HasSubstr("row 2 has a number that is not finite in float32"));
}

TEST_F(FeatureVectors, HaveAStampThatFollowsTheirFiles) {
  const std::string stamp = open(folder_.path())->stamp();
  EXPECT_EQ(open(folder_.path())->stamp(), stamp);
  write_plainly(folder_ / "classes.txt", "a\nb\nc\nd\ne\nf\n");
  const std::string named = open(folder_.path())->stamp();
  EXPECT_NE(named, stamp);
  const auto time = fs::last_write_time(folder_ / "test.npy");
  write_plainly(folder_ / "other.npy", rows(2, 7));
  fs::rename(folder_ / "other.npy", folder_ / "test.npy");
  fs::last_write_time(folder_ / "test.npy", time);
  EXPECT_NE(open(folder_.path())->stamp(), named) << "as cp -p would: the same size, the same modification time";
}

}  // namespace
