// Entries to sealed lines and back: {"v":1,"type":...,"crc":"xxxxxxxx"}, the CRC-32C over the bytes before `,"crc":`.
#include "results/journal_line.hpp"

#include <fmt/format.h>

#include "storage/digest.hpp"
#include "storage/error.hpp"
#include "sweeps/backbones.hpp"

namespace results {
namespace {

constexpr std::string_view kSealStart = R"(,"crc":")";
constexpr std::string_view kSealEnd = R"("})";
constexpr std::size_t kSealLength = kSealStart.size() + 8 + kSealEnd.size();

/// A line that is whole but belongs to another version of the program.
class ForeignLine : public storage::Error {
 public:
  using storage::Error::Error;
};

storage::JsonWriter open_line(std::string_view type) {
  storage::JsonWriter json;
  json.begin_object().member("v", kJournalVersion).member("type", type);
  return json;
}

void write_job(storage::JsonWriter& json, const sweeps::Job& job, int engine_version) {
  json.member("key", sweeps::key_of(job, engine_version).hex);
  json.key("job").raw(sweeps::canonical_text(job, engine_version));
}

std::string body_of(const Done& done) {
  storage::JsonWriter json = open_line("done");
  write_job(json, done.job, done.engine_version);
  json.member("attempt", done.attempt);
  json.key("result").raw(encode(done.result)).key("timing").raw(encode(done.timing));
  return json.text();
}

std::string body_of(const Failed& failed) {
  storage::JsonWriter json = open_line("failed");
  write_job(json, failed.job, failed.engine_version);
  json.member("attempt", failed.attempt).member("cause", failed.cause).member("message", failed.message);
  return json.text();
}

std::string body_of(const AttemptStarted& started) {
  storage::JsonWriter json = open_line("start");
  json.member("key", started.key.hex).member("attempt", started.attempt);
  json.member("worker", started.worker).member("at", started.at);
  return json.text();
}

std::string body_of(const AttemptEnded& ended) {
  storage::JsonWriter json = open_line("attempt");
  json.member("key", ended.key.hex).member("attempt", ended.attempt);
  json.member("cause", ended.cause).member("message", ended.message);
  return json.text();
}

std::string body_of(const Note& note) {
  storage::JsonWriter json = open_line("note");
  json.member("text", note.text);
  return json.text();
}

/// Why the bytes are not those that were written; nothing if they are.
std::optional<std::string> damage_of(std::string_view line) {
  const bool sealed = line.size() > kSealLength &&
                      line.substr(line.size() - kSealLength, kSealStart.size()) == kSealStart &&
                      line.ends_with(kSealEnd);
  if (!sealed) return "no checksum at its end, expected `\"crc\":\"xxxxxxxx\"}`";
  const std::string_view stored = line.substr(line.size() - kSealEnd.size() - 8, 8);
  const std::string computed = storage::crc32c_hex(line.substr(0, line.size() - kSealLength));
  if (stored == computed) return std::nullopt;
  return fmt::format("checksum {} is stored, but its bytes give {}", stored, computed);
}

void check_version(const storage::JsonValue& value, const std::string& origin) {
  const std::int64_t version = value.at("v").integer(0);
  if (version == kJournalVersion) return;
  const char* who = version > kJournalVersion ? "written by a newer plume-bench" : "written by an older plume-bench";
  throw ForeignLine(
      fmt::format("{}: journal version {}, {}; this one reads version {}: use the plume-bench that wrote it", origin,
                  version, who, kJournalVersion));
}

/// The engine version of a job, if it is among `engines`; a job that hides it is refused by read_job.
int read_engine(const storage::JsonValue& job, const std::string& origin, Engines engines) {
  const auto engine = job.find("engine_version");
  const std::int64_t version = engine ? engine->integer() : sweeps::kEngineVersion;
  if (version == sweeps::kEngineVersion) return sweeps::kEngineVersion;
  const bool readable = version >= sweeps::kOldestReadableEngine && version < sweeps::kEngineVersion;
  if (readable && engines == Engines::readable) return static_cast<int>(version);
  if (engines == Engines::readable) {
    throw ForeignLine(
        fmt::format("{}: written by a plume-bench of engine version {}; this one reads those of {} to {}: "
                    "use the plume-bench that wrote it",
                    origin, version, sweeps::kOldestReadableEngine, sweeps::kEngineVersion));
  }
  throw ForeignLine(fmt::format(
      "{}: written by a plume-bench of engine version {}; this one is of engine version {}, and their results "
      "do not mix: use another --out, or the plume-bench that wrote it{}",
      origin, version, sweeps::kEngineVersion, readable ? " (`plume-bench report` reads it)" : ""));
}

struct KeyedJob {
  sweeps::Job job;
  int engine_version = sweeps::kEngineVersion;
};

KeyedJob read_keyed_job(const storage::JsonValue& value, const std::string& origin, Engines engines) {
  const int engine = read_engine(value.at("job"), origin, engines);
  sweeps::Job job = sweeps::read_job(value.at("job"), engine);
  const storage::JsonValue stored = value.at("key");
  const std::string expected = sweeps::key_of(job, engine).hex;
  if (stored.string() != expected) {
    stored.fail(fmt::format("expected the key of its job, {}, found {}", expected, stored.string()));
  }
  return {std::move(job), engine};
}

sweeps::JobKey read_key(const storage::JsonValue& value) {
  const std::string text = value.string();
  if (text.size() != 32 || text.find_first_not_of("0123456789abcdef") != std::string::npos) {
    value.fail("expected 32 hexadecimal digits, found \"" + text + "\"");
  }
  return {text};
}

/// A result that does not say what it rests on would pass for one on the paper's weights.
JobResult read_result_of(const sweeps::Job& job, const storage::JsonValue& value) {
  JobResult result = decode_result(value);
  if (sweeps::has_weights(sweeps::backbone_of(job)) == result.weights.empty()) {
    value.at("weights").fail(result.weights.empty()
                                 ? "expected what the rows of its backbone were made with, found \"\""
                                 : "expected \"\": its rows are not a backbone's");
  }
  return result;
}

int read_attempt(const storage::JsonValue& value) {
  return static_cast<int>(value.at("attempt").integer(1, kMostAttempts));
}

Entry read_entry(const storage::JsonValue& value, const std::string& origin, Engines engines) {
  check_version(value, origin);
  const std::string type = value.at("type").string();
  if (type == "done") {
    value.allow_only({"v", "type", "key", "job", "attempt", "result", "timing", "crc"});
    auto [job, engine] = read_keyed_job(value, origin, engines);
    JobResult result = read_result_of(job, value.at("result"));
    return Done{std::move(job), read_attempt(value), std::move(result), decode_timing(value.at("timing")), engine};
  }
  if (type == "failed") {
    value.allow_only({"v", "type", "key", "job", "attempt", "cause", "message", "crc"});
    auto [job, engine] = read_keyed_job(value, origin, engines);
    return Failed{std::move(job), read_attempt(value), value.at("cause").string(), value.at("message").string(),
                  engine};
  }
  if (type == "start") {
    value.allow_only({"v", "type", "key", "attempt", "worker", "at", "crc"});
    return AttemptStarted{read_key(value.at("key")), read_attempt(value), value.at("worker").string(),
                          value.at("at").string()};
  }
  if (type == "attempt") {
    value.allow_only({"v", "type", "key", "attempt", "cause", "message", "crc"});
    return AttemptEnded{read_key(value.at("key")), read_attempt(value), value.at("cause").string(),
                        value.at("message").string()};
  }
  if (type == "note") {
    value.allow_only({"v", "type", "text", "crc"});
    return Note{value.at("text").string()};
  }
  value.at("type").fail("expected \"done\", \"failed\", \"start\", \"attempt\" or \"note\", found \"" + type + "\"");
}

}  // namespace

std::string encode(const Entry& entry) {
  const std::string body = std::visit([](const auto& value) { return body_of(value); }, entry);
  return body + std::string(kSealStart) + storage::crc32c_hex(body) + std::string(kSealEnd);
}

ReadLine read_line(std::string_view line, const std::string& origin, Engines engines) {
  if (const auto damage = damage_of(line)) return {LineState::damaged, std::nullopt, origin + ": " + *damage};
  try {
    return {LineState::good, read_entry(storage::parse_json(line, origin, storage::Blame::run), origin, engines), ""};
  } catch (const ForeignLine&) {
    throw;
  } catch (const storage::Error& error) {
    return {LineState::wrong, std::nullopt, error.what()};
  }
}

Entry decode_entry(std::string_view line, const std::string& origin, Engines engines) {
  ReadLine read = read_line(line, origin, engines);
  if (read.state != LineState::good) throw storage::Error(read.why);
  return std::move(*read.entry);
}

}  // namespace results
