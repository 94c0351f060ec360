// Tasks as JSON. Every size and range is checked when read: a task names files and row numbers that its reader will
// trust.
#include "workers/messages_tasks.hpp"

#include <algorithm>
#include <limits>

#include "sweeps/backbones.hpp"
#include "workers/checksums.hpp"

namespace workers {
namespace {

using storage::JsonValue;
using storage::JsonWriter;

constexpr std::int64_t kMaxSquare = 1 << 14;

void write(JsonWriter& writer, const DataSource& data) {
  writer.begin_object().member("id", data.spec.id);
  writer.key("spec").raw(sweeps::canonical_text(data.spec));
  writer.member("root", data.root).end_object();
}

DataSource read_data(const JsonValue& value) {
  value.allow_only({"id", "spec", "root"});
  DataSource data;
  data.spec = sweeps::read_dataset_spec(value.at("id").string(), value.at("spec"));
  data.root = value.at("root").string();
  return data;
}

datasets::Split read_split(const JsonValue& value) {
  const std::string name = value.string();
  if (name == "train") return datasets::Split::train;
  if (name == "test") return datasets::Split::test;
  refuse(value, "\"train\" or \"test\"");
}

std::string_view split_name(datasets::Split split) {
  return split == datasets::Split::train ? "train" : "test";
}

/// Ids become file names, so nothing but hexadecimal digits may be in them.
std::string read_set_id(const JsonValue& value) {
  std::string id = value.string();
  const auto is_hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  if (id.size() != 32 || !std::all_of(id.begin(), id.end(), is_hex)) {
    refuse(value, "32 hexadecimal digits");
  }
  return id;
}

struct Slice {
  std::int64_t first = 0;
  std::int64_t count = 0;
};
/// Rows [first, first + count), at least one, none beyond `rows`.
Slice read_slice(const JsonValue& value, std::int64_t rows) {
  Slice slice;
  slice.first = value.at("first").integer(0, rows);
  slice.count = value.at("count").integer(1);
  if (slice.count > rows - slice.first) {
    refuse(value.at("count"), "at most " + std::to_string(rows - slice.first));
  }
  return slice;
}

void write_numbers(JsonWriter& writer, const std::vector<double>& numbers) {
  writer.begin_array();
  for (const double number : numbers) writer.value(number);
  writer.end_array();
}

/// Three numbers, one a channel, none below `least`.
std::vector<double> read_channels(const JsonValue& value, double least) {
  std::vector<double> numbers;
  for (const JsonValue& item : value.items()) {
    const double number = item.number();
    if (number < least) refuse(item, "at least " + storage::shortest(least));
    numbers.push_back(number);
  }
  if (numbers.size() != 3) refuse(value, "3 numbers");
  return numbers;
}

/// Three numbers or none.
std::vector<double> read_channels_if_any(const JsonValue& value, double least) {
  return value.items().empty() ? std::vector<double>{} : read_channels(value, least);
}

/// A backbone has weights and normalised input; images or features that are taken as they are have neither.
void read_input(const JsonValue& value, FeatureRecipe& recipe) {
  const JsonValue weights = value.at("weights");
  recipe.weights = weights.string();
  if (sweeps::has_weights(recipe.backbone)) {
    if (recipe.weights.empty()) refuse(weights, "a file");
    recipe.mean = read_channels(value.at("mean"), std::numeric_limits<double>::lowest());
    recipe.std_dev = read_channels(value.at("std_dev"), 0);
    return;
  }
  if (!recipe.weights.empty()) refuse(weights, "\"\", because " + recipe.backbone + " has no weights");
  for (const char* key : {"mean", "std_dev"}) {
    const JsonValue numbers = value.at(key);
    if (!numbers.items().empty()) refuse(numbers, "[], because " + recipe.backbone + " is not normalised");
  }
}

void write(JsonWriter& writer, const FeatureRecipe& recipe) {
  writer.begin_object().key("data");
  write(writer, recipe.data);
  writer.member("split", split_name(recipe.split));
  if (recipe.rows_per_class) writer.member("rows_per_class", *recipe.rows_per_class);
  writer.member("backbone", recipe.backbone).member("weights", recipe.weights);
  writer.key("mean");
  write_numbers(writer, recipe.mean);
  writer.key("std_dev");
  write_numbers(writer, recipe.std_dev);
  writer.member("identity", recipe.identity).member("id", recipe.id).member("cache", recipe.cache);
  writer.member("row_count", recipe.row_count).member("row_length", recipe.row_length).end_object();
}

FeatureRecipe read_recipe(const JsonValue& value) {
  value.allow_only({"data", "split", "rows_per_class", "backbone", "weights", "mean", "std_dev", "identity", "id",
                    "cache", "row_count", "row_length"});
  FeatureRecipe recipe;
  recipe.data = read_data(value.at("data"));
  recipe.split = read_split(value.at("split"));
  if (const auto rows = value.find("rows_per_class")) recipe.rows_per_class = rows->integer(1);
  recipe.backbone = value.at("backbone").string();
  read_input(value, recipe);
  recipe.identity = value.at("identity").string();
  recipe.id = read_set_id(value.at("id"));
  recipe.cache = value.at("cache").string();
  recipe.row_count = value.at("row_count").integer(0);
  recipe.row_length = value.at("row_length").integer(1, std::int64_t{1} << 20);
  return recipe;
}

// ---- one function a task, and its inverse
// ------------------------------------------------------------------------------

void write_members(JsonWriter& writer, const ScanTask& task) {
  writer.member("type", "scan").key("data");
  write(writer, task.data);
  writer.member("split", split_name(task.split)).member("first", task.first).member("count", task.count);
  writer.member("square", task.square);
}

ScanTask read_scan(const JsonValue& value) {
  value.allow_only({"type", "data", "split", "first", "count", "square"});
  const Slice slice = read_slice(value, std::numeric_limits<std::int64_t>::max());
  return {read_data(value.at("data")), read_split(value.at("split")), slice.first, slice.count,
          static_cast<int>(value.at("square").integer(1, kMaxSquare))};
}

void write_members(JsonWriter& writer, const ExtractTask& task) {
  writer.member("type", "extract").key("recipe");
  write(writer, task.recipe);
  writer.member("part", task.part).member("first", task.first).member("count", task.count);
  writer.key("rows").begin_array();
  for (const std::int64_t row : task.rows) writer.value(row);
  writer.end_array();
  writer.member("checksums", hex_of(task.checksums));
}

/// `count` row numbers, each above the one before.
std::vector<std::int64_t> read_rows(const JsonValue& value, std::int64_t count) {
  const std::vector<JsonValue> items = value.items();
  if (static_cast<std::int64_t>(items.size()) != count) refuse(value, std::to_string(count) + " row numbers");
  std::vector<std::int64_t> rows;
  for (const JsonValue& item : items) rows.push_back(item.integer(rows.empty() ? 0 : rows.back() + 1, INT64_MAX - 1));
  return rows;
}

ExtractTask read_extract(const JsonValue& value) {
  value.allow_only({"type", "recipe", "part", "first", "count", "rows", "checksums"});
  FeatureRecipe recipe = read_recipe(value.at("recipe"));
  const Slice slice = read_slice(value, recipe.row_count);
  const JsonValue hex = value.at("checksums");
  const auto checksums = checksums_of(hex.string());
  if (!checksums || static_cast<std::int64_t>(checksums->size()) != slice.count) {
    refuse(hex, "8 hexadecimal digits for each of " + std::to_string(slice.count) + " rows");
  }
  return {std::move(recipe),
          value.at("part").integer(0),
          slice.first,
          slice.count,
          read_rows(value.at("rows"), slice.count),
          *checksums};
}

void write_members(JsonWriter& writer, const AssembleTask& task) {
  writer.member("type", "assemble").key("recipe");
  write(writer, task.recipe);
  writer.key("part_sizes").begin_array();
  for (const std::int64_t size : task.part_sizes) writer.value(size);
  writer.end_array();
}

AssembleTask read_assemble(const JsonValue& value) {
  value.allow_only({"type", "recipe", "part_sizes"});
  AssembleTask task{read_recipe(value.at("recipe")), {}};
  std::int64_t left = task.recipe.row_count;
  for (const JsonValue& item : value.at("part_sizes").items()) {
    task.part_sizes.push_back(item.integer(1, left));
    left -= task.part_sizes.back();
  }
  if (left != 0) {
    refuse(value.at("part_sizes"), "sizes that add up to row_count, " + std::to_string(task.recipe.row_count));
  }
  return task;
}

void write_members(JsonWriter& writer, const TrainTask& task) {
  writer.member("type", "train").key("job").raw(sweeps::canonical_text(task.job));
  writer.member("train_file", task.train_file).member("train_id", task.train_id);
  writer.member("train_identity", task.train_identity);
  writer.member("test_file", task.test_file).member("test_id", task.test_id);
  writer.member("test_identity", task.test_identity);
  writer.key("mean");
  write_numbers(writer, task.mean);
  writer.key("std_dev");
  write_numbers(writer, task.std_dev);
  writer.member("save", sweeps::name_of(task.keep.save)).member("dump", task.keep.dump);
}

TrainTask read_train(const JsonValue& value) {
  value.allow_only({"type", "job", "train_file", "train_id", "train_identity", "test_file", "test_id", "test_identity",
                    "mean", "std_dev", "save", "dump"});
  TrainTask task;
  task.job = sweeps::read_job(value.at("job"));
  task.train_file = value.at("train_file").string();
  task.train_id = read_set_id(value.at("train_id"));
  task.train_identity = value.at("train_identity").string();
  task.test_file = value.at("test_file").string();
  task.test_id = read_set_id(value.at("test_id"));
  task.test_identity = value.at("test_identity").string();
  task.mean = read_channels_if_any(value.at("mean"), std::numeric_limits<double>::lowest());
  task.std_dev = read_channels_if_any(value.at("std_dev"), 0);
  if (task.mean.size() != task.std_dev.size()) refuse(value.at("std_dev"), "as many numbers as in mean");
  for (const char* key : {"save", "dump"}) value.at(key);  // a task leaves nothing to a default
  task.keep = sweeps::read_keep(value);
  return task;
}

}  // namespace

void refuse(const JsonValue& value, const std::string& expected) {
  constexpr std::size_t kLongest = 60;
  std::string found = value.text();
  if (found.size() > kLongest) {
    std::size_t cut = kLongest;
    while (cut > 0 && (static_cast<unsigned char>(found[cut]) & 0xC0) == 0x80) --cut;  // not inside a character
    found = found.substr(0, cut) + "...";
  }
  value.fail("expected " + expected + ", found " + found);
}

void write(JsonWriter& writer, const Task& task) {
  writer.begin_object();
  std::visit([&writer](const auto& one) { write_members(writer, one); }, task);
  writer.end_object();
}

Task read_task(const JsonValue& value) {
  const std::string type = value.at("type").string();
  if (type == "scan") return read_scan(value);
  if (type == "extract") return read_extract(value);
  if (type == "assemble") return read_assemble(value);
  if (type == "train") return read_train(value);
  refuse(value.at("type"), "\"scan\", \"extract\", \"assemble\" or \"train\"");
}

}  // namespace workers
