// Merges ledgers key by key, in the order of the keys, so that messages do not depend on the order of a hash table.
#include "results/merge.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "storage/error.hpp"

namespace results {
namespace {

std::string name_of(Outcome outcome) {
  return outcome == Outcome::finished ? "finished" : "diverged";
}

/// What results of one job may rest on, besides the job itself.
struct Fact {
  const char* name;
  std::string (*value)(const Done&);
};
constexpr Fact kFacts[] = {
    {"engine version", [](const Done& done) { return fmt::format("{}", done.engine_version); }},
    {"device", [](const Done& done) { return done.result.device; }},
    {"threads", [](const Done& done) { return fmt::format("{}", done.result.threads); }},
    {"weights", [](const Done& done) { return done.result.weights; }},
    {"training feature set", [](const Done& done) { return done.result.train.id; }},
    {"training feature set's checksum", [](const Done& done) { return done.result.train.checksum; }},
    {"test feature set", [](const Done& done) { return done.result.test.id; }},
    {"test feature set's checksum", [](const Done& done) { return done.result.test.checksum; }},
};

/// Of results that rest on the same.
std::string broken_promise(const JobResult& one, const JobResult& other) {
  constexpr const char* kSame = "although device, threads and rows are the same, which should give the same bits";
  if (one.outcome != other.outcome) {
    return fmt::format("outcome {} and {}, {}", name_of(one.outcome), name_of(other.outcome), kSame);
  }
  for (std::size_t i = 0; i < std::min(one.epochs.size(), other.epochs.size()); ++i) {
    if (encode(one.epochs[i]) != encode(other.epochs[i])) return fmt::format("the record of epoch {}, {}", i, kSame);
  }
  if (one.epochs.size() != other.epochs.size()) {
    return fmt::format("{} and {} epochs, {}", one.epochs.size(), other.epochs.size(), kSame);
  }
  return fmt::format("what they record, {}", kSame);
}

/// A result of a job, and where it was found.
struct Found {
  Done* done = nullptr;
  const std::string* source = nullptr;
};

/// How a result of a job differs from its first one, in words; nothing where all are equal.
std::string contest(const std::vector<Found>& all) {
  const Found& first = all.front();
  for (std::size_t i = 1; i < all.size(); ++i) {
    const Found& other = all[i];
    const std::string difference = difference_of(*first.done, *other.done);
    if (difference.empty()) continue;
    return fmt::format("{}: its results in {} and in {} differ: {}", sweeps::describe(first.done->job), *first.source,
                       *other.source, difference);
  }
  return "";
}

/// The same one whatever the order of the sources.
bool comes_before(const Failed& one, const Failed& other) {
  const auto order = [](const Failed& f) { return std::tie(f.cause, f.message, f.attempt, f.engine_version); };
  return order(one) < order(other);
}

void add_failed(const std::vector<Source>& sources, Ledger& merged) {
  for (const Source& source : sources) {
    for (const auto& [key, failed] : source.ledger.failed) {
      if (merged.done.contains(key)) continue;
      const auto [known, is_new] = merged.failed.try_emplace(key, failed);
      if (!is_new && comes_before(failed, known->second)) known->second = failed;
    }
  }
}

}  // namespace

std::string difference_of(const Done& one, const Done& other) {
  std::vector<std::string> parts;
  for (const Fact& fact : kFacts) {
    const std::string a = fact.value(one), b = fact.value(other);
    if (a != b) parts.push_back(fmt::format("{} {} and {}", fact.name, a, b));
  }
  if (!parts.empty()) return fmt::format("{}", fmt::join(parts, ", "));
  // As text: the bits of every number, and a loss that is none equals itself.
  return encode(one.result) == encode(other.result) ? std::string() : broken_promise(one.result, other.result);
}

Merged merge(std::vector<Source> sources, Mixed mixed) {
  std::map<sweeps::JobKey, std::vector<Found>> found;
  for (Source& source : sources) {
    for (auto& [key, done] : source.ledger.done) found[key].push_back({&done, &source.name});
  }
  Merged merged;
  for (const auto& [key, all] : found) {
    std::string message = contest(all);
    merged.ledger.done.emplace(key, std::move(*all.front().done));
    if (message.empty()) continue;
    if (mixed == Mixed::refused) {
      throw storage::Error(
          fmt::format("{}; leave out one of the two, or give --allow-mixed, which counts the first", message));
    }
    merged.contested.push_back({key, std::move(message)});
  }
  add_failed(sources, merged.ledger);
  for (const Source& source : sources) {
    const std::string whose = sources.size() > 1 ? source.name + ": " : "";
    for (const std::string& note : source.ledger.notes) merged.ledger.notes.push_back(whose + note);
  }
  return merged;
}

}  // namespace results
