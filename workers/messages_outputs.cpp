// What tasks come out with, as JSON. A scanned image is a bare array of numbers, since a slice holds a thousand of
// them; one that cannot be read is the text that says why.
#include <stdexcept>

#include "storage/printable.hpp"
#include "workers/messages_tasks.hpp"

namespace workers {
namespace {

using storage::JsonValue;
using storage::JsonWriter;

constexpr std::int64_t kMaxSide = 1 << 20;

/// [crc32c, width, height] of a row of features; [..., sums r g b, squares r g b] of an image and, where it is resized
/// to a square for them, [..., square_sums, square_squares].
void write(JsonWriter& writer, const ScannedImage& image) {
  if (!image.fault.empty()) {
    writer.value(image.fault);
    return;
  }
  const std::size_t size = image.sums.empty() ? 0 : 3;
  const std::size_t resized_size = image.square_sums.empty() ? 0 : size;
  if (image.sums.size() != size || image.squares.size() != size || image.square_sums.size() != resized_size ||
      image.square_squares.size() != resized_size) {
    throw std::logic_error("a scanned image has three sums of each kind, or none after a resize; features have none");
  }
  writer.begin_array().value(std::uint64_t{image.crc32c}).value(image.width).value(image.height);
  for (const auto* sums : {&image.sums, &image.squares, &image.square_sums, &image.square_squares}) {
    for (const double sum : *sums) writer.value(sum);
  }
  writer.end_array();
}

ScannedImage read_fault(const JsonValue& value) {
  ScannedImage image;
  image.fault = value.string();
  if (image.fault.empty() || image.fault.size() > kLongestFault || !storage::is_plain_text(image.fault)) {
    refuse(value, "one line of at most " + std::to_string(kLongestFault) + " bytes");
  }
  return image;
}

ScannedImage read_image(const JsonValue& value) {
  if (value.is_string()) return read_fault(value);
  const std::vector<JsonValue> items = value.items();
  if (items.size() != 3 && items.size() != 9 && items.size() != 15) refuse(value, "3, 9 or 15 numbers");
  ScannedImage image;
  image.crc32c = static_cast<std::uint32_t>(items[0].integer(0, UINT32_MAX));
  image.width = static_cast<int>(items[1].integer(1, kMaxSide));
  image.height = static_cast<int>(items[2].integer(1, kMaxSide));
  std::size_t next = 3;
  for (auto* sums : {&image.sums, &image.squares, &image.square_sums, &image.square_squares}) {
    if (next == items.size()) break;
    for (int channel = 0; channel < 3; ++channel) sums->push_back(items[next++].number());
  }
  return image;
}

void write(JsonWriter& writer, const Spent& spent) {
  writer.key("spent").begin_array();
  for (const double seconds : {spent.waiting, spent.computing, spent.writing}) writer.value(seconds);
  writer.end_array();
}

Spent read_spent(const JsonValue& value) {
  const std::vector<JsonValue> items = value.items();
  if (items.size() != 3) refuse(value, "3 numbers");
  for (const JsonValue& item : items) {
    if (item.number() < 0) refuse(item, "at least 0");
  }
  return {items[0].number(), items[1].number(), items[2].number()};
}

void write_members(JsonWriter& writer, const Scanned& scanned) {
  writer.member("type", "scanned").key("images").begin_array();
  for (const ScannedImage& image : scanned.images) write(writer, image);
  writer.end_array();
  write(writer, scanned.spent);
}

void write_members(JsonWriter& writer, const Extracted& extracted) {
  writer.member("type", "extracted").member("rows", extracted.rows);
  write(writer, extracted.spent);
}

void write_members(JsonWriter& writer, const Assembled& assembled) {
  writer.member("type", "assembled").member("checksum", assembled.checksum);
}

void write_members(JsonWriter& writer, const Trained& trained) {
  writer.member("type", "trained").key("result").raw(results::encode(trained.result));
}

Scanned read_scanned(const JsonValue& value) {
  value.allow_only({"type", "images", "spent"});
  Scanned scanned;
  for (const JsonValue& item : value.at("images").items()) scanned.images.push_back(read_image(item));
  scanned.spent = read_spent(value.at("spent"));
  return scanned;
}

}  // namespace

void write(JsonWriter& writer, const TaskOutput& output) {
  writer.begin_object();
  std::visit([&writer](const auto& one) { write_members(writer, one); }, output);
  writer.end_object();
}

TaskOutput read_output(const JsonValue& value) {
  const std::string type = value.at("type").string();
  if (type == "scanned") return read_scanned(value);
  if (type == "extracted") {
    value.allow_only({"type", "rows", "spent"});
    return Extracted{value.at("rows").integer(0), read_spent(value.at("spent"))};
  }
  if (type == "assembled") {
    value.allow_only({"type", "checksum"});
    return Assembled{value.at("checksum").string()};
  }
  if (type == "trained") {
    value.allow_only({"type", "result"});
    return Trained{results::decode_result(value.at("result"))};
  }
  refuse(value.at("type"), "\"scanned\", \"extracted\", \"assembled\" or \"trained\"");
}

}  // namespace workers
