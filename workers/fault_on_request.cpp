// The grammar of PLUME_FAULT.
#include "workers/fault_on_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <utility>

#include "storage/error.hpp"
#include "storage/nearest.hpp"
#include "storage/printable.hpp"

namespace workers {
namespace {

constexpr std::array<std::pair<FaultKind, std::string_view>, 8> kKinds{{
    {FaultKind::exception, "throw"},
    {FaultKind::bad_alloc, "bad-alloc"},
    {FaultKind::device_oom, "device-oom"},
    {FaultKind::segv, "segv"},
    {FaultKind::kill, "kill"},
    {FaultKind::exit, "exit"},
    {FaultKind::hang, "hang"},
    {FaultKind::slow, "slow"},
}};
constexpr std::array kMethods{sweeps::Method::plume,       sweeps::Method::plad,          sweeps::Method::knn,
                              sweeps::Method::mahalanobis, sweeps::Method::mean_distance, sweeps::Method::k_means,
                              sweeps::Method::rotation};
const std::vector<std::string> kFilters{"attempt", "epoch", "class", "seed", "method"};

[[noreturn]] void refuse(const std::string& what) {
  throw storage::UsageError(fmt::format("{}: {}; write e.g. {}=\"segv@attempt=1,epoch=0,class=cat\", or unset it",
                                        kFaultVariable, what, kFaultVariable));
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  for (std::size_t end = 0; end != std::string_view::npos; text.remove_prefix(std::min(text.size(), end + 1))) {
    end = text.find(separator);
    pieces.push_back(text.substr(0, end));
  }
  return pieces;
}

/// The value whose name that is; refuses others with the nearest right one.
template <typename Known>
auto value_called(std::string_view name, const Known& known, const char* what) {
  std::vector<std::string> names;
  for (const auto& [value, its_name] : known) {
    if (its_name == name) return value;
    names.emplace_back(its_name);
  }
  refuse(
      fmt::format("no such {}: {}{}", what, storage::in_quotes(std::string(name)), storage::suggestion(name, names)));
}

template <typename Number>
Number number_of(std::string_view key, std::string_view text, Number least) {
  Number number{};
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || stop != text.data() + text.size() || number < least) {
    refuse(fmt::format("{}: expected a whole number from {}, found {}", key, least,
                       storage::in_quotes(std::string(text))));
  }
  return number;
}

void set_filter(FaultOnRequest& fault, std::string_view key, std::string_view value) {
  if (key == "attempt") {
    fault.attempt = number_of(key, value, 1);
  } else if (key == "epoch") {
    fault.epoch = number_of(key, value, 0);
  } else if (key == "class") {
    fault.normal_class = value;
  } else if (key == "seed") {
    fault.seed = number_of(key, value, std::uint64_t{0});
  } else if (key == "method") {
    std::vector<std::pair<sweeps::Method, std::string_view>> methods;
    for (const auto method : kMethods) methods.emplace_back(method, sweeps::name_of(method));
    fault.method = value_called(value, methods, "method");
  } else {
    refuse(
        fmt::format("no such filter: {}{}", storage::in_quotes(std::string(key)), storage::suggestion(key, kFilters)));
  }
}

FaultOnRequest parse_fault(std::string_view text) {
  const std::size_t at = text.find('@');
  FaultOnRequest fault;
  fault.kind = value_called(text.substr(0, at), kKinds, "fault");
  if (at == std::string_view::npos) return fault;
  for (const std::string_view filter : split(text.substr(at + 1), ',')) {
    const std::size_t equals = filter.find('=');
    if (equals == std::string_view::npos || equals + 1 == filter.size()) {
      refuse(fmt::format("expected FILTER=VALUE after \"@\", found {}", storage::in_quotes(std::string(filter))));
    }
    set_filter(fault, filter.substr(0, equals), filter.substr(equals + 1));
  }
  return fault;
}

template <typename T>
bool passes(const std::optional<T>& filter, const T& value) {
  return !filter || *filter == value;
}

}  // namespace

std::string_view name_of(FaultKind kind) {
  for (const auto& [known, name] : kKinds) {
    if (known == kind) return name;
  }
  throw std::logic_error("a FaultKind without a name");
}

bool FaultOnRequest::is_due(const sweeps::Job& job, int of_attempt, std::optional<int> at_epoch) const {
  const bool now = epoch == at_epoch || (kind == FaultKind::slow && !epoch && at_epoch);
  return now && passes(attempt, of_attempt) && passes(normal_class, job.normal_class) && passes(method, job.method) &&
         (!seed || (sweeps::is_seeded(job.method) && *seed == job.seed));
}

std::vector<FaultOnRequest> parse_faults(std::string_view text) {
  std::vector<FaultOnRequest> faults;
  if (text.empty()) return faults;
  for (const std::string_view one : split(text, ';')) faults.push_back(parse_fault(one));
  return faults;
}

std::string requested_faults() {
  const char* text = std::getenv(kFaultVariable);
  return text == nullptr ? "" : text;
}

std::string warning_about_faults(const std::string& faults, const std::string& where) {
  return fmt::format("{} is set{}: {}: trainers fail on request; unset it where that is not wanted", kFaultVariable,
                     where, storage::in_quotes(faults));
}

}  // namespace workers
