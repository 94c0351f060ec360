// Which variables a trainer inherits and which it is given.
#include "workers/child_environment.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "workers/trainer_startup.hpp"

extern char** environ;

namespace workers {
namespace {

constexpr std::array<std::string_view, 5> kNeverInherited = {"OMPI_", "PMIX_", "PMI_",
                                                             "OMP_NUM_THREADS=", "MKL_NUM_THREADS="};
constexpr std::array<std::string_view, 5> kOfDevices = {
    "CUDA_VISIBLE_DEVICES=", "HIP_VISIBLE_DEVICES=", "ROCR_VISIBLE_DEVICES=", "GPU_DEVICE_ORDINAL=",
    "ZE_AFFINITY_MASK="};

template <typename Prefixes>
bool begins_with_any(std::string_view variable, const Prefixes& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(), [&](auto prefix) { return variable.starts_with(prefix); });
}

constexpr std::string_view kTunables = "GLIBC_TUNABLES=";

/// A parameter with its moments is read from end to end, hundreds of times a second: in pages of 4 KiB a step takes a
/// tenth longer. glibc asks for large ones (2.35 and newer; whoever has said how it should is left alone).
std::string with_huge_pages(std::string tunables) {
  constexpr std::string_view kHugePages = "glibc.malloc.hugetlb";
  if (tunables.find(kHugePages) != std::string::npos) return tunables;
  if (!tunables.ends_with('=')) tunables += ':';
  return fmt::format("{}{}=1", tunables, kHugePages);
}

bool is_inherited(std::string_view variable, const ChildSettings& settings) {
  if (begins_with_any(variable, kNeverInherited)) return false;
  if (!settings.gpu.empty() && begins_with_any(variable, kOfDevices)) return false;
  return !variable.starts_with(fmt::format("{}=", kSupervisorPidVariable));
}

}  // namespace

std::vector<std::string> child_environment(const ChildSettings& settings) {
  std::vector<std::string> variables;
  std::string tunables(kTunables);
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (std::string_view(*variable).starts_with(kTunables)) {
      tunables = *variable;
    } else if (is_inherited(*variable, settings)) {
      variables.emplace_back(*variable);
    }
  }
  variables.push_back(with_huge_pages(tunables));
  variables.push_back(fmt::format("OMP_NUM_THREADS={}", settings.threads));
  variables.push_back(fmt::format("MKL_NUM_THREADS={}", settings.threads));
  variables.push_back(fmt::format("{}={}", kSupervisorPidVariable, getpid()));
  if (!settings.gpu.empty()) variables.push_back(fmt::format("CUDA_VISIBLE_DEVICES={}", settings.gpu));
  return variables;
}

}  // namespace workers
