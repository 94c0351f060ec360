// Reads and checks what goes into batch scripts.
#include "runner/cluster_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>

#include "runner/sbatch_options.hpp"
#include "runner/shell_text.hpp"
#include "storage/error.hpp"
#include "storage/nearest.hpp"

namespace runner {
namespace {

constexpr int kMostNodes = 10'000, kMostGpus = 64, kMostWorkers = 1024, kMostCpus = 4096, kMostShares = 100'000;
constexpr int kLeastDrain = 10;
constexpr int kMostDrain = 86'400;

/// Refuses a value of a setting: where it is, and what is wrong.
using Refuse = std::function<void(const std::string&)>;

template <typename Value, std::size_t N>
Value chosen(const std::string& text, const std::array<std::pair<const char*, Value>, N>& values,
             const Refuse& refuse) {
  std::vector<std::string> names;
  for (const auto& [name, value] : values) {
    if (text == name) return value;
    names.emplace_back(name);
  }
  refuse(fmt::format("expected {}, found {}", storage::listed(names), storage::in_quotes(text)));
  return values[0].second;
}

constexpr std::array<std::pair<const char*, Form>, 3> kForms{
    {{"mpirun", Form::mpirun}, {"srun", Form::srun}, {"array", Form::array}}};
constexpr std::array<std::pair<const char*, Next>, 3> kNexts{
    {{"resubmit", Next::resubmit}, {"requeue", Next::requeue}, {"stop", Next::stop}}};

/// A line break would end the comment or the option that the text is part of.
std::string one_line(const std::string& text, const Refuse& refuse) {
  if (text.empty()) refuse("expected a text, found \"\"");
  if (has_control_characters(text)) refuse(fmt::format("{}: a control character in it", storage::in_quotes(text)));
  return text;
}

/// The name of a partition, an account, an amount of memory: one word of sbatch's.
std::string word(const std::string& text, const Refuse& refuse) {
  const bool plain = !text.empty() && text.front() != '-' &&
                     text.find_first_of(" \t\"'\\#$`;&|<>()") == std::string::npos && !has_control_characters(text);
  if (!plain) refuse(fmt::format("expected a name without spaces and quotes, found {}", storage::in_quotes(text)));
  return text;
}

std::string time_limit(const std::string& text, const Refuse& refuse) {
  const auto seconds = seconds_of_time_limit(text);
  if (!seconds || *seconds < 60) {
    refuse(
        fmt::format("expected a time limit of a minute or more, for a run must know when to drain, as sbatch takes it: "
                    "HOURS:MINUTES:SECONDS, e.g. 12:00:00, found {}",
                    storage::in_quotes(text)));
  }
  return text;
}

std::string directive(const std::string& text, const Refuse& refuse) {
  one_line(text, refuse);
  if (const auto wrong = wrong_in_options(text); !wrong.empty()) refuse(wrong);
  return text;
}

std::string setup_line(const std::string& text, const Refuse& refuse) {
  if (text.find('\n') == std::string::npos) return one_line(text, refuse);
  refuse(
      fmt::format("{}: a line break in it; give one --setup for each line, or one text of \"setup\" in the site file",
                  storage::in_quotes(text)));
  return text;
}

/// Slurm reads a number without a unit as megabytes.
std::string amount_of_memory(const std::string& text, const Refuse& refuse) {
  word(text, refuse);
  constexpr int kLeastMegabytes = 512;
  constexpr std::string_view kUnits = "KMGTkmgt";
  long value = -1;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string_view unit(stop, static_cast<std::size_t>(text.data() + text.size() - stop));
  const bool no_unit = unit.empty();
  if (unit.size() == 2 && (unit[1] == 'B' || unit[1] == 'b')) unit.remove_suffix(1);
  const bool known_unit = no_unit || (unit.size() == 1 && kUnits.find(unit) != std::string_view::npos);
  if (error != std::errc() || value < 0 || !known_unit) {
    refuse(fmt::format("expected a whole number and K, M, G or T, e.g. 64G, found {}", storage::in_quotes(text)));
  }
  if (no_unit && value > 0 && value < kLeastMegabytes) {  // 0: all that a node has
    refuse(
        fmt::format("{} is {} MB for Slurm, too little for one worker; write {}G for gigabytes", text, value, value));
  }
  return text;
}

std::vector<std::string> each(const std::vector<std::string>& texts, const Refuse& refuse,
                              std::string (*check)(const std::string&, const Refuse&)) {
  std::vector<std::string> checked;
  for (const auto& text : texts) checked.push_back(check(text, refuse));
  return checked;
}

/// Of one key of the site file.
Refuse at_key(const storage::JsonValue& value) {
  return [value](const std::string& what) { value.fail(what); };
}
Refuse at_flag(const std::string& flag) {
  return [flag](const std::string& what) { throw storage::UsageError(flag + ": " + what); };
}

std::vector<std::string> texts_of(const storage::JsonValue& value) {
  std::vector<std::string> texts;
  for (const auto& item : value.items(1000)) texts.push_back(item.string());
  return texts;
}

int usual_drain(long seconds) {
  constexpr long kUsual = 300;
  return static_cast<int>(std::max<long>(kLeastDrain, std::min(kUsual, seconds / 6)));
}

void check_together(const ClusterSettings& settings) {
  const auto refuse = [](const std::string& what) { throw storage::UsageError("slurm: " + what); };
  if (settings.workers() < 1) {
    refuse("no workers: give --gpus-per-node N, or on a cluster without GPUs --gpus-per-node 0 --workers-per-node N");
  }
  const auto seconds = seconds_of_time_limit(settings.time).value_or(0);
  if (settings.drain_seconds * 2 > seconds) {
    refuse(fmt::format("--drain {}: at most half of the time limit ({} is {} s); give --drain {}",
                       settings.drain_seconds, settings.time, seconds, usual_drain(seconds)));
  }
  if (settings.form == Form::array && settings.nodes != 1) {
    refuse("--nodes: a task of a job array has one node; give --shares N for more of them, or --form mpirun");
  }
  const bool is_requeued = settings.form == Form::array || settings.next == Next::requeue;
  for (const auto& directive : settings.directives) {
    if (!is_requeued || !has_option(directive, "--no-requeue")) continue;
    refuse(
        fmt::format("--sbatch: expected an option that the script does not rest on, found \"--no-requeue\"; it goes on "
                    "by having itself requeued{}",
                    settings.form == Form::array ? "" : ", which --next resubmit does without"));
  }
}

/// Typed for one form, and of no effect in the other. Keys of a site file are for all sweeps.
void refuse_idle_flags(const ClusterSettings& settings, const ClusterFlags& flags) {
  const bool is_array = settings.form == Form::array;
  if (!is_array && (flags.shares || flags.at_once)) {
    throw storage::UsageError(fmt::format("{}: of the form array alone; add --form array, or leave it out",
                                          flags.shares ? "--shares" : "--at-once"));
  }
  if (is_array && flags.next && settings.next != Next::requeue) {
    throw storage::UsageError(fmt::format(
        "--next {}: shares are requeued always, since the report waits for their numbers; leave it out", *flags.next));
  }
}

}  // namespace

std::optional<long> seconds_of_time_limit(const std::string& text) {
  std::vector<long> parts;
  std::string_view rest = text;
  long days = -1;
  const auto number = [](std::string_view part) -> long {
    long value = -1;
    const auto [stop, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    return error == std::errc() && stop == part.data() + part.size() && value >= 0 && value <= 1'000'000 ? value : -1;
  };
  if (const auto dash = rest.find('-'); dash != std::string_view::npos) {
    days = number(rest.substr(0, dash));
    if (days < 0) return std::nullopt;
    rest = rest.substr(dash + 1);
  }
  while (true) {
    const auto colon = rest.find(':');
    parts.push_back(number(rest.substr(0, colon)));
    if (parts.back() < 0) return std::nullopt;
    if (colon == std::string_view::npos) break;
    rest = rest.substr(colon + 1);
  }
  if (parts.size() > 3) return std::nullopt;
  if (days >= 0) {
    parts.resize(3, 0);
    return days * 86'400 + parts[0] * 3600 + parts[1] * 60 + parts[2];
  }
  if (parts.size() == 1) return parts[0] * 60;
  if (parts.size() == 2) return parts[0] * 60 + parts[1];
  return parts[0] * 3600 + parts[1] * 60 + parts[2];
}

ClusterSettings read_cluster(const storage::JsonValue& value) {
  value.allow_only({"form", "partition", "account", "qos", "nodes", "gpus_per_node", "workers_per_node",
                    "cpus_per_task", "memory", "mem", "time", "drain", "shares", "at_once", "container", "modules",
                    "setup", "sbatch", "next"});
  ClusterSettings settings;
  const auto text = [&](const char* key, std::string& into, std::string (*check)(const std::string&, const Refuse&)) {
    if (const auto found = value.find(key)) into = check(found->string(), at_key(*found));
  };
  const auto number = [&](const char* key, int& into, int least, int most) {
    if (const auto found = value.find(key)) into = static_cast<int>(found->integer(least, most));
  };
  const auto list = [&](const char* key, std::vector<std::string>& into,
                        std::string (*check)(const std::string&, const Refuse&)) {
    if (const auto found = value.find(key)) into = each(texts_of(*found), at_key(*found), check);
  };
  if (const auto form = value.find("form")) settings.form = chosen(form->string(), kForms, at_key(*form));
  if (const auto next = value.find("next")) settings.next = chosen(next->string(), kNexts, at_key(*next));
  text("partition", settings.partition, word);
  text("account", settings.account, word);
  text("qos", settings.qos, word);
  if (const auto twice = value.find("mem"); twice && value.find("memory"))
    twice->fail("the same as \"memory\"; give one");
  text("memory", settings.memory, amount_of_memory);
  text("mem", settings.memory, amount_of_memory);
  text("time", settings.time, time_limit);
  text("container", settings.container, one_line);
  number("nodes", settings.nodes, 1, kMostNodes);
  number("gpus_per_node", settings.gpus_per_node, 0, kMostGpus);
  number("workers_per_node", settings.workers_per_node, 1, kMostWorkers);
  number("cpus_per_task", settings.cpus_per_task, 1, kMostCpus);
  number("drain", settings.drain_seconds, kLeastDrain, kMostDrain);
  number("shares", settings.shares, 1, kMostShares);
  number("at_once", settings.at_once, 1, kMostShares);
  list("modules", settings.modules, word);
  list("setup", settings.setup, setup_line);
  list("sbatch", settings.directives, directive);
  return settings;
}

ClusterSettings with_flags(ClusterSettings settings, const ClusterFlags& flags) {
  const auto text = [](const char* flag, const std::optional<std::string>& given, std::string& into,
                       std::string (*check)(const std::string&, const Refuse&)) {
    if (given) into = check(*given, at_flag(flag));
  };
  const auto number = [](const char* flag, const std::optional<int>& given, int& into, int least, int most) {
    if (!given) return;
    if (*given < least || *given > most) {
      throw storage::UsageError(fmt::format("{} {}: expected a whole number from {} to {}", flag, *given, least, most));
    }
    into = *given;
  };
  const auto list = [](const char* flag, const std::vector<std::string>& given, std::vector<std::string>& into,
                       std::string (*check)(const std::string&, const Refuse&)) {
    if (!given.empty()) into = each(given, at_flag(flag), check);
  };
  if (flags.form) settings.form = chosen(*flags.form, kForms, at_flag("--form"));
  if (flags.next) settings.next = chosen(*flags.next, kNexts, at_flag("--next"));
  text("--partition", flags.partition, settings.partition, word);
  text("--account", flags.account, settings.account, word);
  text("--qos", flags.qos, settings.qos, word);
  text("--memory", flags.memory, settings.memory, amount_of_memory);
  text("--time", flags.time, settings.time, time_limit);
  text("--container", flags.container, settings.container, one_line);
  number("--nodes", flags.nodes, settings.nodes, 1, kMostNodes);
  number("--gpus-per-node", flags.gpus_per_node, settings.gpus_per_node, 0, kMostGpus);
  number("--workers-per-node", flags.workers_per_node, settings.workers_per_node, 1, kMostWorkers);
  number("--cpus-per-task", flags.cpus_per_task, settings.cpus_per_task, 1, kMostCpus);
  number("--drain", flags.drain_seconds, settings.drain_seconds, kLeastDrain, kMostDrain);
  number("--shares", flags.shares, settings.shares, 1, kMostShares);
  number("--at-once", flags.at_once, settings.at_once, 1, kMostShares);
  list("--module", flags.modules, settings.modules, word);
  list("--setup", flags.setup, settings.setup, setup_line);
  list("--sbatch", flags.directives, settings.directives, directive);
  if (settings.drain_seconds == 0)
    settings.drain_seconds = usual_drain(seconds_of_time_limit(settings.time).value_or(0));
  refuse_idle_flags(settings, flags);
  check_together(settings);
  return settings;
}

}  // namespace runner
