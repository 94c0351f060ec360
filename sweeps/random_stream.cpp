// Random numbers from a key and a counter with Random123's Philox4x32-10. Keeps no state and knows no tensor.
#include "sweeps/random_stream.hpp"

#include <numeric>
#include <stdexcept>
#include <utility>

#include "storage/digest.hpp"
#include "storage/json.hpp"
#include "sweeps/stream_words.hpp"

namespace sweeps {
namespace {

std::uint32_t little_endian(const std::uint8_t* bytes) {
  return std::uint32_t{bytes[0]} | std::uint32_t{bytes[1]} << 8 | std::uint32_t{bytes[2]} << 16 |
         std::uint32_t{bytes[3]} << 24;
}

}  // namespace

RandomStream::RandomStream(std::uint64_t seed, std::string_view dataset, std::string_view normal_class,
                           std::string_view name) {
  storage::JsonWriter writer;
  writer.begin_array().value(seed).value(dataset).value(normal_class).value(name).end_array();
  const storage::Sha256Digest digest = storage::sha256(writer.text());
  key_ = {little_endian(digest.data()), little_endian(digest.data() + 4)};
}

std::array<std::uint32_t, 4> RandomStream::words(std::uint32_t epoch, std::uint32_t step, std::uint64_t block) const {
  const StreamWords words = stream_words(key_[0], key_[1], epoch, step, block);
  return {words.word[0], words.word[1], words.word[2], words.word[3]};
}

void RandomStream::fill_uniform(std::uint32_t epoch, std::uint32_t step, float low, float high, std::span<float> out,
                                std::uint64_t first_block) const {
  for (std::size_t start = 0; start < out.size(); start += 4) {
    const auto block = words(epoch, step, first_block + start / 4);
    for (std::size_t i = 0; i < 4 && start + i < out.size(); ++i) {
      out[start + i] = uniform_of(block[i], low, high);
    }
  }
}

void RandomStream::fill_normal(std::uint32_t epoch, std::uint32_t step, std::span<float> out,
                               std::uint64_t first_block) const {
  for (std::size_t start = 0; start < out.size(); start += 4) {
    const auto block = words(epoch, step, first_block + start / 4);
    const auto [a, b] = box_muller(block[0], block[1]);
    const auto [c, d] = box_muller(block[2], block[3]);
    const std::array<float, 4> normals = {a, b, c, d};
    for (std::size_t i = 0; i < 4 && start + i < out.size(); ++i) out[start + i] = normals[i];
  }
}

std::vector<std::int64_t> RandomStream::permutation(std::uint32_t epoch, std::int64_t n) const {
  if (n < 0 || n > std::int64_t{UINT32_MAX})
    throw std::invalid_argument("a permutation of " + std::to_string(n) + " elements");
  std::vector<std::int64_t> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::uint64_t drawn = 0;
  std::array<std::uint32_t, 4> block{};
  const auto next_word = [&] {
    if (drawn % 4 == 0) block = words(epoch, 0, drawn / 4);
    return block[drawn++ % 4];
  };
  for (std::size_t i = order.size(); i-- > 1;) {
    const auto choices = static_cast<std::uint32_t>(i + 1);
    const std::uint32_t surplus =
        (0U - choices) % choices;  // 2^32 mod choices: words below it would favour small indices
    std::uint32_t word = next_word();
    while (word < surplus) word = next_word();
    std::swap(order[i], order[word % choices]);
  }
  return order;
}

}  // namespace sweeps
