// The environment variable PLUME_FAULT: failures of a trainer on request, to rehearse them on a cluster of one's own
// and in tests. What is asked for, and whether it is due; how each kind is done is fault_strikes.cpp's. Knows no
// LibTorch.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sweeps/job.hpp"

namespace workers {

inline constexpr const char* kFaultVariable = "PLUME_FAULT";

/// What befalls the trainer process.
enum class FaultKind {
  exception,   ///< throw: an ordinary exception
  bad_alloc,   ///< bad-alloc: std::bad_alloc
  device_oom,  ///< device-oom: what LibTorch throws when a GPU has no memory left
  segv,        ///< SIGSEGV to itself
  kill,        ///< SIGKILL to itself
  exit,        ///< exit status 1
  hang,        ///< nothing moves any more
  slow         ///< one second passes without work after every epoch, or after `epoch` alone
};
std::string_view name_of(FaultKind kind);  ///< as written in the variable

/// "segv@attempt=1,epoch=0,class=cat": a kind, and the trainings that it befalls: all, or those that match every
/// filter.
struct FaultOnRequest {
  FaultKind kind = FaultKind::exception;
  std::optional<int> attempt;
  std::optional<int> epoch;  ///< strikes after this epoch was reported; absent: before the first step
  std::optional<std::string> normal_class;
  std::optional<std::uint64_t> seed;
  std::optional<sweeps::Method> method;

  /// `epoch`: the one that was just reported; absent: the training has not begun.
  bool is_due(const sweeps::Job& job, int of_attempt, std::optional<int> at_epoch) const;
  bool operator==(const FaultOnRequest&) const = default;
};

/// Several are separated by ";". Throws storage::UsageError naming the variable and what was expected.
std::vector<FaultOnRequest> parse_faults(std::string_view text);

/// The variable's text; "" where it is not set.
std::string requested_faults();

/// What nobody shall forget in a job script, as one line; `where`: "" for this process, else e.g. " on worker 2
/// (host)".
std::string warning_about_faults(const std::string& faults, const std::string& where = "");

}  // namespace workers
