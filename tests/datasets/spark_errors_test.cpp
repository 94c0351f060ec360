// What is said of labels and images that are not as they should be, and when.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/error.hpp"
#include "tests/datasets/spark_files.hpp"

namespace {

namespace fs = std::filesystem;
using datasets::Split;
using datasets_test::jpeg;
using datasets_test::Spark2021Files;
using datasets_test::Spark2022Files;
using storage_test::message_of;
using storage_test::write_plainly;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class Spark2022Errors : public testing::Test {
 protected:
  /// What is said of a second row, in line 3.
  std::string refusal(const std::string& row) {
    write_plainly(labels_, "filename,class,bbox\nimg1.jpg,soho,\"[1, 2, 9, 12]\"\n" + row + "\n");
    const std::string message = message_of<storage::UsageError>([&] { files_.open(); });
    const std::string front = labels_.string() + ", line 3: ";
    EXPECT_THAT(message, AllOf(StartsWith(front), Not(HasSubstr("\n"))));
    return message.size() < front.size() ? message : message.substr(front.size());
  }
  /// What reading that row says after an opening that lets images be left out.
  std::string refusal_of_read(const std::string& row) {
    write_plainly(labels_, "filename,class,bbox\nimg1.jpg,soho,\"[1, 2, 9, 12]\"\n" + row + "\n");
    const auto data = files_.open({.skip = 0.5});
    EXPECT_EQ(data->read(Split::train, 0).height, 8) << "the other rows are as good as ever";
    return message_of<storage::Error>([&] { data->read(Split::train, 1); });
  }

  const Spark2022Files files_;
  const fs::path labels_ = files_.root() / "train.csv";
};

TEST_F(Spark2022Errors, NameAnUnknownClassAndTheNearestRightOne) {
  EXPECT_EQ(refusal("img2.jpg,cheop,\"[1, 2, 9, 12]\""), "unknown class \"cheop\" (did you mean \"cheops\"?)");
  EXPECT_EQ(refusal("img2.jpg,SOHO,\"[1, 2, 9, 12]\""), "unknown class \"SOHO\" (did you mean \"soho\"?)");
  EXPECT_THAT(refusal("img2.jpg,Hubble,\"[1, 2, 9, 12]\""),
              StartsWith("unknown class \"Hubble\"; expected proba_2, cheops, debris,"));
  EXPECT_THAT(refusal("img2.jpg,2,\"[1, 2, 9, 12]\""), StartsWith("unknown class \"2\";"));
}

TEST_F(Spark2022Errors, NameAFileNameThatIsNone) {
  for (const std::string name : {"", ".", "..", "../val/img1.jpg", "/etc/passwd", "soho/img2.jpg"}) {
    EXPECT_EQ(refusal(name + ",soho,\"[1, 2, 9, 12]\""),
              "\"" + name + "\" is no name of an image file, expected one without folders");
  }
}

TEST_F(Spark2022Errors, NameABoxThatIsNone) {
  EXPECT_EQ(refusal("img2.jpg,soho,\"[1, 2, 9]\""),
            "\"[1, 2, 9]\" is no box, expected four integers: \"[row_min, col_min, row_max, col_max]\"");
  EXPECT_THAT(refusal("img2.jpg,soho,"), StartsWith("\"\" is no box"));
  EXPECT_THAT(refusal("img2.jpg,soho,[1, 2, 9, 12]"), StartsWith("has 6 fields, expected 3 as in line 1"));
}

TEST_F(Spark2022Errors, NameBothLinesOfAnImageThatIsThereTwice) {
  EXPECT_EQ(refusal("img1.jpg,cheops,\"[0, 0, 4, 4]\""), "\"img1.jpg\" stands in line 2 already: remove one of them");
}

TEST_F(Spark2022Errors, NameAnEmptyBoxAtOpeningOrAtItsRead) {
  for (const std::string box :
       {"[9, 2, 9, 12]", "[9, 2, 1, 12]", "[1, 12, 9, 12]", "[1, 12, 9, 2]", "[-9, 2, 0, 12]"}) {
    const std::string row = "img2.jpg,soho,\"" + box + "\"";
    const std::string fault = "the box " + box + " is empty, expected [row_min, col_min, row_max, col_max] with ";
    EXPECT_THAT(refusal(row), AllOf(StartsWith(fault), HasSubstr("\"skip\" of data set space")));
    EXPECT_THAT(refusal_of_read(row), StartsWith(labels_.string() + ", line 3: " + fault));
  }
}

TEST_F(Spark2022Errors, NameAMissingImageAtOpeningOrAtItsRead) {
  const std::string row = "img5.jpg,soho,\"[1, 2, 9, 12]\"";
  const std::string fault = (files_.root() / "train/img5.jpg").string() + ": No such file or directory";
  EXPECT_THAT(refusal(row), AllOf(StartsWith(fault + "; "), HasSubstr("\"skip\" of data set space")));
  EXPECT_EQ(refusal_of_read(row), labels_.string() + ", line 3: " + fault);
  fs::create_directory(files_.root() / "train/img5.jpg");
  EXPECT_THAT(refusal(row), StartsWith((files_.root() / "train/img5.jpg").string() + ": is not a file"));
}

TEST_F(Spark2022Errors, NameABoxOutsideOfItsImageAtItsRead) {
  write_plainly(labels_, "filename,class,bbox\nimg1.jpg,soho,\"[20, 2, 30, 12]\"\n");
  const auto data = files_.open();
  EXPECT_EQ(message_of<storage::Error>([&] { data->read(Split::train, 0); }),
            labels_.string() + ", line 2: the box [20, 2, 30, 12] lies outside of the 20 rows and 24 columns of " +
                (files_.root() / "train/img1.jpg").string());
}

TEST_F(Spark2022Errors, NameAnImageThatCannotBeDecodedAtItsRead) {
  write_plainly(files_.root() / "train/img3.jpg", jpeg(24, 20, 3).substr(0, 200));
  const auto data = files_.open();
  EXPECT_THAT(message_of<storage::Error>([&] { data->read(Split::train, 0); }),
              StartsWith((files_.root() / "train/img3.jpg").string() + ": damaged JPEG image"));
}

TEST_F(Spark2022Errors, NameAMissingColumn) {
  write_plainly(labels_, "filename;class;bbox\nimg1.jpg;soho;[1, 2, 9, 12]\n");
  EXPECT_EQ(message_of<storage::UsageError>([&] { files_.open(); }),
            labels_.string() + ", line 1: has no column \"class\", only \"filename;class;bbox\"");
  write_plainly(labels_, "filename,class,box\n");
  EXPECT_THAT(message_of<storage::UsageError>([&] { files_.open(); }), HasSubstr("has no column \"bbox\", only"));
}

TEST_F(Spark2022Errors, NameLabelsWithoutRows) {
  write_plainly(labels_, "filename,class,bbox\n");
  EXPECT_EQ(message_of<storage::UsageError>([&] { files_.open(); }), labels_.string() + ": names no images");
}

TEST_F(Spark2022Errors, NameWhatAFolderLacks) {
  fs::remove(files_.root() / "val.csv");
  EXPECT_EQ(message_of<storage::UsageError>([&] { files_.open(); }),
            files_.root().string() +
                ": holds no val.csv of data set space (spark2022): give its folder with --data "
                "space=PATH");
}

class Spark2021Errors : public testing::Test {
 protected:
  std::string refusal() {
    return message_of<storage::UsageError>([&] { files_.open(); });
  }
  const Spark2021Files files_;
};

TEST_F(Spark2021Errors, NameEveryPlaceThatWasLookedAt) {
  fs::rename(files_.root() / "train_labels.csv", files_.root() / "labels.csv");
  EXPECT_THAT(refusal(), StartsWith(files_.root().string() +
                                    ": holds no train_labels.csv or train/train_labels.csv of data set space"));
  fs::rename(files_.root() / "labels.csv", files_.root() / "train_labels.csv");
  fs::remove_all(files_.root() / "validate");
  EXPECT_THAT(refusal(),
              StartsWith(files_.root().string() + ": holds no validate_rgb or validate/validate_rgb of data"));
}

TEST_F(Spark2021Errors, NameTwoPlacesOfWhichOneIsTooMany) {
  fs::copy_file(files_.root() / "train_labels.csv", files_.root() / "train/train_labels.csv");
  EXPECT_EQ(refusal(), files_.root().string() +
                           ": holds train_labels.csv and train/train_labels.csv, expected one of them: move the other "
                           "away");
}

TEST_F(Spark2021Errors, NameAClassWhoseCaseDiffers) {
  write_plainly(files_.root() / "train_labels.csv", "class,image,bbox\nTERRA,img_7.jpg,\"[0, 0, 4, 4]\"\n");
  EXPECT_THAT(refusal(), HasSubstr("line 2: unknown class \"TERRA\" (did you mean \"Terra\"?)"));
}

TEST_F(Spark2021Errors, NameAnImageThatIsThereTwiceInItsClass) {
  write_plainly(files_.root() / "train_labels.csv",
                "class,image,bbox\nTerra,img_7.jpg,\"[0, 0, 4, 4]\"\nTRMM,img_7.jpg,\"[0, 0, 4, 4]\"\n"
                "Terra,img_7.jpg,\"[0, 0, 4, 5]\"\n");
  EXPECT_THAT(refusal(), HasSubstr("line 4: \"Terra/img_7.jpg\" stands in line 2 already: remove one of them"));
}

TEST_F(Spark2021Errors, NameAnImageInAFolderOfAnotherClass) {
  write_plainly(files_.root() / "train_labels.csv", "class,image,bbox\nJason,img_7.jpg,\"[0, 0, 4, 4]\"\n");
  EXPECT_THAT(refusal(), HasSubstr("line 2: " + (files_.root() / "train/train_rgb/Jason/img_7.jpg").string() +
                                   ": No such file or directory"));
}

}  // namespace
