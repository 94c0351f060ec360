// Bytes between ranks, whatever carries them. No call waits, so a dead rank holds nobody up.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace runner {

struct Letter {
  int source = 0;     ///< rank
  std::string bytes;  ///< "": only a sign of life
};

class Mail {
 public:
  virtual ~Mail() = default;
  /// Begins to send; the order between two ranks is kept.
  virtual void post(int rank, std::string bytes) = 0;
  /// Moves everything on; gives back what has arrived in full.
  virtual std::vector<Letter> collect() = 0;
  /// Whether something for this rank has not gone out yet.
  virtual bool has_unsent(int rank) const = 0;
  /// Ranks to which sending or from which receiving failed since the last call, and why.
  virtual std::map<int, std::string> take_failures() = 0;
};

}  // namespace runner
