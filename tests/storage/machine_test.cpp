// Times as text, and back.
#include "storage/machine.hpp"

#include <gtest/gtest.h>

namespace storage {
namespace {

TEST(UtcText, ReadsBackAsTheSameSecond) {
  EXPECT_EQ(utc_text(1'700'000'000), "2023-11-14T22:13:20Z");
  EXPECT_EQ(utc_seconds("2023-11-14T22:13:20Z"), 1'700'000'000);
}

TEST(UtcText, TakesNothingThatIsNoTimeOrNotWrittenSo) {
  for (const char* text : {"", "now", "2023-11-14T22:13:20", "2023-02-31T00:00:00Z", "2023-11-14T22:13:20Z ",
                           " 2023-11-14T22:13:20Z", "2023-11-14 22:13:20Z"}) {
    EXPECT_FALSE(utc_seconds(text)) << text;
  }
}

}  // namespace
}  // namespace storage
