// The layout of a dump, over storage's files of named arrays.
#include "results/dump.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <initializer_list>
#include <type_traits>
#include <utility>

#include "storage/array_file.hpp"
#include "storage/array_file_read.hpp"
#include "storage/digest.hpp"
#include "storage/error.hpp"

namespace results {
namespace {

namespace fs = std::filesystem;
using storage::ArrayType;
using storage::ArrayValues;
using storage::CheckedArrays;
using storage::FixedText;
using storage::NamedArray;

constexpr const char* kFormat = "plume-bench dump";
constexpr std::size_t kMostTextBytes = std::size_t{1} << 16;  ///< what a reader of texts believes

// ---- what holds of every dump

std::string fault_of(const std::string& name, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    if (text.find('\0') != std::string::npos) return name + ": a text with a zero byte";
    if (text.size() > kMostTextBytes) return fmt::format("{}: a text of more than {} bytes", name, kMostTextBytes);
  }
  return "";
}

bool is_normal(const Dump& dump, std::int64_t label) {
  const std::string& name = dump.classes.at(static_cast<std::size_t>(label));
  return std::find(dump.normal_classes.begin(), dump.normal_classes.end(), name) != dump.normal_classes.end();
}

std::string fault_of(const Dump& dump, const std::string& name, const RowNames& rows, std::optional<bool> normal) {
  if (rows.ids.size() != rows.labels.size()) {
    return fmt::format("{}: {} ids of {} labels", name, rows.ids.size(), rows.labels.size());
  }
  for (const std::int64_t label : rows.labels) {
    if (label < 0 || label >= static_cast<std::int64_t>(dump.classes.size())) {
      return fmt::format("{}/labels: {} has no class", name, label);
    }
    if (normal && is_normal(dump, label) != *normal) {
      return fmt::format("{}/labels: {} is {} class", name, label, *normal ? "no normal" : "a normal");
    }
  }
  return fault_of(name + "/ids", rows.ids);
}

template <typename T>
std::string fault_of(const std::string& name, const std::vector<T>& values, std::uint64_t expected) {
  if (values.size() != expected) return fmt::format("{}: {} values, expected {}", name, values.size(), expected);
  const bool finite = std::all_of(values.begin(), values.end(), [](T value) { return std::isfinite(value); });
  return finite ? "" : name + ": a number that is not finite";
}

/// The first that is not "".
std::string first_of(std::initializer_list<std::string> faults) {
  for (const std::string& fault : faults) {
    if (!fault.empty()) return fault;
  }
  return "";
}

std::string fault_of(const Dump& dump, const std::string& name, const DumpedRows& rows, std::uint64_t count) {
  return first_of({fault_of(name + "/features", rows.features, count * static_cast<std::uint64_t>(dump.dimension)),
                   fault_of(name + "/embeddings", rows.embeddings, count * static_cast<std::uint64_t>(dump.embedding)),
                   fault_of(name + "/scores", rows.scores, count)});
}

std::string fault_of(const Dump& dump, const std::string& name, const DumpedEpoch& epoch) {
  if (epoch.epoch < 0) return fmt::format("{}: epoch {}", name, epoch.epoch);
  if (epoch.auroc && !(*epoch.auroc >= 0 && *epoch.auroc <= 1)) return name + ": an AUROC outside [0, 1]";
  return first_of({fault_of(dump, name + "/normal", epoch.normal, dump.normal.ids.size()),
                   fault_of(dump, name + "/pseudo", epoch.pseudo, dump.normal.ids.size()),
                   fault_of(dump, name + "/anomalous", epoch.anomalous, dump.anomalous.ids.size()),
                   fault_of(name + "/test/scores", epoch.test_scores, dump.test.ids.size())});
}

std::string fault_of(const Dump& dump) {
  if (storage::hex(storage::sha256(dump.job), 16) != dump.key) return "the key is not that of the job";
  if (dump.dimension < 1 || dump.embedding < 0) {
    return fmt::format("impossible sizes: dimension {}, embedding {}", dump.dimension, dump.embedding);
  }
  for (const std::string& name : dump.normal_classes) {
    if (std::find(dump.classes.begin(), dump.classes.end(), name) == dump.classes.end())
      return "normal_classes: one that is no class";
  }
  return first_of({fault_of("job", {dump.job}), fault_of("classes", dump.classes),
                   fault_of(dump, "normal", dump.normal, true), fault_of(dump, "anomalous", dump.anomalous, false),
                   fault_of(dump, "test", dump.test, std::nullopt), dump.best ? fault_of(dump, "best", *dump.best) : "",
                   fault_of(dump, "last", dump.last)});
}

// ---- the arrays

NamedArray matrix(const std::string& path, const std::vector<float>& values, std::uint64_t rows,
                  std::int64_t row_length) {
  NamedArray array{path, ArrayType::reals, values.size(), 0, {}, [&](ArrayValues& all) { all.reals(values); }};
  array.rows = rows;
  array.row_length = static_cast<std::uint64_t>(row_length);
  return array;
}

NamedArray numbers(const std::string& path, const std::vector<double>& values) {
  return {path, ArrayType::numbers, values.size(), 0, {}, [&](ArrayValues& all) {
            for (const double value : values) all.number(value);
          }};
}

NamedArray wholes(const std::string& path, const std::vector<std::int64_t>& values) {
  return {path, ArrayType::wholes, values.size(), 0, {}, [&](ArrayValues& all) {
            for (const std::int64_t value : values) all.whole(value);
          }};
}

NamedArray texts(const std::string& path, const std::vector<std::string>& values) {
  std::size_t longest = 0;
  for (const std::string& value : values) longest = std::max(longest, value.size());
  return {path, ArrayType::texts, values.size(), longest, {}, [&](ArrayValues& all) {
            for (const std::string& value : values) all.text(value);
          }};
}

void add_rows(std::vector<NamedArray>& arrays, const Dump& dump, const std::string& path, const DumpedRows& rows) {
  arrays.push_back(matrix(path + "/features", rows.features, rows.scores.size(), dump.dimension));
  arrays.push_back(matrix(path + "/embeddings", rows.embeddings, rows.scores.size(), dump.embedding));
  arrays.push_back(numbers(path + "/scores", rows.scores));
}

void add_epoch(std::vector<NamedArray>& arrays, const Dump& dump, const std::string& path, const DumpedEpoch& epoch) {
  add_rows(arrays, dump, path + "/normal", epoch.normal);
  add_rows(arrays, dump, path + "/pseudo", epoch.pseudo);
  add_rows(arrays, dump, path + "/anomalous", epoch.anomalous);
  arrays.push_back(numbers(path + "/test/scores", epoch.test_scores));
}

/// Refer to the dump.
std::vector<NamedArray> arrays_of(const Dump& dump) {
  std::vector<NamedArray> arrays{texts("classes", dump.classes), texts("normal_classes", dump.normal_classes)};
  const std::pair<const char*, const RowNames*> names[] = {
      {"normal", &dump.normal}, {"anomalous", &dump.anomalous}, {"test", &dump.test}};
  for (const auto& [name, rows] : names) {
    arrays.push_back(texts(fmt::format("{}/ids", name), rows->ids));
    arrays.push_back(wholes(fmt::format("{}/labels", name), rows->labels));
  }
  if (dump.best) add_epoch(arrays, dump, "best", *dump.best);
  add_epoch(arrays, dump, "last", dump.last);
  return arrays;
}

// ---- the checksum

/// Everything with its length before it, so that no two dumps are the same bytes.
class Digest {
 public:
  void whole(std::int64_t value) { sha_.update(&value, sizeof value); }
  void number(const std::optional<double>& value) {
    whole(value ? 1 : 0);
    whole(std::bit_cast<std::int64_t>(value.value_or(0)));
  }
  void text(const std::string& value) {
    whole(static_cast<std::int64_t>(value.size()));
    sha_.update(value);
  }
  template <typename T>
  void all(const std::vector<T>& values) {
    whole(static_cast<std::int64_t>(values.size()));
    if constexpr (std::is_same_v<T, std::string>) {
      for (const std::string& value : values) text(value);
    } else {
      sha_.update(values.data(), values.size() * sizeof(T));
    }
  }
  void names(const RowNames& rows) {
    all(rows.ids);
    all(rows.labels);
  }
  void rows(const DumpedRows& rows) {
    all(rows.features);
    all(rows.embeddings);
    all(rows.scores);
  }
  void epoch(const DumpedEpoch& epoch) {
    whole(epoch.epoch);
    number(epoch.auroc);
    rows(epoch.normal);
    rows(epoch.pseudo);
    rows(epoch.anomalous);
    all(epoch.test_scores);
  }
  std::string finish() { return storage::hex(sha_.finish(), 16); }

 private:
  storage::Sha256 sha_;
};

// ---- reading

RowNames read_names(const CheckedArrays& arrays, const std::string& path) {
  RowNames rows;
  rows.ids = arrays.texts(path + "/ids");
  rows.labels = arrays.wholes(path + "/labels", {rows.ids.size()});
  return rows;
}

DumpedRows read_rows(const CheckedArrays& arrays, const std::string& path, const Dump& dump, std::uint64_t count) {
  const auto dimension = static_cast<std::uint64_t>(dump.dimension);
  const auto embedding = static_cast<std::uint64_t>(dump.embedding);
  return {arrays.reals(path + "/features", {count, dimension}), arrays.reals(path + "/embeddings", {count, embedding}),
          arrays.numbers(path + "/scores", {count})};
}

DumpedEpoch read_epoch(const CheckedArrays& arrays, const std::string& path, const Dump& dump) {
  DumpedEpoch epoch;
  const std::int64_t number = arrays.whole_attribute((path + "_epoch").c_str());
  if (number < 0 || number > INT32_MAX) arrays.damaged(fmt::format("{}_epoch is {}", path, number));
  epoch.epoch = static_cast<int>(number);
  const std::string auroc = path + "_auroc";
  if (arrays.has_attribute(auroc.c_str())) epoch.auroc = arrays.number_attribute(auroc.c_str());
  epoch.normal = read_rows(arrays, path + "/normal", dump, dump.normal.ids.size());
  epoch.pseudo = read_rows(arrays, path + "/pseudo", dump, dump.normal.ids.size());
  epoch.anomalous = read_rows(arrays, path + "/anomalous", dump, dump.anomalous.ids.size());
  epoch.test_scores = arrays.numbers(path + "/test/scores", {dump.test.ids.size()});
  return epoch;
}

void check_format(const CheckedArrays& arrays, const fs::path& file) {
  if (arrays.text_attribute("format") != kFormat) arrays.damaged(fmt::format("expected format \"{}\"", kFormat));
  const std::int64_t version = arrays.whole_attribute("version");
  if (version == kDumpVersion) return;
  throw storage::Error(
      fmt::format("{}: expected version {} of the dump format, found {}: use the plume-bench that wrote it",
                  file.string(), kDumpVersion, version));
}

}  // namespace

fs::path dump_file(const fs::path& directory, const sweeps::JobKey& key) {
  return directory / "dumps" / (key.hex + ".h5");
}

std::string checksum_of(const Dump& dump) {
  Digest digest;
  digest.text(dump.job);
  digest.text(dump.key);
  digest.whole(dump.dimension);
  digest.whole(dump.embedding);
  digest.all(dump.classes);
  digest.all(dump.normal_classes);
  digest.names(dump.normal);
  digest.names(dump.anomalous);
  digest.names(dump.test);
  digest.whole(dump.best ? 1 : 0);
  if (dump.best) digest.epoch(*dump.best);
  digest.epoch(dump.last);
  return digest.finish();
}

void write_dump(const fs::path& target, const Dump& dump) {
  const std::string fault = fault_of(dump);
  if (!fault.empty()) throw DumpRefused(fmt::format("{}: no dump is written: {}", target.string(), fault));
  storage::ArrayAttributes attributes{{"format", FixedText{kFormat}},
                                      {"version", kDumpVersion},
                                      {"job", FixedText{dump.job}},
                                      {"key", FixedText{dump.key}},
                                      {"checksum", FixedText{checksum_of(dump)}},
                                      {"dimension", dump.dimension},
                                      {"embedding", dump.embedding}};
  const auto add = [&](const std::string& name, const DumpedEpoch& epoch) {
    attributes.emplace_back(name + "_epoch", std::int64_t{epoch.epoch});
    if (epoch.auroc) attributes.emplace_back(name + "_auroc", *epoch.auroc);
  };
  if (dump.best) add("best", *dump.best);
  add("last", dump.last);
  storage::write_arrays(target, attributes, arrays_of(dump));
}

Dump read_dump(const fs::path& file) {
  const CheckedArrays arrays(file, "dump");
  check_format(arrays, file);
  Dump dump;
  dump.job = arrays.text_attribute("job");
  dump.key = arrays.text_attribute("key");
  dump.dimension = arrays.whole_attribute("dimension");
  dump.embedding = arrays.whole_attribute("embedding");
  if (dump.dimension < 1 || dump.embedding < 0) arrays.damaged("impossible sizes");
  dump.classes = arrays.texts("classes");
  dump.normal_classes = arrays.texts("normal_classes");
  dump.normal = read_names(arrays, "normal");
  dump.anomalous = read_names(arrays, "anomalous");
  dump.test = read_names(arrays, "test");
  if (arrays.has_attribute("best_epoch")) dump.best = read_epoch(arrays, "best", dump);
  dump.last = read_epoch(arrays, "last", dump);
  const std::string checksum = checksum_of(dump), expected = arrays.text_attribute("checksum");
  if (checksum != expected) arrays.damaged(fmt::format("checksum is {}, expected {}", checksum, expected));
  const std::string fault = fault_of(dump);
  if (!fault.empty()) arrays.damaged(fault);
  return dump;
}

}  // namespace results
