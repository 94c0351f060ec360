// The invariants of every weight reader.
#include "tests/fuzz/invariants.hpp"

#include <cstdio>
#include <cstdlib>
#include <set>

#include "plume/weights_layout.hpp"
#include "storage/error.hpp"
#include "tests/fuzz/live_bytes.hpp"

namespace fuzz {

void finding(const std::string& what) {
  std::fprintf(stderr, "FINDING: %s\n", what.c_str());
  std::abort();
}

namespace {

/// The character that begins at `at`, which is moved behind it; beyond U+10FFFF when there is none. A decoder of its
/// own, so that it need not share a mistake with the readers'.
std::uint32_t next_character(std::string_view text, std::size_t& at) {
  const auto lead = static_cast<unsigned char>(text[at++]);
  if (lead < 0x80) return lead;
  const int more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
  std::uint32_t character = lead & (0x3f >> more);
  for (int i = 0; i < more; ++i) {
    if (at == text.size() || (text[at] & 0xc0) != 0x80) return UINT32_MAX;
    character = character << 6 | (static_cast<unsigned char>(text[at++]) & 0x3f);
  }
  constexpr std::uint32_t kLeast[] = {0x80, 0x800, 0x10000};
  const bool surrogate = character >= 0xd800 && character < 0xe000;
  return lead < 0xc0 || character < kLeast[more - 1] || surrogate ? UINT32_MAX : character;
}

/// Would a terminal show it on one line, and obey nothing in it?
bool is_printable_line(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::uint32_t character = next_character(text, at);
    if (character < 0x20 || (character >= 0x7f && character < 0xa0) || character > 0x10ffff) return false;
    const bool separates = character == 0x2028 || character == 0x2029;
    const bool turns = (character >= 0x202a && character <= 0x202e) || (character >= 0x2066 && character <= 0x2069);
    if (separates || turns) return false;
  }
  return true;
}

void check_message(const std::string& message) {
  if (!message.starts_with(kOrigin + ": ")) finding("a message does not begin with the file's name: " + message);
  if (message.size() > kOrigin.size() + kMostMessage)
    finding("a message of " + std::to_string(message.size()) + " bytes: " + message.substr(0, 200));
  if (!is_printable_line(message)) finding("a message that is not one printable line: " + message);
}

void check_tensors(const std::vector<plume::WeightTensor>& tensors) {
  std::set<std::string_view> names;
  for (const plume::WeightTensor& tensor : tensors) {
    if (!names.insert(tensor.name).second) finding("a name is there twice: " + tensor.name);
    const auto elements = plume::element_count(tensor.shape);
    if (!elements || tensor.bytes.size() != static_cast<std::size_t>(*elements) * size_of(tensor.dtype))
      finding("the bytes of a tensor are not those of its shape: " + tensor.name);
  }
}

Outcome outcome_of(const Read& read, std::string_view bytes) {
  Outcome outcome;
  try {
    outcome.tensors = read(bytes, kOrigin);
  } catch (const storage::UsageError& error) {
    finding(std::string("blames the user: ") + error.what());
  } catch (const storage::Error& error) {
    outcome.refusal = error.what();
  } catch (const std::exception& error) {
    finding(std::string("another exception than storage::Error: ") + error.what());
  } catch (...) {
    finding("another exception than storage::Error");
  }
  return outcome;
}

bool same(const plume::WeightTensor& a, const plume::WeightTensor& b) {
  return a.name == b.name && a.dtype == b.dtype && a.shape == b.shape && a.bytes == b.bytes;
}

}  // namespace

Outcome check_reader(const Read& read, std::string_view bytes, std::size_t most_live) {
  Outcome outcome;
  {
    const LiveBytesLimit limit(most_live);
    outcome = outcome_of(read, bytes);
  }
  if (outcome.refusal.empty()) {
    check_tensors(outcome.tensors);
  } else {
    check_message(outcome.refusal);
  }
  const std::vector<char> copy(bytes.begin(), bytes.end());  // of its own size, so that a sanitizer sees its end
  const Outcome again = outcome_of(read, {copy.data(), copy.size()});
  if (again.refusal != outcome.refusal ||
      !std::equal(again.tensors.begin(), again.tensors.end(), outcome.tensors.begin(), outcome.tensors.end(), same))
    finding("reading the same bytes twice gives two results");
  return outcome;
}

std::size_t most_live_bytes(std::size_t size) {
  return (std::size_t{16} << 20) + (std::size_t{1} << 20) + 256 * size;
}

}  // namespace fuzz
