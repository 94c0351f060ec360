// A few numbers and a sentence.
#include "runner/chain_file.hpp"

#include "storage/atomic_file.hpp"
#include "storage/error.hpp"
#include "storage/json.hpp"
#include "storage/machine.hpp"

namespace runner {
namespace {

constexpr int kChainVersion = 1;
constexpr int kMostStatus = 255;
constexpr int kMostRestarts = 1'000'000;

std::filesystem::path file_in(const std::filesystem::path& directory) {
  return directory / "chain.json";
}

ChainWord read_word(const storage::JsonValue& value) {
  ChainWord word;
  word.again = value.at("again").boolean();
  word.status = static_cast<int>(value.at("status").integer(0, kMostStatus));
  word.why = value.at("why").string();
  const auto at = value.at("at").string();
  const auto seconds = storage::utc_seconds(at);
  if (!seconds) value.at("at").fail("expected a time like 2026-11-27T20:15:03Z, found " + storage::in_quotes(at));
  word.at = *seconds;
  if (const auto job = value.find("job")) word.job = job->string();
  if (const auto restart = value.find("restart")) word.restart = static_cast<int>(restart->integer(0, kMostRestarts));
  if (const auto cluster = value.find("cluster")) word.cluster = cluster->string();
  if (const auto began = value.find("began")) word.began = began->boolean();
  return word;
}

}  // namespace

std::optional<ChainMemory> read_chain(const std::filesystem::path& directory) {
  const auto file = file_in(directory);
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return std::nullopt;
  const auto root = storage::read_json(file, storage::Blame::run);
  root.at("version").integer(kChainVersion, kChainVersion);
  ChainMemory memory;
  memory.ended = root.at("ended").integer(0);
  memory.idle = static_cast<int>(root.at("idle").integer(0, kMostIdle));
  if (const auto counter = root.find("counter")) memory.counter = counter->unsigned_integer();
  if (const auto word = root.find("said")) memory.word = read_word(*word);
  return memory;
}

void write_chain(const std::filesystem::path& directory, const ChainMemory& memory) {
  storage::JsonWriter json;
  json.begin_object().member("version", kChainVersion).member("ended", memory.ended).member("idle", memory.idle);
  json.member("counter", memory.counter);
  if (memory.word) {
    json.key("said").begin_object().member("again", memory.word->again).member("status", memory.word->status);
    json.member("why", memory.word->why).member("at", storage::utc_text(memory.word->at));
    json.member("job", memory.word->job).member("restart", memory.word->restart);
    if (!memory.word->cluster.empty()) json.member("cluster", memory.word->cluster);
    json.member("began", memory.word->began).end_object();
  }
  json.end_object();
  storage::write_atomically(file_in(directory), json.text() + "\n");
}

}  // namespace runner
