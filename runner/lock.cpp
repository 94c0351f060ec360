// Makes, judges and refreshes DIR/lock.
#include "runner/lock.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <optional>
#include <random>

#include "storage/atomic_file.hpp"
#include "storage/error.hpp"
#include "storage/json.hpp"
#include "storage/machine.hpp"

namespace runner {
namespace {

namespace fs = std::filesystem;
constexpr std::chrono::seconds kRewriteEvery{5};

std::string new_nonce() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

std::optional<LockHolder> read_holder(const fs::path& file) {
  if (!fs::exists(file)) return std::nullopt;
  try {
    const auto root = storage::read_json(file, storage::Blame::run);
    LockHolder h;
    h.host = root.at("host").string();
    h.boot = root.at("boot").string();
    h.pid = root.at("pid").integer(0);
    h.started = root.at("started").integer(0);
    h.counter = root.at("counter").unsigned_integer();
    h.nonce = root.at("nonce").string();
    return h;
  } catch (const storage::Error&) {
    if (!fs::exists(file)) return std::nullopt;
    LockHolder damaged;
    damaged.host = "an unknown host (the lock file is damaged)";
    return damaged;
  }
}

std::string text_of(const LockHolder& h) {
  storage::JsonWriter json;
  json.begin_object().member("v", 1).member("host", h.host).member("boot", h.boot).member("pid", h.pid);
  json.member("started", h.started).member("counter", h.counter).member("nonce", h.nonce).end_object();
  return json.text();
}

LockHolder ourselves(const std::string& nonce, std::uint64_t counter) {
  return {storage::host_name(),
          storage::boot_id(),
          nonce,
          getpid(),
          storage::start_of_process(getpid()).value_or(0),
          counter};
}

[[noreturn]] void refuse(const fs::path& file, const LockHolder& h) {
  throw storage::Error(
      fmt::format("{}: another run works on this directory (host {}, process {}): wait for it, stop it, or give "
                  "another --out; if it is certainly dead, --take-over",
                  file.parent_path().string(), h.host, h.pid));
}

/// Waits until the holder's counter moves (alive) or `stale_after` has passed without a change (dead).
Verdict watch(const fs::path& file, const LockHolder& first, const LockOptions& options) {
  if (options.say) {
    options.say(fmt::format("{}: locked by process {} on host {}; watching for {:.0f} s whether it lives",
                            file.string(), first.pid, first.host, options.stale_after.count()));
  }
  const std::chrono::duration<double> step{1};
  for (auto waited = step; waited <= options.stale_after; waited += step) {
    options.wait(step);
    const auto now = read_holder(file);
    if (!now) return Verdict::dead;
    if (*now != first) return Verdict::alive;
  }
  return Verdict::dead;
}

bool make_first(const fs::path& file, const std::string& text) {
  const auto temporary = storage::temporary_beside(file);
  storage::write_atomically(temporary, text);
  return storage::publish_first(temporary, file) == storage::Publish::won;
}

}  // namespace

std::optional<LockHolder> read_lock(const fs::path& directory) {
  return read_holder(directory / "lock");
}

Verdict judge(const std::string& host, const std::string& boot, std::int64_t pid, std::int64_t started) {
  if (host != storage::host_name()) return Verdict::unknown;
  if (boot != storage::boot_id()) return Verdict::dead;
  const auto now = storage::start_of_process(pid);
  return now && *now == started ? Verdict::alive : Verdict::dead;
}

DirectoryLock::DirectoryLock(const fs::path& directory, LockOptions options)
    : file_(directory / "lock"), nonce_(new_nonce()) {
  const auto holder = read_holder(file_);
  if (!holder) {
    if (!make_first(file_, text_of(ourselves(nonce_, counter_))))
      refuse(file_, read_holder(file_).value_or(LockHolder{}));
    written_ = std::chrono::steady_clock::now();
    return;
  }
  if (!options.take_over) {
    auto verdict = judge(holder->host, holder->boot, holder->pid, holder->started);
    if (verdict == Verdict::unknown) verdict = watch(file_, *holder, options);
    if (verdict == Verdict::alive) refuse(file_, *holder);
  }
  // Two runs may judge the same lock dead: both write, the later write stays, and the other sees after a moment that it
  // lost.
  write();
  options.wait(std::chrono::duration<double>{0.3});
  const auto now = read_holder(file_);
  if (!now || now->nonce != nonce_) refuse(file_, now.value_or(LockHolder{}));
}

std::string check_lock(const fs::path& directory) {
  const auto file = directory / "lock";
  const auto holder = read_holder(file);
  if (!holder) return "";
  const auto verdict = judge(holder->host, holder->boot, holder->pid, holder->started);
  if (verdict == Verdict::alive) refuse(file, *holder);
  if (verdict == Verdict::dead) return "";
  return fmt::format("{}: locked by process {} on host {}; a run would watch for {:.0f} s whether it lives",
                     file.string(), holder->pid, holder->host, LockOptions{}.stale_after.count());
}

DirectoryLock::~DirectoryLock() {
  const auto holder = read_holder(file_);
  std::error_code ignored;
  if (holder && holder->nonce == nonce_) fs::remove(file_, ignored);
}

void DirectoryLock::write() {
  storage::write_atomically(file_, text_of(ourselves(nonce_, counter_)));
  written_ = std::chrono::steady_clock::now();
}

void DirectoryLock::refresh() {
  if (std::chrono::steady_clock::now() - written_ < kRewriteEvery) return;
  const auto holder = read_holder(file_);
  if (!holder || holder->nonce != nonce_) {
    throw storage::Error(fmt::format(
        "{}: {}; this run stops, what it has committed stays", file_.string(),
        holder
            ? fmt::format("another run (host {}, process {}) has taken the directory over", holder->host, holder->pid)
            : "the lock has been removed"));
  }
  ++counter_;
  write();
}

}  // namespace runner
