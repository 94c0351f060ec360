// Two layouts, one data set: what files there are, which label is which class, rows checked as they are read.
#include "datasets/feature_vectors.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <set>
#include <sstream>

#include "datasets/stamp.hpp"
#include "storage/atomic_file.hpp"
#include "storage/error.hpp"
#include "storage/foreign_arrays.hpp"
#include "storage/nearest.hpp"
#include "storage/printable.hpp"

namespace datasets {
namespace {

namespace fs = std::filesystem;
using storage::Labels;

constexpr std::size_t kMostClasses = 10'000;
constexpr std::int64_t kBlockBytes = std::int64_t{8} << 20;  ///< read at once: rows are asked for one after another

[[noreturn]] void refuse(const std::string& where, const std::string& what) {
  throw storage::UsageError(where + ": " + what);
}

/// What both layouts come to.
struct Source {
  std::unique_ptr<storage::Hdf5Arrays> hdf5;  ///< before the matrices: they read from it
  std::array<std::unique_ptr<storage::Matrix>, 2> rows;
  std::array<Labels, 2> labels;
  std::array<std::string, 2> label_origins;  ///< what messages call them
  std::optional<std::vector<std::string>> class_names;
  std::string class_origin;
  std::array<std::string, 2> row_names;  ///< "train.npy", "features.h5/train/features"
  fs::path folder;
  std::vector<std::string> files;  ///< in `folder`
};

bool is_there(const fs::path& file) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (error && status.type() != fs::file_type::not_found) {
    storage::fail_with_errno(file, "cannot be looked at", error.value());
  }
  return fs::exists(status);
}

/// Lines of a text file, whatever ends them; a byte-order mark and empty lines at the end are not among them.
std::vector<std::string> lines_of(const fs::path& file) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  std::string bytes = storage::read_regular_file(file, std::uintmax_t{1} << 24);
  if (bytes.starts_with(kByteOrderMark)) bytes.erase(0, kByteOrderMark.size());
  std::istringstream text(bytes);
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) {
    if (line.ends_with('\r')) line.pop_back();
    lines.push_back(line);
  }
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

Source open_folder(const std::string& id, const fs::path& folder) {
  Source source;
  source.folder = folder;
  for (const Split split : {Split::train, Split::test}) {
    const auto s = static_cast<std::size_t>(split);
    const std::string rows = std::string(name_of(split)) + ".npy";
    const std::string labels = std::string(name_of(split)) + "_labels.npy";
    for (const std::string& name : {rows, labels}) {
      if (!is_there(folder / name)) {
        refuse((folder / name).string(), "is not there; data set " + id +
                                             " is a folder with train.npy, train_labels.npy, test.npy and "
                                             "test_labels.npy, or an HDF5 file (--data " +
                                             id + "=PATH)");
      }
      source.files.push_back(name);
    }
    source.rows[s] = storage::open_npy_matrix(folder / rows);
    source.labels[s] = storage::read_npy_labels(folder / labels);
    source.label_origins[s] = (folder / labels).string();
    source.row_names[s] = rows;
  }
  if (is_there(folder / "classes.txt")) {
    source.class_names = lines_of(folder / "classes.txt");
    source.class_origin = (folder / "classes.txt").string();
    source.files.emplace_back("classes.txt");
  }
  return source;
}

Source open_hdf5(const fs::path& file) {
  Source source;
  source.folder = file.parent_path();
  source.files = {file.filename().string()};
  source.hdf5 = std::make_unique<storage::Hdf5Arrays>(file);
  for (const Split split : {Split::train, Split::test}) {
    const auto s = static_cast<std::size_t>(split);
    const std::string group(name_of(split));
    source.rows[s] = source.hdf5->matrix(group + "/features");
    source.labels[s] = source.hdf5->labels(group + "/labels");
    source.label_origins[s] = file.string() + ": " + group + "/labels";
    source.row_names[s] = source.files[0] + "/" + group + "/features";
  }
  if (source.hdf5->has("classes")) {
    source.class_origin = file.string() + ": classes";
    const Labels names = source.hdf5->labels("classes");
    if (!names.are_texts) refuse(source.class_origin, "holds numbers; expected the names of the classes");
    source.class_names = names.texts;
  }
  return source;
}

Source open_source(const std::string& id, const fs::path& root) {
  const std::string how =
      "give a folder with train.npy, train_labels.npy, test.npy and test_labels.npy, or an HDF5 file, "
      "with --data " +
      id + "=PATH";
  if (root.empty()) refuse("data set " + id + " (features)", "nothing known of where it is: " + how);
  std::error_code error;
  if (!is_there(root)) refuse(root.string(), "is not there; " + how);
  if (fs::is_directory(root, error)) return open_folder(id, root);
  if (!storage::is_hdf5(root)) refuse(root.string(), "is no HDF5 file; " + how);
  return open_hdf5(root);
}

/// Names in the order in which they stand in the file; messages count them from 1, as lines are.
void check_class_names(const std::string& origin, const std::vector<std::string>& names) {
  if (names.size() > kMostClasses) {
    refuse(origin, "has more than " + std::to_string(kMostClasses) + " classes; labels are the classes of rows");
  }
  std::set<std::string> seen;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string which = "class name " + std::to_string(i + 1);
    if (names[i].empty()) refuse(origin, which + " is empty");
    if (!storage::is_plain_text(names[i])) {
      refuse(origin, which + ", \"" + storage::printable_line(names[i], 80) +
                         "\", has characters that no name can have (control characters, or bytes that are not UTF-8)");
    }
    if (!seen.insert(names[i]).second) refuse(origin, which + ", " + storage::in_quotes(names[i]) + ", is there twice");
  }
  if (names.size() < 2) {
    refuse(origin, "has " + std::to_string(names.size()) +
                       " class names, expected two or more (the others are the anomalies), one a line or label");
  }
}

/// Distinct labels in order, without names from elsewhere.
template <typename Label>
std::vector<Label> distinct(const std::vector<Label>& train, const std::vector<Label>& test,
                            const std::string& origin) {
  std::set<Label> seen;
  for (const auto* labels : {&train, &test}) {
    for (const Label& label : *labels) {
      if (seen.insert(label).second && seen.size() > kMostClasses) {
        refuse(origin,
               "has more than " + std::to_string(kMostClasses) + " different labels; expected one label a class");
      }
    }
  }
  return {seen.begin(), seen.end()};
}

/// Classes, and the class index of each row.
class ClassTable {
 public:
  explicit ClassTable(const Source& source) {
    const auto& [train, test] = source.labels;
    if (train.are_texts != test.are_texts) {
      refuse(source.label_origins[1], std::string("holds ") + (test.are_texts ? "texts" : "numbers") +
                                          ", the training labels are " + (train.are_texts ? "texts" : "numbers"));
    }
    if (train.are_texts) {
      use(source, train.texts, test.texts);
    } else {
      use(source, train.numbers, test.numbers);
    }
  }
  std::vector<std::string> names;
  std::array<std::vector<int>, 2> indices;

 private:
  static std::string name_of_label(std::int64_t number) { return std::to_string(number); }
  static std::string name_of_label(const std::string& text) { return text; }

  /// Position of a label in the names given: the name itself, or the number of its line.
  std::size_t position(const std::string& text) const {
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), text) - names.begin());
  }
  std::size_t position(std::int64_t number) const {
    return number < 0 ? names.size() : static_cast<std::size_t>(number);
  }

  template <typename Label>
  void use(const Source& source, const std::vector<Label>& train, const std::vector<Label>& test) {
    const std::vector<Label> found = distinct(train, test, source.label_origins[0]);
    std::vector<std::size_t> positions;
    if (source.class_names) {
      names = *source.class_names;
      check_class_names(source.class_origin, names);
      for (const Label& label : found) {
        positions.push_back(position(label));
        if (positions.back() < names.size()) continue;
        refuse(source.class_origin, "has " + std::to_string(names.size()) + " classes and none for label " +
                                        storage::in_quotes(name_of_label(label)) +
                                        "; expected a name for every label, numbers from 0");
      }
    } else {
      for (const Label& label : found) names.push_back(name_of_label(label));
      check_class_names(source.label_origins[0], names);
      for (std::size_t k = 0; k < names.size(); ++k) positions.push_back(k);
    }
    for (const auto& [labels, split] : {std::pair(&train, 0), std::pair(&test, 1)}) {
      for (const Label& label : *labels) {
        const auto at = std::lower_bound(found.begin(), found.end(), label) - found.begin();
        indices[static_cast<std::size_t>(split)].push_back(static_cast<int>(positions[static_cast<std::size_t>(at)]));
      }
    }
  }
};

class FeatureVectors : public Vectors {
 public:
  explicit FeatureVectors(Source source) : source_(std::move(source)) {
    check_sizes();
    ClassTable table(source_);
    classes_ = std::move(table.names);
    labels_ = std::move(table.indices);
    source_.labels = {};
  }

  const std::vector<std::string>& classes() const override { return classes_; }
  std::int64_t size(Split split) const override { return rows(split).row_count(); }
  int label(Split split, std::int64_t i) const override {
    return labels_[index(split)].at(static_cast<std::size_t>(i));
  }
  std::string row_id(Split split, std::int64_t i) const override {
    return source_.row_names[index(split)] + "#" + std::to_string(i);
  }
  std::string stamp() const override { return stamp_of("features", source_.folder, source_.files); }
  std::int64_t row_length() const override { return rows(Split::train).row_length(); }
  std::vector<float> read(Split split, std::int64_t i) const override;

 private:
  static std::size_t index(Split split) { return split == Split::train ? 0 : 1; }
  const storage::Matrix& rows(Split split) const { return *source_.rows[index(split)]; }
  void check_sizes() const;

  /// The rows around the one asked for last.
  struct Block {
    Split split = Split::train;
    std::int64_t first = 0;
    std::vector<float> numbers;
  };

  Source source_;
  std::vector<std::string> classes_;
  std::array<std::vector<int>, 2> labels_;
  mutable std::mutex reading_;
  mutable Block block_;
};

void FeatureVectors::check_sizes() const {
  for (const Split split : {Split::train, Split::test}) {
    const auto count = static_cast<std::size_t>(rows(split).row_count());
    const std::string& origin = rows(split).origin();
    if (count == 0) refuse(origin, "has no rows");
    const std::size_t labels = source_.labels[index(split)].size();
    if (labels != count) {
      refuse(source_.label_origins[index(split)], "has " + std::to_string(labels) + " labels, " + origin + " has " +
                                                      std::to_string(count) + " rows; expected one label a row");
    }
  }
  if (rows(Split::test).row_length() == row_length()) return;
  refuse(rows(Split::test).origin(), "has rows of " + std::to_string(rows(Split::test).row_length()) +
                                         " features, those of the train split have " + std::to_string(row_length()) +
                                         "; expected rows of one backbone");
}

std::vector<float> FeatureVectors::read(Split split, std::int64_t i) const {
  const std::lock_guard lock(reading_);
  const std::int64_t length = row_length();
  const auto count = static_cast<std::int64_t>(block_.numbers.size()) / length;
  if (block_.split != split || i < block_.first || i >= block_.first + count) {
    const std::int64_t at_once = std::max<std::int64_t>(1, kBlockBytes / 4 / length);
    block_ = {};
    const std::int64_t first = i / at_once * at_once;
    auto numbers = rows(split).read(first, std::min(at_once, size(split) - first));
    block_ = {split, first, std::move(numbers)};
  }
  const auto begin = block_.numbers.begin() + (i - block_.first) * length;
  std::vector<float> row(begin, begin + length);
  const auto bad = std::find_if(row.begin(), row.end(), [](float number) { return !std::isfinite(number); });
  if (bad == row.end()) return row;
  throw storage::Error(rows(split).origin() + ": row " + std::to_string(i) +
                       " has a number that is not finite in float32, at position " + std::to_string(bad - row.begin()) +
                       "; expected finite features");
}

}  // namespace

std::unique_ptr<Vectors> open_feature_vectors(const std::string& id, const fs::path& root) {
  return std::make_unique<FeatureVectors>(open_source(id, root));
}

}  // namespace datasets
