// UTF-8, sequence by sequence.
#include "storage/utf8.hpp"

#include <algorithm>

namespace storage {
namespace {

/// Length of the sequence that starts with `lead`; 0: none does.
std::size_t sequence_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead < 0xE0) return 2;
  if (lead >= 0xE0 && lead < 0xF0) return 3;
  return lead >= 0xF0 && lead < 0xF5 ? 4 : 0;
}

/// Of sequences of three and four bytes some are longer than needed, halves of UTF-16 pairs, or beyond U+10FFFF.
bool is_shortest_and_no_surrogate(unsigned char lead, unsigned char second) {
  return !((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second >= 0xA0) || (lead == 0xF0 && second < 0x90) ||
           (lead == 0xF4 && second >= 0x90));
}

}  // namespace

std::size_t character_length(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const std::size_t length = sequence_length(lead);
  if (length > text.size() - at) return 0;
  for (std::size_t k = 1; k < length; ++k) {
    if ((static_cast<unsigned char>(text[at + k]) & 0xC0) != 0x80) return 0;
  }
  const bool right = length <= 2 || is_shortest_and_no_surrogate(lead, static_cast<unsigned char>(text[at + 1]));
  return right ? length : 0;
}

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = character_length(text, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

}  // namespace storage
