// Reads a deadline from a flag, the environment or squeue.
#include "runner/deadline.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <ctime>
#include <sstream>

#include "runner/cluster_settings.hpp"
#include "storage/error.hpp"
#include "storage/json.hpp"

namespace runner {
namespace {

constexpr std::int64_t kMostSeconds = 366LL * 86400;

/// Digits and nothing else.
std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  const bool good = error == std::errc() && stopped == end && !text.empty() && value >= 0;
  return good ? std::optional(value) : std::nullopt;
}

std::optional<std::int64_t> seconds_from_now(const std::string& text) {
  if (text.empty()) return std::nullopt;
  std::int64_t unit = 1;
  std::string_view number = text;
  switch (text.back()) {
    case 'd':
      unit = 86400;
      break;
    case 'h':
      unit = 3600;
      break;
    case 'm':
      unit = 60;
      break;
    case 's':
      break;
    default:
      number = {};
  }
  if (number.empty()) {
    number = text;
  } else {
    number.remove_suffix(1);
  }
  const auto count = whole_number(number);
  return count && *count <= kMostSeconds / unit ? std::optional(*count * unit) : std::nullopt;
}

std::optional<std::int64_t> utc_time(const std::string& text) {
  std::tm parts{};
  const char* rest = strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return rest != nullptr && *rest == '\0' ? std::optional<std::int64_t>(timegm(&parts)) : std::nullopt;
}

double seconds_of_flag(const std::string& flag, std::int64_t now) {
  const auto relative = seconds_from_now(flag);
  const auto time = utc_time(flag);
  if (!relative && !time) {
    throw storage::UsageError(
        fmt::format("--deadline: expected seconds from now, 90m, 2h, 1d, or a time as 2026-11-28T12:00:00Z (UTC), "
                    "found {}",
                    storage::in_quotes(flag)));
  }
  const auto left = relative ? *relative : *time - now;
  if (left <= 0 || left > kMostSeconds) {
    throw storage::UsageError(fmt::format("--deadline {}: {}; give a time to come, within a year", flag,
                                          left <= 0 ? "that is no time to come" : "that is too far away"));
  }
  return static_cast<double>(left);
}

FoundDeadline of_allocation(const DeadlineSources& sources) {
  const char* job = sources.variable("SLURM_JOB_ID");
  if (job == nullptr || !whole_number(job)) return {};
  const auto now = sources.unix_seconds();
  const auto found = [&](double seconds) {
    return FoundDeadline{Deadline("the allocation", std::max(0.0, seconds), sources), ""};
  };
  if (const char* text = sources.variable("SLURM_JOB_END_TIME")) {
    const auto time = whole_number(text);
    if (time && *time > 0 && *time - now <= kMostSeconds) return found(static_cast<double>(*time - now));
  }
  const auto answer =
      sources.ask({"squeue", "--noheader", "--jobs", job, "--format", "%e %L"}, {"SLURM_TIME_FORMAT=%s", "TZ=UTC"});
  if (!answer.why.empty()) {
    return {std::nullopt, fmt::format("nobody says when Slurm job {} ends: {}; --deadline does", job, answer.why)};
  }
  if (const auto left = seconds_left_by_squeue(answer.output, now)) return found(*left);
  return {};
}

}  // namespace

DeadlineSources real_deadline_sources() {
  return {[] { return static_cast<std::int64_t>(std::time(nullptr)); },
          [](const char* name) -> const char* { return std::getenv(name); }, ask_programs(), workers::steady_seconds};
}

Deadline::Deadline(std::string who, double seconds, const DeadlineSources& sources)
    : who_(std::move(who)),
      seconds_at_start_(seconds),
      unix_seconds_(sources.unix_seconds() + static_cast<std::int64_t>(seconds)),
      clock_(sources.clock),
      ends_(clock_() + workers::Seconds(seconds)) {}

std::string Deadline::utc(std::int64_t now) const {
  const auto then = fmt::gmtime(static_cast<std::time_t>(unix_seconds_));
  constexpr std::int64_t kDay = 86400;
  const bool today = now / kDay == unix_seconds_ / kDay;
  return today ? fmt::format("{:%H:%M} UTC", then) : fmt::format("{:%Y-%m-%d %H:%M} UTC", then);
}

double Deadline::usual_margin() const {
  constexpr double kUsual = 60;
  return std::min(kUsual, seconds_at_start_ / 10);
}

FoundDeadline find_deadline(const std::string& flag, const DeadlineSources& sources) {
  if (flag.empty()) return of_allocation(sources);
  return {Deadline("--deadline " + flag, seconds_of_flag(flag, sources.unix_seconds()), sources), ""};
}

/// A line for each part of a heterogeneous job: the first that ends ends all.
std::optional<double> seconds_left_by_squeue(const std::string& output, std::int64_t now) {
  std::optional<double> least;
  const auto take = [&](double seconds) { least = std::min(least.value_or(seconds), seconds); };
  std::istringstream lines(output);
  std::string ends, left;
  while (lines >> ends >> left) {
    const auto time = whole_number(ends);  // a time in any other format may be of any time zone
    const bool sane = time && *time - now <= kMostSeconds && now - *time <= kMostSeconds;
    if (sane) take(static_cast<double>(std::max<std::int64_t>(0, *time - now)));
    // "9:58" is minutes and seconds for squeue as for sbatch, but it never prints minutes alone.
    const auto duration = left.find(':') == std::string::npos ? std::nullopt : seconds_of_time_limit(left);
    if (duration && *duration <= kMostSeconds) take(static_cast<double>(*duration));
  }
  return least;
}

}  // namespace runner
