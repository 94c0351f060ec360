// Rows of a data set that have the same content: a test image that was trained on is no test. Knows no LibTorch.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "datasets/dataset.hpp"

namespace workers {

struct DataRow {
  datasets::Split split = datasets::Split::train;
  std::int64_t number = 0;
  auto operator<=>(const DataRow&) const = default;
};

/// Rows of one content, at least two, training rows before test rows.
using EqualRows = std::vector<DataRow>;

struct RowChecksum {
  DataRow row;
  std::uint32_t checksum = 0;
};

/// `rows`, in order, training rows first. Their checksums say which may be equal; of those, `content` is compared byte
/// for byte, since two images in a few billions share a CRC-32C by chance and anybody can make such two. In the order
/// of their first rows.
std::vector<EqualRows> find_equal_rows(const std::vector<RowChecksum>& rows,
                                       const std::function<std::string(const DataRow&)>& content);

/// A row and the first one that has the same content.
struct Duplicate {
  DataRow row, first;
  auto operator<=>(const Duplicate&) const = default;
};
struct Duplicates {
  std::vector<Duplicate> test_of_train;   ///< test rows whose content is a training row's, which is `first`
  std::vector<Duplicate> within[2];       ///< by split: rows after the first of one content
  std::vector<Duplicate> of_other_class;  ///< those of either kind whose class is not that of `first`
  bool none() const { return test_of_train.empty() && within[0].empty() && within[1].empty(); }
};
Duplicates sort_out(const std::vector<EqualRows>& groups, const std::function<int(const DataRow&)>& label);

}  // namespace workers
