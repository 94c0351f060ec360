// What a training leaves behind beside its result. No part of a job and of its key: it changes no number.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "storage/json.hpp"
#include "sweeps/job.hpp"

namespace sweeps {

/// Which weights of its best and of its last epoch: each has all that the one before it has.
enum class Save {
  none,
  classifier,  ///< all that scores an image
  all,         ///< the perturbator besides
};
std::string_view name_of(Save save);

/// Rows of a kind that a dump may hold: at D = 3072 this many of three kinds, of two epochs, are 370 MB.
inline constexpr std::int64_t kMostDumpedRows = 5'000;

struct Keep {
  Save save = Save::none;
  std::int64_t dump = 0;  ///< test rows of each kind (normal, anomalous), at most; 0: nothing is dumped

  auto operator<=>(const Keep&) const = default;
  bool anything() const { return save != Save::none || dump > 0; }
};

/// The more of each: blocks that name one training may want different things of it.
Keep both(const Keep& one, const Keep& other);

/// "save" and "dump" of a block, or of a message to a trainer; what is not there is not wanted.
Keep read_keep(const storage::JsonValue& value);

/// The keys of a block, "save" and "dump".
bool is_keep_key(const std::string& key);

/// What `job` can leave behind of it: a baseline has no weights and no pseudo-anomalies.
Keep kept_of(const Job& job, const Keep& wanted);

}  // namespace sweeps
