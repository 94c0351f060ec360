// How the rows of a feature set are made from those of a data set: through a backbone, as small images, or as they are.
#pragma once

#include <functional>
#include <memory>
#include <string>
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

/// Makes rows of a batch and appends them to the table's. Throws storage::Error naming a row that is not what the scan
/// saw: its file has changed since.
using AppendRows = std::function<void(const std::vector<RowToRead>&, storage::Rows&)>;

/// Keeps the backbone that it loaded last.
class RowMaker {
 public:
  RowMaker();
  ~RowMaker();
  /// `data` is the recipe's data set; it, the recipe and this object must outlive what is returned. Throws
  /// storage::Error naming a weight file that is damaged or is not the one whose hash is in the recipe's identity.
  AppendRows rows_of(const FeatureRecipe& recipe, const datasets::Dataset& data);

 private:
  const plume::Backbone& load(const FeatureRecipe& recipe);

  std::string backbone_name_, weights_;  ///< as identities have them
  std::unique_ptr<plume::Backbone> backbone_;
};

}  // namespace workers
