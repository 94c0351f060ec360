// How the rows of an epoch are cut into batches (method.md section 5). Pure arithmetic, no LibTorch.
#pragma once

#include <algorithm>
#include <cstdint>

namespace plume {

/// n >= 2 rows in batches of `size` >= 2; a last short batch is kept, but one of a single row is left out: batch norm
/// cannot train on it. Example: 17 rows in batches of 8 are two batches.
class Batches {
 public:
  Batches(std::int64_t rows, std::int64_t size) : rows_(rows), size_(size) {}

  bool drops_single_row() const { return rows_ % size_ == 1; }
  std::int64_t count() const { return (rows_ + size_ - 1) / size_ - (drops_single_row() ? 1 : 0); }
  /// Position in the epoch's order of the first row of batch `batch`, and how many rows it has.
  std::int64_t begin(std::int64_t batch) const { return batch * size_; }
  std::int64_t rows_of(std::int64_t batch) const { return std::min(size_, rows_ - begin(batch)); }

 private:
  std::int64_t rows_;
  std::int64_t size_;
};

}  // namespace plume
