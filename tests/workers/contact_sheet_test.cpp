// The page of pictures.
#include "workers/contact_sheet.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace workers {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(ContactSheet, SpreadsItsChoiceOverAllRows) {
  EXPECT_THAT(evenly_spread({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 4), ElementsAre(0, 2, 5, 7));
  EXPECT_THAT(evenly_spread({3, 8}, 4), ElementsAre(3, 8));
  EXPECT_TRUE(evenly_spread({}, 4).empty());
}

TEST(ContactSheet, ShowsNamesAsTextWhateverTheyHold) {
  ContactSheet sheet;
  sheet.title = "<script>alert(1)</script>";
  SheetPicture picture;
  picture.image = {1, 1, std::vector<std::uint8_t>{255, 0, 0}};
  picture.row_id = "train/a\" onerror=\"x/<b>.png";
  picture.size = "1 x 1";
  picture.about = "input 0 to 1";
  sheet.classes.push_back({"R&D", true, "1 train, 0 test", {picture}});
  EXPECT_THAT(to_html(sheet),
              AllOf(Not(HasSubstr("<script")), Not(HasSubstr("onerror=\"x")), HasSubstr("R&amp;D"),
                    HasSubstr("&lt;script&gt;"), HasSubstr("only an anomaly"), HasSubstr("default-src 'none'"),
                    HasSubstr("title=\"train/a&quot; onerror=&quot;x/&lt;b&gt;.png: 1 x 1, input 0 to 1\""),
                    HasSubstr("<img src=\"data:image/png;base64,iVBORw0KGgo")));
}

}  // namespace
}  // namespace workers
