#include "datasets/csv.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/error.hpp"
#include "tests/storage/plain_files.hpp"

namespace {

using datasets::CsvReader;
using datasets::CsvRecord;
using storage_test::message_of;
using storage_test::TemporaryFolder;
using storage_test::write_plainly;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class Csv : public testing::Test {
 protected:
  std::vector<CsvRecord> read(const std::string& text) {
    write_plainly(file_, text);
    CsvReader reader(file_);
    std::vector<CsvRecord> records;
    while (auto record = reader.next()) records.push_back(std::move(*record));
    return records;
  }
  /// What is said of line `line`.
  std::string refusal(const std::string& text, int line) {
    const std::string message = message_of<storage::UsageError>([&] { read(text); });
    const std::string front = file_.string() + ", line " + std::to_string(line) + ": ";
    EXPECT_THAT(message, AllOf(StartsWith(front), Not(HasSubstr("\n"))));
    return message.size() < front.size() ? message : message.substr(front.size());
  }

  TemporaryFolder folder_;
  const std::filesystem::path file_ = folder_ / "labels.csv";
};

TEST_F(Csv, GivesEachRecordWithItsLine) {
  const auto records = read("a,b\n1,2\n3,\n");
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].line, 2);
  EXPECT_THAT(records[0].fields, ElementsAre("1", "2"));
  EXPECT_EQ(records[1].line, 3);
  EXPECT_THAT(records[1].fields, ElementsAre("3", ""));
}

TEST_F(Csv, QuotedFieldsHoldCommasAndDoubledQuotes) {
  const auto records = read("a,\"b\",c\n\"[1, 2]\",\"say \"\"no\"\"\",\"\"\n");
  ASSERT_EQ(records.size(), 1u);
  EXPECT_THAT(records[0].fields, ElementsAre("[1, 2]", "say \"no\"", ""));
}

TEST_F(Csv, LinesEndWithEitherMarkAndTheLastWithNone) {
  const std::vector<CsvRecord> expected = read("a,b\n1,2\n3,4\n");
  for (const std::string text : {"a,b\r\n1,2\r\n3,4\r\n", "a,b\r\n1,2\n3,4",
                                 "\xEF\xBB\xBF"
                                 "a,b\n1,2\n3,4\r\n"}) {
    const auto records = read(text);
    ASSERT_EQ(records.size(), 2u) << text;
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(records[i].line, expected[i].line);
      EXPECT_EQ(records[i].fields, expected[i].fields);
    }
  }
}

TEST_F(Csv, FindsColumnsByNameWhereverTheyStand) {
  write_plainly(file_, "\xEF\xBB\xBF,class;id,class,caf\xC3\xA9\n");
  const CsvReader reader(file_);
  EXPECT_EQ(reader.column("class"), 2u);
  EXPECT_EQ(reader.column("caf\xC3\xA9"), 3u);
  EXPECT_EQ(message_of<storage::UsageError>([&] { reader.column("bbox"); }),
            file_.string() + ", line 1: has no column \"bbox\", only \"\", \"class;id\", \"class\", \"caf\xC3\xA9\"");
}

TEST_F(Csv, NamesALineWithAnotherNumberOfFields) {
  EXPECT_THAT(refusal("a,b\n1,2\n3\n", 3), StartsWith("has 1 fields, expected 2 as in line 1"));
  EXPECT_THAT(refusal("a,b\n1,[1, 2]\n", 2), StartsWith("has 3 fields, expected 2"));
}

TEST_F(Csv, NamesALineWithAStrayQuote) {
  for (const std::string line : {"1,\"2", "1,\"2\"\"", "1,2\"", "\"1\" ,2", "\"1\"2,3", "\"", "1,\"two\nlines\""}) {
    EXPECT_THAT(refusal("a,b\n1,2\n" + line + "\n5,6\n", 3), HasSubstr("has a quote that is not closed or stands"))
        << line;
  }
  EXPECT_THAT(refusal("a,b\n1,\"2\n", 2), StartsWith("field 2 "));
}

TEST_F(Csv, NamesALineThatIsNoText) {
  EXPECT_THAT(refusal("a,b\n1,caf\xE9\n", 2), HasSubstr("bytes that are not UTF-8"));
  EXPECT_THAT(refusal(std::string("a,b\n1,\0\n", 8), 2), HasSubstr("a control character"));
  EXPECT_THAT(refusal("a\tb\n1\t2\n", 1), HasSubstr("a control character"));
  EXPECT_THAT(refusal("a,b\r1,2\r", 1), HasSubstr("a control character"));
  EXPECT_THAT(refusal("a,b\n1,2\n\xEF\xBB\xBF"
                      "3,4\n",
                      3),
              HasSubstr("a control character"));
}

TEST_F(Csv, NamesAnEmptyLine) {
  EXPECT_EQ(refusal("a,b\n1,2\n\n3,4\n", 3), "is empty: remove it");
  EXPECT_EQ(refusal("a,b\n1,2\n\r\n", 3), "is empty: remove it");
  EXPECT_EQ(refusal("\na,b\n", 1), "is empty: remove it");
}

TEST_F(Csv, NamesAColumnThatIsThereTwice) {
  EXPECT_EQ(refusal("a,b,a\n1,2,3\n", 1), "names column \"a\" twice");
}

TEST_F(Csv, HasBounds) {
  EXPECT_THAT(refusal("a\n" + std::string(65'537, 'x') + "\n", 2),
              HasSubstr("has 65537 bytes, expected 65536 at most"));
  EXPECT_EQ(read("a\n" + std::string(65'536, 'x')).size(), 1u);
  EXPECT_THAT(refusal(std::string(256, ',') + "\n", 1), HasSubstr("has 257 columns, expected at most 256"));
}

TEST_F(Csv, NamesAFileThatIsEmptyOrGone) {
  for (const std::string text : {"", "\xEF\xBB\xBF"}) {
    EXPECT_EQ(message_of<storage::UsageError>([&] { read(text); }), file_.string() + ": is empty, expected CSV");
  }
  EXPECT_THAT(message_of<storage::Error>([&] { CsvReader(folder_ / "none.csv"); }),
              HasSubstr((folder_ / "none.csv").string() + ": cannot open: No such file"));
}

}  // namespace
