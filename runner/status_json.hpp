// `status --json`: everything that the screen says as one JSON document in one line, for scripts. Its keys are
// described in runner/README.md.
#pragma once

#include <string>

#include "runner/shares_directory.hpp"
#include "runner/status_view.hpp"

namespace runner {

inline constexpr int kStatusDocumentVersion = 1;

std::string status_json(const StatusView& view);
/// Of a directory of shares: the same for each of them, and all added up.
std::string status_json(const SharesView& view);

}  // namespace runner
