// Pictures of a data set on one page: self-contained HTML without script and network. Knows no LibTorch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "datasets/dataset.hpp"

namespace workers {

struct SheetPicture {
  datasets::Image image;  ///< as it is to be seen
  std::string row_id;
  std::string size;          ///< of the original, "320 x 200"
  std::string about;         ///< "input -1.93 to 2.07"
  std::string caption = {};  ///< the line under its name; "": its size
};
struct SheetClass {
  std::string name;
  bool only_anomaly = false;
  std::string about;  ///< "5,000 training, 1,000 test"
  std::vector<SheetPicture> pictures;
};
struct ContactSheet {
  std::string title;
  std::vector<std::string> notes;  ///< lines under the title
  std::vector<SheetClass> classes;
};

/// Rows of `rows` shown of a class: at most `most`, evenly spread, in order. 10 rows, 4 of them: 0 2 5 7.
std::vector<std::int64_t> evenly_spread(const std::vector<std::int64_t>& rows, std::size_t most);

/// A picture a row, as `<img>` with a PNG in it; whatever a name holds is shown as text.
std::string to_html(const ContactSheet& sheet);

}  // namespace workers
