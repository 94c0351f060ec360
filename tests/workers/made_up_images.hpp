// A data set in memory, for tests that need no files.
#pragma once

#include <string>
#include <vector>

#include "datasets/dataset.hpp"
#include "storage/error.hpp"

namespace workers_test {

/// A 2 x 1 image.
inline datasets::Image two_pixels(std::uint8_t left, std::uint8_t right) {
  return {2, 1, {left, left, left, right, right, right}};
}

struct MadeUpRow {
  int label;
  datasets::Image image;
};

class MadeUpImages : public datasets::Images {
 public:
  MadeUpImages(std::vector<std::string> class_names, std::vector<MadeUpRow> train, std::vector<MadeUpRow> test)
      : classes_(std::move(class_names)), rows_{std::move(train), std::move(test)} {}
  const std::vector<std::string>& classes() const override { return classes_; }
  std::int64_t size(datasets::Split split) const override { return static_cast<std::int64_t>(of(split).size()); }
  int label(datasets::Split split, std::int64_t i) const override { return row(split, i).label; }
  std::string row_id(datasets::Split split, std::int64_t i) const override {
    return std::string(datasets::name_of(split)) + "/" + std::to_string(i);
  }
  std::string stamp() const override { return "made up"; }
  std::vector<std::string> only_anomalies() const override { return never; }
  datasets::Image read(datasets::Split split, std::int64_t i) const override {
    if (is_damaged(split, i)) throw storage::Error(row_id(split, i) + ": damaged");
    return row(split, i).image;
  }
  bool may_differ_in_size() const override { return false; }
  /// Rows without pixels are.
  bool is_damaged(datasets::Split split, std::int64_t i) const { return row(split, i).image.rgb.empty(); }

  std::vector<std::string> never;

 private:
  const std::vector<MadeUpRow>& of(datasets::Split split) const { return rows_[static_cast<int>(split)]; }
  const MadeUpRow& row(datasets::Split split, std::int64_t i) const {
    return of(split).at(static_cast<std::size_t>(i));
  }
  std::vector<std::string> classes_;
  std::vector<MadeUpRow> rows_[2];
};

}  // namespace workers_test
