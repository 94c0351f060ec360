// Lists folders of classes and makes or finds their split. What is in a file is image_file.cpp's matter.
#include "datasets/image_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>

#include "datasets/image_file.hpp"
#include "datasets/split_by_share.hpp"
#include "datasets/stamp.hpp"
#include "storage/atomic_file.hpp"
#include "storage/error.hpp"
#include "storage/json.hpp"
#include "storage/printable.hpp"

namespace datasets {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostBytes = std::uintmax_t{1} << 28;  // 256 MiB a file

[[noreturn]] void refuse(const fs::path& path, const std::string& what) {
  throw storage::UsageError(fmt::format("{}: {}", path.string(), what));
}

/// What lies in `folder`, hidden entries left out, sorted by name. What kind of file each is the folder tells, so that
/// none of them has to be asked: on a network file system 100,000 questions take minutes.
std::vector<fs::directory_entry> entries_of(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::directory_entry> entries;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with('.')) continue;
    if (!storage::is_plain_text(name))
      refuse(folder, "holds a name with control characters or bytes that are not UTF-8: rename it");
    entries.push_back(*entry);
  }
  if (error) storage::fail_with_errno(folder, "cannot list", error.value());
  std::sort(entries.begin(), entries.end());
  return entries;
}

bool is_folder(const fs::directory_entry& entry) {
  std::error_code broken_link;
  return entry.is_directory(broken_link);
}

bool has_image_name(const fs::path& file) {
  std::string extension = file.extension().string();
  for (char& c : extension) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return extension == ".jpg" || extension == ".jpeg" || extension == ".png";
}

/// Names of files by class, both sorted by bytes.
using Listing = std::map<std::string, std::vector<std::string>>;

std::vector<std::string> files_of_class(const fs::path& folder) {
  std::vector<std::string> names;
  for (const fs::directory_entry& file : entries_of(folder)) {
    if (is_folder(file)) refuse(file.path(), "is a folder, expected image files: a class folder holds no folders");
    if (!has_image_name(file)) refuse(file.path(), "expected only .jpg, .jpeg and .png files: convert or remove it");
    std::error_code broken_link;
    if (!file.is_regular_file(broken_link)) refuse(file.path(), "expected a file: remove it");
    names.push_back(file.path().filename().string());
  }
  if (names.empty()) refuse(folder, "holds no images: put .jpg or .png files there or remove the folder");
  return names;
}

/// `layout` says what was expected below the root.
Listing list_classes(const fs::path& folder, const std::string& layout) {
  Listing classes;
  for (const fs::directory_entry& entry : entries_of(folder)) {
    if (!is_folder(entry)) refuse(entry.path(), "expected only class folders here: " + layout);
    classes[entry.path().filename().string()] = files_of_class(entry.path());
  }
  if (classes.empty()) refuse(folder, "holds no class folder, expected " + layout);
  return classes;
}

/// Whether some folder right below `folder` holds what `is_wanted` wants.
template <typename Wanted>
bool some_subfolder_holds(const fs::path& folder, Wanted is_wanted) {
  const std::vector<fs::directory_entry> entries = entries_of(folder);
  return std::any_of(entries.begin(), entries.end(), [&](const fs::directory_entry& entry) {
    if (!is_folder(entry)) return false;
    const std::vector<fs::directory_entry> inside = entries_of(entry.path());
    return std::any_of(inside.begin(), inside.end(), is_wanted);
  });
}

class ImageFolder : public Images {
 public:
  ImageFolder(const sweeps::DatasetSpec& spec, fs::path root) : spec_(spec), root_(std::move(root)) {
    if (spec_.split) {
      draw_splits();
    } else {
      find_splits();
    }
  }

  const std::vector<std::string>& classes() const override { return classes_; }
  std::int64_t size(Split split) const override { return static_cast<std::int64_t>(rows(split).size()); }
  int label(Split split, std::int64_t i) const override { return row(split, i).label; }
  std::string row_id(Split split, std::int64_t i) const override { return row(split, i).path; }
  Image read(Split split, std::int64_t i) const override {
    const fs::path file = root_ / row(split, i).path;
    return decode_image(storage::read_regular_file(file, kMostBytes), file.string());
  }
  std::string stamp() const override {
    std::vector<std::string> paths;
    for (const std::vector<Row>& part : rows_) {
      for (const Row& one : part) paths.push_back(one.path);
    }
    std::string options = spec_.kind;
    if (spec_.split) options += fmt::format(" split {} {}", storage::shortest(spec_.split->test), spec_.split->seed);
    return stamp_of(options, root_, paths);
  }
  bool may_differ_in_size() const override { return true; }

 private:
  struct Row {
    std::string path;  ///< relative to the root: "train/cat/0001.jpg" or, of a split that is drawn, "cat/0001.jpg"
    int label = 0;

    auto operator<=>(const Row&) const = default;
  };

  std::vector<Row>& rows(Split split) { return rows_[split == Split::train ? 0 : 1]; }
  const std::vector<Row>& rows(Split split) const { return rows_[split == Split::train ? 0 : 1]; }
  const Row& row(Split split, std::int64_t i) const { return rows(split).at(static_cast<std::size_t>(i)); }
  void find_splits();
  [[noreturn]] void refuse_without(const fs::path& split_folder, const std::string& layout) const;
  void draw_splits();
  void refuse_split_already() const;
  void name_classes(const std::set<std::string>& names);

  sweeps::DatasetSpec spec_;
  fs::path root_;
  std::vector<std::string> classes_;
  std::array<std::vector<Row>, 2> rows_;
};

void ImageFolder::refuse_without(const fs::path& split_folder, const std::string& layout) const {
  if (!some_subfolder_holds(root_, has_image_name)) refuse(split_folder, "no such folder, expected " + layout);
  refuse(root_,
         fmt::format("holds class folders, not train and test: write \"split\": {{\"test\": 0.2}} into data set {} of "
                     "the sweep, or sort the images into train/<class>/ and test/<class>/",
                     spec_.id));
}

void ImageFolder::find_splits() {
  const std::string layout = fmt::format(
      "train/<class>/* and test/<class>/*, .jpg or .png files (give another folder with --data {}=PATH)", spec_.id);
  std::map<Split, Listing> found;
  std::set<std::string> names;
  for (const Split split : {Split::train, Split::test}) {
    const fs::path folder = root_ / name_of(split);
    if (!fs::is_directory(folder)) refuse_without(folder, layout);
    found[split] = list_classes(folder, layout);
    for (const auto& [name, files] : found[split]) names.insert(name);
  }
  name_classes(names);
  for (const auto& [split, listing] : found) {
    for (const auto& [name, files] : listing) {
      const auto label = static_cast<int>(std::distance(names.begin(), names.find(name)));
      for (const std::string& file : files)
        rows(split).push_back({fmt::format("{}/{}/{}", name_of(split), name, file), label});
    }
    std::sort(rows(split).begin(), rows(split).end());
  }
}

void ImageFolder::refuse_split_already() const {
  for (const Split split : {Split::train, Split::test}) {
    const fs::path folder = root_ / name_of(split);
    if (!fs::is_directory(folder) || !some_subfolder_holds(folder, has_image_name)) return;
  }
  refuse(root_,
         fmt::format("has train/<class> and test/<class>, so it is split already: leave \"split\" out of data set "
                     "{} in the sweep",
                     spec_.id));
}

void ImageFolder::draw_splits() {
  refuse_split_already();
  const Listing listing = list_classes(
      root_,
      fmt::format("<class>/*, .jpg or .png files, to be split (give another folder with --data {}=PATH)", spec_.id));
  std::set<std::string> names;
  for (const auto& [name, files] : listing) names.insert(name);
  name_classes(names);
  int label = 0;
  for (const auto& [name, files] : listing) {
    if (files.size() < 2) {
      refuse(root_ / name, "holds one image only, expected two or more: one to train on and one to test on");
    }
    const std::vector<bool> tested =
        drawn_for_test(*spec_.split, spec_.kind, name, static_cast<std::int64_t>(files.size()));
    for (std::size_t k = 0; k < files.size(); ++k) {
      rows(tested[k] ? Split::test : Split::train).push_back({fmt::format("{}/{}", name, files[k]), label});
    }
    ++label;
  }
  for (std::vector<Row>& part : rows_) std::sort(part.begin(), part.end());
}

void ImageFolder::name_classes(const std::set<std::string>& names) {
  if (names.size() < 2) refuse(root_, "holds one class only, expected two or more (the others are the anomalies)");
  classes_.assign(names.begin(), names.end());
}

}  // namespace

std::unique_ptr<Images> open_image_folder(const sweeps::DatasetSpec& spec, const fs::path& root) {
  return std::make_unique<ImageFolder>(spec, root);
}

}  // namespace datasets
