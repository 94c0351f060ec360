// Work in shares as threads would have them, one after the other.
#pragma once

#include "plume/share_out.hpp"

namespace plume {

/// So many shares, the last first; of little work some are empty.
inline ShareOut in_shares(std::int64_t shares) {
  return [shares](std::int64_t count, const Work& work) {
    for (std::int64_t i = shares - 1; i >= 0; --i) work(count * i / shares, count * (i + 1) / shares);
  };
}

}  // namespace plume
