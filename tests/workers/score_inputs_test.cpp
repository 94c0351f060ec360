// Which files of folders are scored, and in which order.
#include "workers/score_inputs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "storage/error.hpp"
#include "tests/storage/plain_files.hpp"

namespace workers {
namespace {

namespace fs = std::filesystem;
using storage_test::message_of;
using storage_test::TemporaryFolder;
using storage_test::write_plainly;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string kJpeg = "\xff\xd8\xff\xe0 and so on";
const std::string kPng = "\x89PNG\r\n\x1a\n and so on, long enough";

class ScoreInputsTest : public testing::Test {
 protected:
  /// Relative to the folder.
  std::vector<std::string> found(const std::vector<std::string>& paths) {
    std::vector<std::string> absolute, names;
    for (const auto& path : paths) absolute.push_back((folder_ / path).string());
    inputs_ = images_in(absolute);
    for (const auto& file : inputs_.files) names.push_back(fs::path(file).lexically_relative(folder_.path()).string());
    return names;
  }
  std::string refusal(const std::string& path) {
    return message_of<storage::UsageError>([&] { images_in({(folder_ / path).string()}); });
  }
  TemporaryFolder folder_;
  ScoreInputs inputs_;
};

TEST_F(ScoreInputsTest, AreSortedByPathBelowAFolderAndToldByContentOrName) {
  write_plainly(folder_ / "in/b/2", kPng);
  write_plainly(folder_ / "in/b/1.txt", kJpeg);
  write_plainly(folder_ / "in/b/deep/er/x.PNG", "not one");
  write_plainly(folder_ / "in/a.jpeg", kJpeg);
  write_plainly(folder_ / "in/notes.txt", "notes");
  write_plainly(folder_ / "in/.hidden.jpg", kJpeg);
  EXPECT_THAT(found({"in"}), ElementsAre("in/a.jpeg", "in/b/1.txt", "in/b/2", "in/b/deep/er/x.PNG"));
  EXPECT_EQ(inputs_.passed_over, 1);
}

TEST_F(ScoreInputsTest, KeepTheOrderOfWhatWasGivenAndTakeAnyFileThatWas) {
  write_plainly(folder_ / "z", "whatever");
  write_plainly(folder_ / "in/1.png", kPng);
  EXPECT_THAT(found({"z", "in", "z"}), ElementsAre("z", "in/1.png", "z"));
}

TEST_F(ScoreInputsTest, FollowLinksButNotInCircles) {
  write_plainly(folder_ / "elsewhere/1.png", kPng);
  write_plainly(folder_ / "in/2.png", kPng);
  fs::create_directory_symlink(folder_ / "elsewhere", folder_ / "in/link");
  fs::create_directory_symlink(folder_ / "in", folder_ / "elsewhere/back");
  EXPECT_THAT(found({"in"}), ElementsAre("in/2.png", "in/link/1.png"));
}

TEST_F(ScoreInputsTest, NameABrokenLinkThatIsCalledAnImage) {
  fs::create_directory(folder_ / "in");
  fs::create_symlink(folder_ / "nowhere", folder_ / "in/1.png");
  EXPECT_THAT(found({"in"}), ElementsAre("in/1.png")) << "whose reading says that it is not there";
  EXPECT_THAT(message_of<storage::Error>([&] { read_image_file((folder_ / "in/1.png").string()); }),
              HasSubstr("in/1.png"));
}

TEST_F(ScoreInputsTest, RefuseWhatIsNotThereAndAFolderWithoutImages) {
  write_plainly(folder_ / "in/notes.txt", "notes");
  EXPECT_THAT(refusal("nowhere"), HasSubstr("nowhere: is not there"));
  EXPECT_THAT(refusal("in"), HasSubstr("in: no JPEG or PNG image is in it"));
}

}  // namespace
}  // namespace workers
