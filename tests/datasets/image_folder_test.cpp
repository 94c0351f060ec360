#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "datasets/dataset.hpp"
#include "storage/error.hpp"
#include "tests/datasets/jpeg_writer.hpp"
#include "tests/datasets/png_writer.hpp"
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

TEST_F(ImageFolder, ListsPngBesideJpeg) {
  write_plainly(folder_ / "train/cat/1.PNG", datasets_test::png(1, 1, 3, {7, 8, 9}));
  const auto data = open();
  EXPECT_THAT(row_ids(*data, Split::train),
              ElementsAre("train/Dog/1.jpeg", "train/cat/1.PNG", "train/cat/10.JPG", "train/cat/2.jpg"));
  EXPECT_THAT(data->read(Split::train, 1).rgb, ElementsAre(7, 8, 9));
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
              HasSubstr((folder_ / "train/cat/2.jpg").string() + ": is an HTML page, expected JPEG or PNG"));
  write_plainly(folder_ / "train/cat/2.jpg", "");  // opening reads no file: a scan may leave such a one out
  EXPECT_THAT(message_of<storage::Error>([&] { open()->read(Split::train, 2); }),
              HasSubstr((folder_ / "train/cat/2.jpg").string() + ": is empty"));
  fs::remove(folder_ / "train/cat/2.jpg");
  EXPECT_THAT(message_of<storage::Error>([&] { data->read(Split::train, 2); }), HasSubstr("No such file or directory"));
}

TEST_F(ImageFolder, NamesAFileThatIsNoImage) {
  write_plainly(folder_ / "test/cat/labels.csv", "x");
  const std::string expected =
      (folder_ / "test/cat/labels.csv").string() + ": expected only .jpg, .jpeg and .png files: convert or remove it";
  EXPECT_EQ(refusal(), expected);
  spec_.skip = 0.5;  // is of images that cannot be read, not of files that are none
  EXPECT_EQ(refusal(), expected);
}

TEST_F(ImageFolder, NamesAFolderInsideAClass) {
  write_plainly(folder_ / "test/cat/more.jpg/1.jpg", "x");
  EXPECT_THAT(refusal(), HasSubstr((folder_ / "test/cat/more.jpg").string() + ": is a folder, expected image files"));
}

TEST_F(ImageFolder, NamesALinkToNowhere) {
  fs::create_symlink(folder_ / "gone.jpg", folder_ / "test/cat/0.jpg");
  EXPECT_EQ(refusal(), (folder_ / "test/cat/0.jpg").string() + ": expected a file: remove it");
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
  EXPECT_THAT(refusal(),
              HasSubstr((folder_ / "test").string() + ": no such folder, expected train/<class>/* and test/"));
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

/// A folder without train/ and test/: a.jpg, b.jpg, ... of each class.
class FolderToSplit : public ImageFolder {
 protected:
  FolderToSplit() {
    fs::remove_all(folder_ / "train");
    fs::remove_all(folder_ / "test");
    add("cat", 10);
    add("Dog", 4);
    add("owl", 2);
    spec_.split = sweeps::SplitByShare{.test = 0.2, .seed = 3};
  }
  void add(const std::string& class_name, int count) {
    for (int k = 0; k < count; ++k) {
      write_plainly(folder_ / class_name / (std::string(1, static_cast<char>('a' + k)) + ".jpg"), jpeg(8, 6, k));
    }
  }
};

std::vector<std::string> of_class(std::vector<std::string> ids, const std::string& class_name) {
  std::erase_if(ids, [&](const std::string& id) { return !id.starts_with(class_name + "/"); });
  return ids;
}

TEST_F(FolderToSplit, TestsOnItsShareOfEachClass) {
  const auto data = open();
  EXPECT_THAT(data->classes(), ElementsAre("Dog", "cat", "owl"));
  EXPECT_THAT(datasets::rows_of_classes(*data, Split::test), ElementsAre(1, 2, 1));
  EXPECT_THAT(datasets::rows_of_classes(*data, Split::train), ElementsAre(3, 8, 1));
  auto all = row_ids(*data, Split::train);
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
  const auto tested = row_ids(*data, Split::test);
  EXPECT_TRUE(std::is_sorted(tested.begin(), tested.end()));
  all.insert(all.end(), tested.begin(), tested.end());
  EXPECT_EQ(std::set(all.begin(), all.end()).size(), 16u);  // each image in one split
  EXPECT_THAT(all, testing::IsSupersetOf({"cat/a.jpg", "cat/j.jpg", "Dog/d.jpg", "owl/b.jpg"}));
  EXPECT_EQ(data->read(Split::test, 0).rgb.size(), 8u * 6 * 3);
}

TEST_F(FolderToSplit, IsSplitByItsSeedAndNoOtherClass) {
  const auto tested = row_ids(*open(), Split::test);
  EXPECT_EQ(row_ids(*open(), Split::test), tested);
  add("ant", 5);
  const auto with_ants = row_ids(*open(), Split::test);
  EXPECT_EQ(with_ants.size(), tested.size() + 1);
  for (const std::string name : {"Dog", "cat", "owl"}) EXPECT_EQ(of_class(with_ants, name), of_class(tested, name));
  spec_.split->seed = 4;
  EXPECT_NE(of_class(row_ids(*open(), Split::test), "cat"), of_class(tested, "cat"));
}

TEST_F(FolderToSplit, SortsRowsByTheirWholePath) {
  add("cat-big", 2);  // '-' sorts before '/', and "cat" before "cat-big"
  for (const Split split : {Split::train, Split::test}) {
    const auto data = open();
    const auto ids = row_ids(*data, split);
    EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
    for (std::int64_t i = 0; i < data->size(split); ++i) {
      const auto& id = ids[static_cast<std::size_t>(i)];
      EXPECT_EQ(data->classes()[static_cast<std::size_t>(data->label(split, i))], id.substr(0, id.find('/')));
    }
  }
}

TEST_F(FolderToSplit, HasAStampOfItsSplit) {
  const std::string stamp = open()->stamp();
  EXPECT_EQ(open()->stamp(), stamp);
  spec_.split->seed = 4;
  EXPECT_NE(open()->stamp(), stamp);
  spec_.split = sweeps::SplitByShare{.test = 0.21, .seed = 3};  // the same files: 2.1 and 0.84
  EXPECT_NE(open()->stamp(), stamp);
}

TEST_F(FolderToSplit, NamesAClassOfOneImage) {
  add("ant", 1);
  EXPECT_THAT(refusal(), HasSubstr((folder_ / "ant").string() + ": holds one image only, expected two or more"));
}

TEST_F(FolderToSplit, SaysHowToSplitAFolderThatIsNot) {
  spec_.split.reset();
  EXPECT_THAT(refusal(), HasSubstr(folder_.path().string() + ": holds class folders, not train and test: write " +
                                   R"("split": {"test": 0.2} into data set mine of the sweep)"));
}

TEST_F(FolderToSplit, IsNotSplitTwice) {
  const TemporaryFolder split_already;
  for (const std::string path : {"train/cat/1.jpg", "train/dog/1.jpg", "test/cat/1.png", "test/dog/1.jpg"}) {
    write_plainly(split_already / path, "x");
  }
  EXPECT_EQ(message_of<storage::UsageError>([&] { open_images(spec_, split_already.path()); }),
            split_already.path().string() + ": has train/<class> and test/<class>, so it is split already: leave " +
                R"("split" out of data set mine in the sweep)");
}

TEST_F(FolderToSplit, MayHaveAClassCalledTrain) {
  add("train", 2);
  EXPECT_THAT(open()->classes(), ElementsAre("Dog", "cat", "owl", "train"));
}

}  // namespace
