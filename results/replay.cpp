// Reading a journal back: what counts of it, which tail is torn, and moving damaged lines aside. Writes only in
// repair_journal.
#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "results/journal.hpp"
#include "results/journal_line.hpp"
#include "storage/atomic_file.hpp"
#include "storage/error.hpp"
#include "storage/file_lines.hpp"

namespace results {
namespace {

std::string origin_of(const std::filesystem::path& file, std::size_t line) {
  return fmt::format("{}: line {}", file.string(), line);
}

std::string repair_hint(const std::filesystem::path& file) {
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  return fmt::format("; `plume-bench repair {}` keeps the good lines and moves the bad ones aside", folder.string());
}

std::filesystem::path unused_bad_file(const std::filesystem::path& file) {
  for (int n = 1;; ++n) {
    std::filesystem::path candidate = file;
    candidate += fmt::format(".bad-{}", n);
    if (!std::filesystem::exists(candidate)) return candidate;
  }
}

}  // namespace

void Ledger::apply(Entry entry) {
  const auto in_our_version = [this](const sweeps::JobKey& key) {
    const auto older = older_keys.find(key);
    return older == older_keys.end() ? key : older->second;
  };
  const auto end_attempt = [this](const sweeps::JobKey& key, int attempt) {
    attempts[key] = std::max(attempts[key], attempt);
    const auto open = under_way.find(key);
    if (open != under_way.end() && open->second.attempt <= attempt) under_way.erase(open);
  };
  const auto key_now = [this](const auto& of) {
    const sweeps::JobKey key = sweeps::key_of(of.job);
    if (of.engine_version != sweeps::kEngineVersion) older_keys[sweeps::key_of(of.job, of.engine_version)] = key;
    return key;
  };
  if (auto* finished = std::get_if<Done>(&entry)) {
    const sweeps::JobKey key = key_now(*finished);
    end_attempt(key, finished->attempt);
    failed.erase(key);
    const auto known = done.find(key);
    if (known != done.end() && known->second.engine_version == finished->engine_version &&
        known->second.result != finished->result) {
      notes.push_back(fmt::format("{}: the journal holds two results that differ; the first counts",
                                  sweeps::describe(finished->job)));
    }
    done.try_emplace(key, std::move(*finished));
  } else if (auto* failure = std::get_if<Failed>(&entry)) {
    const sweeps::JobKey key = key_now(*failure);
    end_attempt(key, failure->attempt);
    ends[key][failure->attempt] = failure->cause;
    if (!done.contains(key)) failed.insert_or_assign(key, std::move(*failure));
  } else if (auto* note = std::get_if<Note>(&entry)) {
    notes.push_back(std::move(note->text));
  } else if (const auto* started = std::get_if<AttemptStarted>(&entry)) {
    const sweeps::JobKey key = in_our_version(started->key);
    attempts[key] = std::max(attempts[key], started->attempt);
    under_way.insert_or_assign(key, *started);
  } else if (const auto* ended = std::get_if<AttemptEnded>(&entry)) {
    const sweeps::JobKey key = in_our_version(ended->key);
    end_attempt(key, ended->attempt);
    ends[key][ended->attempt] = ended->cause;
    if (ended->cause == kRedo) done.erase(key);
  }
}

Replay replay_journal(const std::filesystem::path& file, Engines engines) {
  Replay replay;
  std::error_code ignored;
  if (std::filesystem::symlink_status(file, ignored).type() == std::filesystem::file_type::not_found) return replay;
  storage::FileLines lines(file);
  for (auto line = lines.next(); line; line = lines.next()) {
    replay.file_bytes = line->end;
    ReadLine read = read_line(line->text, origin_of(file, replay.lines + 1), engines);
    if (read.state == LineState::damaged && line->is_last) {
      replay.cut_tail = true;  // torn by a crash in the middle of a write; its job is run again
      break;
    }
    if (read.state != LineState::good) throw storage::Error(read.why + repair_hint(file));
    replay.ledger.apply(std::move(*read.entry));
    ++replay.lines;
    replay.good_bytes = line->end;
    replay.needs_newline = !line->has_newline;
  }
  return replay;
}

std::size_t repair_journal(const std::filesystem::path& file) {
  std::string good, bad;
  std::size_t bad_lines = 0, number = 0;
  storage::FileLines lines(file);
  for (auto line = lines.next(); line; line = lines.next()) {
    const bool keep = read_line(line->text, origin_of(file, ++number)).state == LineState::good;
    (keep ? good : bad).append(line->text).push_back('\n');
    bad_lines += keep ? 0 : 1;
  }
  if (bad_lines == 0) return 0;
  // The bad lines first: a crash in between leaves them in both files rather than in none.
  storage::write_atomically(unused_bad_file(file), bad);
  storage::write_atomically(file, good);
  return bad_lines;
}

}  // namespace results
