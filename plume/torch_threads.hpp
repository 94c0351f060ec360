// Own work on LibTorch's threads, so that there is one pool of them.
#pragma once

#include <cstdint>

#include "plume/share_out.hpp"

namespace plume {

/// Calls `work(begin, end)` on shares of [0, count), one a thread of at::get_num_threads(), and returns when all are
/// done. (at::parallel_for is serial in code that is compiled without OpenMP, as ours is.)
void share_out(std::int64_t count, const Work& work);

}  // namespace plume
