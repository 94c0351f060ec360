// A torch.save file taken apart and put together again, so that a mutator can change its pickle and still give a file
// whose container is whole. Takes damaged files apart as far as they go.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fuzz {

struct TorchParts {
  std::string folder;                                         ///< of the ZIP records
  std::string pickle;                                         ///< the object
  std::vector<std::pair<std::string, std::string>> storages;  ///< key and bytes
  std::vector<std::pair<std::string, std::string>> others;    ///< further ZIP records
};

/// Nothing where no data.pkl is found.
std::optional<TorchParts> parts_of_zip(std::string_view bytes);
std::string zip_of(const TorchParts& parts);
/// Sets the checksums of every record of a ZIP file that has a directory: right ones, or 0, which the reader takes for
/// "none".
void set_checksums(std::string& zip, bool right);

/// Nothing where the object is no pickle that the machine runs.
std::optional<TorchParts> parts_of_legacy(std::string_view bytes);
/// Storages have the element counts that the pickle promises, or else their bytes.
std::string legacy_of(const TorchParts& parts);

/// Gives the parts exactly the storages that the pickle promises, if it runs and they are small.
void keep_promises(TorchParts& parts);

}  // namespace fuzz
