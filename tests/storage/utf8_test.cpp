// What counts as UTF-8.
#include "storage/utf8.hpp"

#include <gtest/gtest.h>

namespace storage {
namespace {

TEST(Utf8, KnowsItsCharacters) {
  EXPECT_TRUE(is_utf8("a é 重 \xf0\x9f\x90\x88"));
  EXPECT_EQ(character_length("a重", 1), 3u);
  for (const char* text : {"\xff", "\xc3", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\x80"}) {
    EXPECT_FALSE(is_utf8(text));
    EXPECT_EQ(character_length(text, 0), 0u);
  }
}

}  // namespace
}  // namespace storage
