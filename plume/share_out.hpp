// How work is given to threads, for those who have it and know no threads.
#pragma once

#include <cstdint>
#include <functional>

namespace plume {

/// The parts [begin, end) of some work.
using Work = std::function<void(std::int64_t begin, std::int64_t end)>;
/// Calls `work` on shares that together are [0, count), perhaps at once, and returns when all are done.
using ShareOut = std::function<void(std::int64_t count, const Work& work)>;

/// All of it in one call.
inline void do_alone(std::int64_t count, const Work& work) {
  work(0, count);
}

}  // namespace plume
