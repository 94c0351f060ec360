// The invariants of every weight reader.
#include "tests/fuzz/invariants.hpp"

#include <cstdio>
#include <cstdlib>
#include <set>

#include "plume/weights_layout.hpp"
#include "plume/weights_reader.hpp"
#include "storage/error.hpp"
#include "tests/fuzz/live_bytes.hpp"

namespace fuzz {

void finding(const std::string& what) {
  std::fprintf(stderr, "FINDING: %s\n", what.c_str());
  std::abort();
}

namespace {

/// Would a terminal show it on one line, and nothing else? UTF-8 without control characters and without what turns the
/// direction of writing.
bool is_printable_line(std::string_view text) {
  if (!plume::is_utf8(text)) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto at = [&](std::size_t k) { return k < text.size() ? static_cast<unsigned char>(text[k]) : 0u; };
    if (at(i) < 0x20 || at(i) == 0x7f) return false;
    if (at(i) == 0xc2 && at(i + 1) < 0xa0) return false;                        // U+0080..U+009F
    if (at(i) == 0xe2 && at(i + 1) == 0x80 && at(i + 2) >= 0xa8 && at(i + 2) <= 0xae) return false;  // U+2028..U+202E
    if (at(i) == 0xe2 && at(i + 1) == 0x81 && at(i + 2) >= 0xa6 && at(i + 2) <= 0xa9) return false;  // U+2066..U+2069
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
