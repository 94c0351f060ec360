// Is a weight file what a backbone needs? Finds out by doing what a run would do with it, and says each fact as soon as
// it is known.
#pragma once

#include <string>

#include "workers/say_fact.hpp"

namespace workers {

struct WeightsToCheck {
  std::string backbone;  ///< one that sweeps::known_backbones has
  std::string weights;   ///< a file that is there, or random:SEED
  int threads = 1;
  bool list_tensors = false;
};

/// Says, in this order: size, SHA-256 and whose file that is, format, tensors (one by one where they are to be listed),
/// which of them are used, one forward pass of 32 images, its outputs. Throws storage::Error, one line, at the first
/// thing that makes the weights useless: a damaged file, tensors that are missing, unexpected or misshapen (at most ten
/// named, with their total), outputs that are not finite or the same for every image.
void check_weights(const WeightsToCheck& check, const SayFact& say);

}  // namespace workers
