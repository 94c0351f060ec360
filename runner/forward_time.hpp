// Time that only goes forward, from a clock that may step back.
#pragma once

#include <optional>

namespace runner {

/// E.g. readings at 5, 7, 6, 8 s: 0, 2, 2, 4 s.
class ForwardTime {
 public:
  double advance(double clock) {
    if (last_ && clock > *last_) elapsed_ += clock - *last_;
    last_ = clock;
    return elapsed_;
  }

 private:
  std::optional<double> last_;
  double elapsed_ = 0;
};

}  // namespace runner
