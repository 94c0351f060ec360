// Rows from CSV files, crops from image files. Knows neither year's names.
#include "datasets/spark.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <unordered_map>

#include "datasets/box.hpp"
#include "datasets/csv.hpp"
#include "datasets/exact_resize.hpp"
#include "datasets/image_file.hpp"
#include "datasets/stamp.hpp"
#include "storage/atomic_file.hpp"
#include "storage/error.hpp"
#include "storage/json.hpp"
#include "storage/nearest.hpp"
#include "storage/printable.hpp"

namespace datasets {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostBytes = std::uintmax_t{1} << 28;  // 256 MiB an image file
constexpr int kSquare = 512;
constexpr int kPackedSide = 32;

/// A line of a CSV file.
struct Row {
  std::string path;  ///< below the folder of images: "Aura/1.png", "1.jpg"
  int label = 0;
  std::int64_t line = 0;
  Box box;
};

std::string shown(const std::string& field) {
  return storage::in_quotes(storage::printable_line(field, 80));
}

std::string lower_case(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

/// By name only: other programs number these classes otherwise.
int label_of(const std::string& name, const std::vector<std::string>& classes, const std::string& where) {
  for (std::size_t k = 0; k < classes.size(); ++k) {
    if (name == classes[k]) return static_cast<int>(k);
  }
  std::string right = storage::suggestion(name, classes);
  for (const std::string& one : classes) {
    if (lower_case(name) == lower_case(one)) right = fmt::format(" (did you mean {}?)", storage::in_quotes(one));
  }
  throw storage::UsageError(fmt::format("{}unknown class {}{}", where, shown(name), right));
}

void check_file_name(const std::string& name, const std::string& where) {
  if (!name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos) return;
  throw storage::UsageError(
      fmt::format("{}{} is no name of an image file, expected one without folders", where, shown(name)));
}

Box box_of(const std::string& text, const std::string& where) {
  if (const auto box = parse_box(text)) return *box;
  throw storage::UsageError(fmt::format(
      "{}{} is no box, expected four integers: \"[row_min, col_min, row_max, col_max]\"", where, shown(text)));
}

/// The rows of a CSV file.
class RowReader {
 public:
  RowReader(const fs::path& file, const SparkLayout& layout)
      : layout_(layout),
        csv_(file),
        class_column_(csv_.column("class")),
        image_column_(csv_.column(layout.image_column)),
        box_column_(csv_.column("bbox")) {}

  std::optional<Row> next() {
    const auto record = csv_.next();
    if (!record) return std::nullopt;
    const std::string where = at_line(csv_.file(), record->line);
    const auto& class_name = record->fields[class_column_];
    const auto& image = record->fields[image_column_];
    Row row{image, label_of(class_name, layout_.classes, where), record->line,
            box_of(record->fields[box_column_], where)};
    check_file_name(image, where);
    if (layout_.has_class_folders) row.path = class_name + "/" + image;
    const auto [first, is_new] = lines_.emplace(row.path, row.line);
    if (!is_new) {
      throw storage::UsageError(
          fmt::format("{}{} stands in line {} already: remove one of them", where, shown(row.path), first->second));
    }
    return row;
  }

 private:
  const SparkLayout& layout_;
  CsvReader csv_;
  std::size_t class_column_, image_column_, box_column_;
  std::unordered_map<std::string, std::int64_t> lines_;  ///< of each path
};

class Spark : public Images {
 public:
  Spark(const sweeps::DatasetSpec& spec, fs::path root, SparkLayout layout)
      : spec_(spec), root_(std::move(root)), layout_(std::move(layout)) {
    for (const Split split : {Split::train, Split::test}) list(split);
  }

  const std::vector<std::string>& classes() const override { return layout_.classes; }
  std::int64_t size(Split split) const override { return static_cast<std::int64_t>(rows(split).size()); }
  int label(Split split, std::int64_t i) const override { return row(split, i).label; }
  std::string row_id(Split split, std::int64_t i) const override {
    return place(split).images.filename().string() + "/" + row(split, i).path;
  }
  std::string stamp() const override;
  std::vector<sweeps::NormalSet> normal_sets() const override { return {satellites(layout_.debris)}; }
  std::vector<std::string> only_anomalies() const override { return {layout_.debris}; }
  Image read(Split split, std::int64_t i) const override;
  bool may_differ_in_size() const override { return spec_.size != kPackedSide; }
  int first_square() const override { return spec_.size == kPackedSide ? 0 : kSquare; }
  Averaging averaging() const override { return Averaging::images; }

 private:
  const std::vector<Row>& rows(Split split) const { return rows_[split == Split::train ? 0 : 1]; }
  const Row& row(Split split, std::int64_t i) const { return rows(split).at(static_cast<std::size_t>(i)); }
  const SparkSplit& place(Split split) const { return layout_.splits[split == Split::train ? 0 : 1]; }
  std::string where(Split split, const Row& row) const { return at_line(root_ / place(split).labels, row.line); }
  fs::path file_of(Split split, const Row& row) const { return root_ / place(split).images / row.path; }
  void list(Split split);
  std::string fault_of(Split split, const Row& row) const;

  sweeps::DatasetSpec spec_;
  fs::path root_;
  SparkLayout layout_;
  std::array<std::vector<Row>, 2> rows_;
};

void Spark::list(Split split) {
  const fs::path labels = root_ / place(split).labels;
  RowReader reader(labels, layout_);
  std::vector<Row>& listed = rows_[split == Split::train ? 0 : 1];
  while (auto row = reader.next()) {
    const std::string fault = spec_.skip > 0 ? "" : fault_of(split, *row);
    if (!fault.empty()) {
      throw storage::UsageError(fmt::format(
          "{}; mend it, remove the line, or let a share of the images be left out with \"skip\" of data set {}", fault,
          spec_.id));
    }
    listed.push_back(std::move(*row));
  }
  if (listed.empty()) throw storage::UsageError(fmt::format("{}: names no images", labels.string()));
}

/// Why a row is unusable, as far as that shows without its image's bytes; empty: it is not.
std::string Spark::fault_of(Split split, const Row& row) const {
  if (is_empty(row.box)) {
    return fmt::format(
        "{}the box [{}, {}, {}, {}] is empty, expected [row_min, col_min, row_max, col_max] with ends "
        "beyond 0 and its beginnings",
        where(split, row), row.box.row_min, row.box.column_min, row.box.row_max, row.box.column_max);
  }
  const fs::path file = file_of(split, row);
  struct stat about {};
  if (::stat(file.c_str(), &about) != 0)
    return fmt::format("{}{}: {}", where(split, row), file.string(), std::strerror(errno));
  if (!S_ISREG(about.st_mode)) return fmt::format("{}{}: is not a file", where(split, row), file.string());
  return "";
}

Image Spark::read(Split split, std::int64_t i) const {
  const Row& one = row(split, i);
  const std::string fault = fault_of(split, one);
  if (!fault.empty()) throw storage::Error(fault);
  const fs::path file = file_of(split, one);
  const Image whole = decode_image(storage::read_regular_file(file, kMostBytes), file.string());
  auto part = crop(whole, one.box);
  if (!part) {
    throw storage::Error(fmt::format("{}the box [{}, {}, {}, {}] lies outside of the {} rows and {} columns of {}",
                                     where(split, one), one.box.row_min, one.box.column_min, one.box.row_max,
                                     one.box.column_max, whole.height, whole.width, file.string()));
  }
  return spec_.size == kPackedSide ? exact_resize(*part, kSquare, kPackedSide) : std::move(*part);
}

std::string Spark::stamp() const {
  std::vector<std::string> paths;
  for (const Split split : {Split::train, Split::test}) {
    paths.push_back(place(split).labels.string());
    for (const Row& one : rows(split)) paths.push_back((place(split).images / one.path).string());
  }
  return stamp_of(spec_.kind, root_, paths, spec_.skip > 0 ? Missing::noted : Missing::refused);
}

}  // namespace

fs::path find_place(const sweeps::DatasetSpec& spec, const fs::path& root, const std::vector<std::string>& places) {
  std::vector<std::string> found;
  std::copy_if(places.begin(), places.end(), std::back_inserter(found),
               [&](const std::string& place) { return fs::exists(root / place); });
  if (found.size() == 1) return found.front();
  if (found.empty()) {
    throw storage::UsageError(fmt::format("{}: holds no {} of data set {} ({}): give its folder with --data {}=PATH",
                                          root.string(), storage::listed(places), spec.id, spec.kind, spec.id));
  }
  throw storage::UsageError(
      fmt::format("{}: holds {} and {}, expected one of them: move the other away", root.string(), found[0], found[1]));
}

sweeps::NormalSet satellites(const std::string& debris) {
  return {"satellites", {debris}, true};
}

std::unique_ptr<Images> open_spark(const sweeps::DatasetSpec& spec, const fs::path& root, SparkLayout layout) {
  if (spec.size != kSquare && spec.size != kPackedSide)
    throw std::logic_error(fmt::format("data set {}: size {} is neither 512 nor 32", spec.id, spec.size));
  return std::make_unique<Spark>(spec, root, std::move(layout));
}

}  // namespace datasets
