// How the rows of a feature set are made from those of a data set: through a backbone, as small images, or as they are.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "datasets/dataset.hpp"
#include "storage/feature_file.hpp"
#include "workers/messages.hpp"

namespace plume {
class Backbone;
}

namespace workers {

/// A row of a split, and its checksum with its class as the scan saw them.
struct RowToRead {
  std::int64_t number = 0;
  std::uint32_t checksum = 0;
};

/// A row as it was read: an image for a backbone, features that another program computed, or the bytes of a raw32 row.
using ReadRow = std::variant<datasets::Image, std::vector<float>, std::vector<std::uint8_t>>;
std::size_t bytes_of(const ReadRow& row);

/// How rows of a set are made, in two steps.
struct RowSteps {
  /// Decodes, and checks against the scan. May be called by several threads at a time, and uses no LibTorch. Throws
  /// storage::Error naming a row that cannot be read or is not what the scan saw: its file has changed since.
  std::function<ReadRow(const RowToRead&)> read;
  /// Appends the rows of a batch to the table's: the resize and the backbone, on LibTorch's threads.
  std::function<void(const std::vector<ReadRow>&, storage::Rows&)> append;
};

/// Keeps the backbone that it loaded last.
class RowMaker {
 public:
  RowMaker();
  ~RowMaker();
  /// `data` is the recipe's data set; it, the recipe and this object must outlive what is returned. Throws
  /// storage::Error naming a weight file that is damaged or is not the one whose hash is in the recipe's identity.
  RowSteps steps_of(const FeatureRecipe& recipe, const datasets::Dataset& data);

 private:
  const plume::Backbone& load(const FeatureRecipe& recipe);

  std::string backbone_name_, weights_;  ///< as identities have them
  std::unique_ptr<plume::Backbone> backbone_;
};

}  // namespace workers
