// Lists train/<class>/*.jpg and test/<class>/*.jpg. Decoding is jpeg.cpp's.
#include "datasets/image_folder.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "datasets/jpeg.hpp"
#include "datasets/stamp.hpp"
#include "storage/atomic_file.hpp"
#include "storage/error.hpp"
#include "storage/printable.hpp"

namespace datasets {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostBytes = std::uintmax_t{1} << 28;  // 256 MiB a file

[[noreturn]] void refuse(const fs::path& path, const std::string& what) {
  throw storage::UsageError(path.string() + ": " + what);
}

/// What lies in `folder`, hidden entries left out, in no order.
std::vector<fs::path> entries_of(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> entries;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with('.')) continue;
    if (!storage::is_plain_text(name))
      refuse(folder, "holds a name with control characters or bytes that are not UTF-8: rename it");
    entries.push_back(entry->path());
  }
  if (error) storage::fail_with_errno(folder, "cannot list", error.value());
  return entries;
}

bool has_jpeg_name(const fs::path& file) {
  std::string extension = file.extension().string();
  for (char& c : extension) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return extension == ".jpg" || extension == ".jpeg";
}

class ImageFolder : public Images {
 public:
  ImageFolder(const std::string& id, fs::path root) : root_(std::move(root)) {
    for (const Split split : {Split::train, Split::test}) list(id, split);
    name_classes();
  }

  const std::vector<std::string>& classes() const override { return classes_; }
  std::int64_t size(Split split) const override { return static_cast<std::int64_t>(rows(split).size()); }
  int label(Split split, std::int64_t i) const override { return row(split, i).label; }
  std::string row_id(Split split, std::int64_t i) const override { return row(split, i).path; }
  Image read(Split split, std::int64_t i) const override {
    const fs::path file = root_ / row(split, i).path;
    return decode_jpeg(storage::read_regular_file(file, kMostBytes), file.string());
  }
  std::string stamp() const override {
    std::vector<std::string> paths;
    for (const std::vector<Row>& part : rows_) {
      for (const Row& one : part) paths.push_back(one.path);
    }
    return stamp_of("image-folder", root_, paths);
  }
  bool may_differ_in_size() const override { return true; }

 private:
  struct Row {
    std::string path;  ///< "train/cat/0001.jpg"
    std::string class_name;
    int label = 0;
  };

  const std::vector<Row>& rows(Split split) const { return rows_[split == Split::train ? 0 : 1]; }
  const Row& row(Split split, std::int64_t i) const { return rows(split).at(static_cast<std::size_t>(i)); }
  void list(const std::string& id, Split split);
  void list_class(Split split, const fs::path& folder);
  void name_classes();

  fs::path root_;
  std::vector<std::string> classes_;
  std::array<std::vector<Row>, 2> rows_;
};

void ImageFolder::list(const std::string& id, Split split) {
  const fs::path folder = root_ / name_of(split);
  const std::string layout =
      "train/<class>/*.jpg and test/<class>/*.jpg (give another folder with --data " + id + "=PATH)";
  if (!fs::is_directory(folder)) refuse(folder, "no such folder, expected " + layout);
  for (const fs::path& entry : entries_of(folder)) {
    if (!fs::is_directory(entry)) refuse(entry, "expected only class folders here: " + layout);
    list_class(split, entry);
  }
  std::vector<Row>& listed = rows_[split == Split::train ? 0 : 1];
  if (listed.empty()) refuse(folder, "holds no class folder, expected " + layout);
  std::sort(listed.begin(), listed.end(), [](const Row& a, const Row& b) { return a.path < b.path; });
}

void ImageFolder::list_class(Split split, const fs::path& folder) {
  const std::string class_name = folder.filename().string();
  const std::vector<fs::path> files = entries_of(folder);
  if (files.empty()) refuse(folder, "holds no images: put .jpg files there or remove the folder");
  for (const fs::path& file : files) {
    if (!has_jpeg_name(file)) refuse(file, "expected only .jpg and .jpeg files: convert or remove it");
    if (!fs::is_regular_file(file)) refuse(file, "expected a file: remove it");
    const std::string path = std::string(name_of(split)) + "/" + class_name + "/" + file.filename().string();
    rows_[split == Split::train ? 0 : 1].push_back({path, class_name, 0});
  }
}

void ImageFolder::name_classes() {
  std::set<std::string> names;
  for (const std::vector<Row>& part : rows_) {
    for (const Row& one : part) names.insert(one.class_name);
  }
  if (names.size() < 2) refuse(root_, "holds one class only, expected two or more (the others are the anomalies)");
  classes_.assign(names.begin(), names.end());
  for (std::vector<Row>& part : rows_) {
    for (Row& one : part) {
      const auto found = std::lower_bound(classes_.begin(), classes_.end(), one.class_name);
      one.label = static_cast<int>(found - classes_.begin());
    }
  }
}

}  // namespace

std::unique_ptr<Images> open_image_folder(const std::string& id, const fs::path& root) {
  return std::make_unique<ImageFolder>(id, root);
}

}  // namespace datasets
