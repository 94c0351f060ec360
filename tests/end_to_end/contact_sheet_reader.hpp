// Takes the pictures out of a contact sheet, with other code than wrote them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tests {

struct PictureOfSheet {
  std::string title;
  std::uint32_t width = 0, height = 0;
  std::vector<std::uint8_t> rgb;
};

/// Every <img>, in order. Throws std::runtime_error for one that is no PNG in base64.
std::vector<PictureOfSheet> pictures_of(const std::string& html);

}  // namespace tests
