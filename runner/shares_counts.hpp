// The jobs of all shares of a directory, added up.
#pragma once

#include <string>

#include "runner/shares_directory.hpp"

namespace runner {

/// Counts, and how fast they are; the time left is that of the last share, where every one is known. Needs the parts of
/// the view. A job of which two shares have something, because they ran with another --only before, counts once.
void add_jobs(SharesView& view, const SharesDirectory& directory);

/// Shares whose last runs were told another --only than the run that was begun last: their jobs were dealt out
/// differently. One line; "" where there are none.
std::string mixed_deals(const SharesView& view);

}  // namespace runner
