#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "datasets/dataset.hpp"
#include "storage/error.hpp"
#include "tests/datasets/jpeg_writer.hpp"
#include "tests/storage/plain_files.hpp"

namespace {

namespace fs = std::filesystem;
using datasets::open_images;
using datasets::Split;
using datasets_test::jpeg;
using storage_test::message_of;
using storage_test::TemporaryFolder;
using storage_test::write_plainly;
using testing::ElementsAre;
using testing::HasSubstr;

class ImageFolder : public testing::Test {
 protected:
  ImageFolder() {
    for (const std::string path :
         {"train/cat/2.jpg", "train/cat/10.JPG", "train/Dog/1.jpeg", "test/cat/1.jpg", "test/Dog/1.jpg",
          "test/debris/1.jpg", "train/cat/.DS_Store", "train/.hidden/x.txt"}) {
      write_plainly(folder_ / path, jpeg(8, 6, static_cast<int>(path.size())));
    }
  }
  std::unique_ptr<datasets::Images> open() { return open_images(spec_, folder_.path()); }
  std::string refusal() {
    return message_of<storage::UsageError>([&] { open(); });
  }

  TemporaryFolder folder_;
  sweeps::DatasetSpec spec_{.id = "mine", .kind = "image-folder"};
};

std::vector<std::string> row_ids(const datasets::Images& data, Split split) {
  std::vector<std::string> ids;
  for (std::int64_t i = 0; i < data.size(split); ++i) ids.push_back(data.row_id(split, i));
  return ids;
}

TEST_F(ImageFolder, ListsClassesAndRowsSortedByBytes) {
  const auto data = open();
  EXPECT_THAT(data->classes(), ElementsAre("Dog", "cat", "debris"));  // debris is never trained on
  EXPECT_THAT(row_ids(*data, Split::train), ElementsAre("train/Dog/1.jpeg", "train/cat/10.JPG", "train/cat/2.jpg"));
  EXPECT_THAT(row_ids(*data, Split::test), ElementsAre("test/Dog/1.jpg", "test/cat/1.jpg", "test/debris/1.jpg"));
  EXPECT_EQ(data->label(Split::train, 2), 1);
  EXPECT_EQ(data->label(Split::test, 2), 2);
  EXPECT_TRUE(data->may_differ_in_size());
}

TEST_F(ImageFolder, SortsRowsByTheirWholePath) {
  write_plainly(folder_ / "train/cat-big/1.jpg", jpeg(8, 8, 0));  // '-' sorts before '/'
  EXPECT_THAT(row_ids(*open(), Split::train),
              ElementsAre("train/Dog/1.jpeg", "train/cat-big/1.jpg", "train/cat/10.JPG", "train/cat/2.jpg"));
}

TEST_F(ImageFolder, DecodesARow) {
  write_plainly(folder_ / "train/cat/2.jpg", jpeg(5, 7, 100));
  const datasets::Image image = open()->read(Split::train, 2);
  EXPECT_EQ(image.width, 5);
  EXPECT_EQ(image.height, 7);
  EXPECT_EQ(image.rgb.size(), 5u * 7 * 3);
  EXPECT_NEAR(image.rgb[0], 100, 8);
}

TEST_F(ImageFolder, NamesTheFileThatCannotBeDecoded) {
  write_plainly(folder_ / "train/cat/2.jpg", "<html>404</html>");
  const auto data = open();
  EXPECT_THAT(message_of<storage::Error>([&] { data->read(Split::train, 2); }),
              HasSubstr((folder_ / "train/cat/2.jpg").string() + ": is no JPEG image"));
  fs::remove(folder_ / "train/cat/2.jpg");
  EXPECT_THAT(message_of<storage::Error>([&] { data->read(Split::train, 2); }), HasSubstr("No such file or directory"));
}

TEST_F(ImageFolder, NamesAFileThatIsNoImage) {
  write_plainly(folder_ / "test/cat/labels.csv", "x");
  EXPECT_EQ(refusal(),
            (folder_ / "test/cat/labels.csv").string() + ": expected only .jpg and .jpeg files: convert or remove it");
}

TEST_F(ImageFolder, NamesAFolderInsideAClass) {
  write_plainly(folder_ / "test/cat/more.jpg/1.jpg", "x");
  EXPECT_EQ(refusal(), (folder_ / "test/cat/more.jpg").string() + ": expected a file: remove it");
}

TEST_F(ImageFolder, NamesAFileBesideTheClasses) {
  write_plainly(folder_ / "train/1.jpg", "x");
  EXPECT_THAT(refusal(), HasSubstr((folder_ / "train/1.jpg").string() + ": expected only class folders here"));
}

TEST_F(ImageFolder, NamesAnEmptyClass) {
  fs::create_directory(folder_ / "train/empty");
  EXPECT_THAT(refusal(), HasSubstr((folder_ / "train/empty").string() + ": holds no images"));
}

TEST_F(ImageFolder, NamesAMissingOrEmptySplit) {
  fs::remove_all(folder_ / "test");
  EXPECT_THAT(refusal(), HasSubstr((folder_ / "test").string() + ": no such folder, expected train/<class>/*.jpg and"));
  fs::create_directory(folder_ / "test");
  EXPECT_THAT(refusal(), HasSubstr((folder_ / "test").string() + ": holds no class folder"));
}

TEST_F(ImageFolder, NeedsTwoClasses) {
  for (const std::string path : {"train/Dog", "test/Dog", "test/debris"}) fs::remove_all(folder_ / path);
  EXPECT_THAT(refusal(), HasSubstr(folder_.path().string() + ": holds one class only"));
}

TEST_F(ImageFolder, RefusesNamesThatAreNoText) {
  const fs::path class_folder = folder_ / "train/caf\xE9";  // Latin-1
  write_plainly(class_folder / "1.jpg", jpeg(8, 8, 0));
  EXPECT_THAT(refusal(), HasSubstr((folder_ / "train").string() + ": holds a name with control characters"));
  fs::rename(class_folder, folder_ / "train/caf\xC3\xA9");  // UTF-8
  EXPECT_THAT(open()->classes(), testing::Contains("caf\xC3\xA9"));
  write_plainly(folder_ / "train/cat/a\nb.jpg", "x");
  EXPECT_THAT(refusal(), HasSubstr((folder_ / "train/cat").string() + ": holds a name with control characters"));
}

TEST_F(ImageFolder, HasAStampThatFollowsItsFiles) {
  const std::string stamp = open()->stamp();
  EXPECT_EQ(open()->stamp(), stamp);
  fs::rename(folder_ / "train/cat/2.jpg", folder_ / "train/cat/3.jpg");
  const std::string renamed = open()->stamp();
  EXPECT_NE(renamed, stamp);
  fs::resize_file(folder_ / "train/cat/3.jpg", 7);
  EXPECT_NE(open()->stamp(), renamed);
}

}  // namespace
