// Finds a layout of CIFAR and gives its rows. Knows neither layout from inside, nor rows that a sweep leaves out.
#include "datasets/cifar_images.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <sstream>

#include "datasets/stamp.hpp"
#include "storage/atomic_file.hpp"
#include "storage/error.hpp"
#include "storage/printable.hpp"

namespace datasets {
namespace {

namespace fs = std::filesystem;

constexpr int kSide = 32;
constexpr std::size_t kPlane = kSide * kSide;
constexpr std::array kSplits = {Split::train, Split::test};

std::size_t index_of(Split split) {
  return split == Split::train ? 0 : 1;
}

class CifarImages : public Images {
 public:
  CifarImages(const CifarKind& kind, const CifarLayout& layout, fs::path folder)
      : kind_(kind), layout_(layout), folder_(std::move(folder)) {
    for (const Split split : kSplits) {
      for (const std::string& name : files(split)) {
        const CifarBatch batch = read_file(split, name);
        std::vector<std::uint8_t>& labels = of(split).classes;
        labels.insert(labels.end(), batch.classes.begin(), batch.classes.end());
      }
    }
  }

  const std::vector<std::string>& classes() const override { return kind_.format.labels[0].names; }
  std::int64_t size(Split split) const override { return static_cast<std::int64_t>(of(split).classes.size()); }
  int label(Split split, std::int64_t i) const override { return of(split).classes.at(static_cast<std::size_t>(i)); }
  std::string row_id(Split split, std::int64_t i) const override {
    const std::size_t row = static_cast<std::size_t>(i), records = kind_.records[index_of(split)];
    return fmt::format("{}#{}", files(split).at(row / records), row % records);
  }
  Image read(Split split, std::int64_t i) const override;
  std::string stamp() const override {
    std::vector<std::string> paths = files(Split::train);
    paths.insert(paths.end(), files(Split::test).begin(), files(Split::test).end());
    return stamp_of(kind_.id, folder_, paths);
  }
  bool may_differ_in_size() const override { return false; }

 private:
  struct Part {
    std::vector<std::uint8_t> classes;
    std::vector<CifarBatch> batches;  ///< one a file, read at the first read()
    std::once_flag loading;
  };

  const std::vector<std::string>& files(Split split) const { return layout_.files[index_of(split)]; }
  Part& of(Split split) const { return parts_[index_of(split)]; }
  CifarBatch read_file(Split split, const std::string& name) const {
    return layout_.read(folder_ / name, kind_.format, kind_.records[index_of(split)]);
  }
  void load(Split split) const;

  CifarKind kind_;
  CifarLayout layout_;
  fs::path folder_;
  mutable BySplit<Part> parts_;
};

void CifarImages::load(Split split) const {
  std::vector<CifarBatch> loaded;
  auto known = of(split).classes.begin();
  for (const std::string& name : files(split)) {
    loaded.push_back(read_file(split, name));
    const std::vector<std::uint8_t>& now = loaded.back().classes;
    if (!std::equal(now.begin(), now.end(), known))
      throw storage::Error(fmt::format("{}: changed while it was in use: run again", (folder_ / name).string()));
    known += static_cast<std::ptrdiff_t>(now.size());
  }
  of(split).batches = std::move(loaded);
}

Image CifarImages::read(Split split, std::int64_t i) const {
  std::call_once(of(split).loading, [&] { load(split); });
  const std::size_t row = static_cast<std::size_t>(i), records = kind_.records[index_of(split)];
  const char* planes = of(split).batches.at(row / records).row(row % records);
  Image image{kSide, kSide, std::vector<std::uint8_t>(3 * kPlane)};
  for (std::size_t pixel = 0; pixel < kPlane; ++pixel) {
    for (std::size_t channel = 0; channel < 3; ++channel) {
      image.rgb[3 * pixel + channel] = static_cast<std::uint8_t>(planes[channel * kPlane + pixel]);
    }
  }
  return image;
}

/// Whether any of a layout's files lies in `folder`. Folders of these names are of other data sets.
bool holds_any(const fs::path& folder, const CifarLayout& layout) {
  std::error_code unreadable;
  for (const auto& files : layout.files) {
    for (const std::string& name : files) {
      const fs::file_status status = fs::status(folder / name, unreadable);
      if (fs::exists(status) && !fs::is_directory(status)) return true;
    }
  }
  return false;
}

std::string all_files(const CifarLayout& layout) {
  const std::vector<std::string>& train = layout.files[0];
  const std::string first = train.size() == 1 ? train[0] : fmt::format("{} to {}", train.front(), train.back());
  return fmt::format("{}, {}", first, layout.files[1][0]);
}

void expect_all(const CifarLayout& layout, const fs::path& folder) {
  std::error_code unreadable;
  for (const auto& files : layout.files) {
    for (const std::string& name : files) {
      if (fs::exists(folder / name, unreadable)) continue;
      throw storage::UsageError(fmt::format("{}: missing: unpack {} again", (folder / name).string(), layout.archive));
    }
  }
}

/// Lines that are not empty.
std::vector<std::string> lines_of(const fs::path& file) {
  constexpr std::uintmax_t kMostBytes = 65'536;
  std::istringstream text(storage::read_regular_file(file, kMostBytes));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) {
    if (line.ends_with('\r')) line.pop_back();
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

/// Names in another order would give every table the wrong columns.
void expect_names(const CifarKind& kind, const CifarLayout& layout, const fs::path& folder) {
  std::error_code unreadable;
  const fs::path file = folder / layout.names_file;
  if (layout.names_file.empty() || !fs::exists(file, unreadable)) return;
  const std::vector<std::string> found = lines_of(file);
  const std::vector<std::string>& expected = kind.format.labels[0].names;
  if (found == expected) return;
  const auto differ = std::mismatch(found.begin(), found.end(), expected.begin(), expected.end()).first;
  const auto i = static_cast<std::size_t>(differ - found.begin());
  const auto shown = [i](const std::vector<std::string>& names, const char* none) {
    return i < names.size() ? fmt::format("\"{}\"", storage::printable_line(names[i], 80)) : none;
  };
  throw storage::UsageError(fmt::format("{}: class {} is {}, expected {}: unpack {} again", file.string(), i,
                                        shown(found, "missing"), shown(expected, "no more"), layout.archive));
}

}  // namespace

std::unique_ptr<Images> open_cifar(const CifarKind& kind, const std::string& dataset_id, const fs::path& root) {
  for (const CifarLayout* layout : {&kind.binary, &kind.python}) {
    for (const fs::path& folder : {root, root / layout->folder}) {
      if (!holds_any(folder, *layout)) continue;
      expect_all(*layout, folder);
      expect_names(kind, *layout, folder);
      return std::make_unique<CifarImages>(kind, *layout, folder);
    }
  }
  throw storage::UsageError(
      fmt::format("{}: expected {}'s binary version ({}) here or in {}, or its Python version ({}) here or in {}: give "
                  "the unpacked "
                  "{} or {} with --data {}=PATH",
                  root.string(), kind.format.name, all_files(kind.binary), kind.binary.folder, all_files(kind.python),
                  kind.python.folder, kind.binary.archive, kind.python.archive, dataset_id));
}

}  // namespace datasets
