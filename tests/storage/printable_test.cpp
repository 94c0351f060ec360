// Text from files in messages: what is shown, what is replaced, where it is cut.
#include "storage/printable.hpp"

#include <gtest/gtest.h>

namespace storage {
namespace {

TEST(Printable, ShowsLettersOfAnyLanguage) {
  EXPECT_EQ(printable_line("Größe 重み \xf0\x9f\x90\x88", 100), "Größe 重み \xf0\x9f\x90\x88");
}

TEST(Printable, ReplacesWhatATerminalObeys) {
  EXPECT_EQ(printable_line("a\n\x1b[2Jb\x7f", 100), "a??[2Jb?");
  EXPECT_EQ(printable_line("\xc2\x9b\xc2\xa0", 100), "?\xc2\xa0") << "U+009B begins an escape code, U+00A0 is a space";
  EXPECT_EQ(printable_line("\xe2\x80\xa8|\xe2\x80\xae|\xe2\x81\xa6|\xef\xbb\xbf|\xe2\x80\x94", 100),
            "?|?|?|?|\xe2\x80\x94");
}

TEST(Printable, ReplacesBytesThatAreNotUtf8) {
  EXPECT_EQ(printable_line("\xff|\xc0\x80|\xed\xa0\x80|\xe2\x82", 100), "?|??|???|??");
}

TEST(Printable, CutsInTheMiddleBetweenCharacters) {
  EXPECT_EQ(printable_line("0123456789", 10), "0123456789");
  EXPECT_EQ(printable_line("0123456789a", 10), "012...789a");
  EXPECT_EQ(printable_line("ééééééééé9", 10), "é...é9") << "a character of two bytes is kept or dropped whole";
  EXPECT_LE(printable_line(std::string(1'000, '\xbf'), 10).size(), 10u);
}

}  // namespace
}  // namespace storage
