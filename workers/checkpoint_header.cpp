// A checkpoint's header as JSON and back.
#include "workers/checkpoint_header.hpp"

#include <fmt/format.h>

#include "storage/json.hpp"

namespace workers {
namespace {

using storage::JsonValue;
using storage::JsonWriter;

constexpr std::string_view kFloat32 = "float32";
constexpr std::size_t kMostTensors = 10'000;
constexpr std::size_t kMostDimensions = 8;
constexpr std::uint64_t kMostTensorBytes = std::uint64_t{1} << 40;

void write(JsonWriter& json, const char* key, const results::FeatureUse& use) {
  json.key(key).begin_object().member("id", use.id).member("checksum", use.checksum).end_object();
}

results::FeatureUse read_use(const JsonValue& value) {
  value.allow_only({"id", "checksum"});
  return {value.at("id").string(), value.at("checksum").string()};
}

void write(JsonWriter& json, const results::LossTerms& sums) {
  json.key("sums").begin_array();
  for (const double sum : {sums.total, sums.classification, sums.noise, sums.kl, sums.guidance}) json.value(sum);
  json.end_array();
}

results::LossTerms read_sums(const JsonValue& value) {
  const auto items = value.items(5);
  if (items.size() != 5) value.fail("expected 5 numbers");
  return {items[0].number(), items[1].number(), items[2].number(), items[3].number(), items[4].number()};
}

void write(JsonWriter& json, const TensorEntry& tensor) {
  json.begin_object().member("name", tensor.name).member("dtype", tensor.dtype).key("shape").begin_array();
  for (const std::int64_t size : tensor.shape) json.value(size);
  json.end_array().end_object();
}

/// Its product of sizes is bounded, so that bytes_of cannot overflow.
TensorEntry read_tensor(const JsonValue& value) {
  value.allow_only({"name", "dtype", "shape"});
  TensorEntry tensor{value.at("name").string(), value.at("dtype").string(), {}};
  if (tensor.dtype != kFloat32) value.at("dtype").fail(fmt::format("expected {}, found {}", kFloat32, tensor.dtype));
  std::uint64_t numbers = 1;
  for (const JsonValue& item : value.at("shape").items(kMostDimensions)) {
    tensor.shape.push_back(item.integer(1, static_cast<std::int64_t>(kMostTensorBytes / 4 / numbers)));
    numbers *= static_cast<std::uint64_t>(tensor.shape.back());
  }
  return tensor;
}

void write(JsonWriter& json, const CheckpointIdentity& identity) {
  json.member("key", identity.key).member("engine_version", identity.engine_version);
  json.member("device", identity.device).member("threads", identity.threads);
  write(json, "train", identity.train);
  write(json, "test", identity.test);
}

CheckpointIdentity read_identity(const JsonValue& value) {
  return {value.at("key").string(),    static_cast<int>(value.at("engine_version").integer(1, INT32_MAX)),
          value.at("device").string(), static_cast<int>(value.at("threads").integer(1, INT32_MAX)),
          read_use(value.at("train")), read_use(value.at("test"))};
}

double not_negative(const JsonValue& value) {
  if (value.number() < 0) value.fail("expected at least 0");
  return value.number();
}

}  // namespace

std::string difference(const CheckpointIdentity& found, const CheckpointIdentity& wanted) {
  if (found.key != wanted.key) return fmt::format("it is of another job, {}", found.key);
  if (found.engine_version != wanted.engine_version) {
    return fmt::format("it is of engine version {}, this plume-bench's is {}", found.engine_version,
                       wanted.engine_version);
  }
  if (found.device != wanted.device) return fmt::format("it is of {}, this is {}", found.device, wanted.device);
  if (found.threads != wanted.threads) {
    return fmt::format("it is of {} thread(s), here are {}", found.threads, wanted.threads);
  }
  if (found.train != wanted.train) return fmt::format("it is of other training features, {}", found.train.id);
  if (found.test != wanted.test) return fmt::format("it is of other test features, {}", found.test.id);
  return "";
}

std::string encode(const CheckpointHeader& header) {
  JsonWriter json;
  json.begin_object().member("v", kCheckpointVersion);
  write(json, header.identity);
  json.member("attempt", header.attempt).member("written", header.written).member("started", header.started);
  json.member("seconds", header.seconds).member("epoch", header.epoch).member("batches", header.batches);
  write(json, header.sums);
  json.member("learning_rate", header.learning_rate);
  if (header.found_learning_rate) json.member("found_learning_rate", *header.found_learning_rate);
  json.key("epochs").begin_array();
  for (const auto& record : header.epochs) json.raw(results::encode(record));
  json.end_array().key("tensors").begin_array();
  for (const auto& tensor : header.tensors) write(json, tensor);
  return json.end_array().end_object().text();
}

CheckpointHeader decode_checkpoint_header(std::string_view text, const std::string& origin) {
  const JsonValue value = storage::parse_json(text, origin, storage::Blame::run);
  const JsonValue version = value.at("v");
  if (!version.is_integer() || version.text() != fmt::format("{}", kCheckpointVersion)) {
    version.fail(fmt::format("expected version {}, found {}", kCheckpointVersion, version.text().substr(0, 20)));
  }
  value.allow_only({"v", "key", "engine_version", "device", "threads", "train", "test", "attempt", "written", "started",
                    "seconds", "epoch", "batches", "sums", "learning_rate", "found_learning_rate", "epochs",
                    "tensors"});
  CheckpointHeader header;
  header.identity = read_identity(value);
  header.attempt = static_cast<int>(value.at("attempt").integer(1, INT32_MAX));
  header.written = value.at("written").string();
  header.started = value.at("started").string();
  header.seconds = not_negative(value.at("seconds"));
  header.epoch = static_cast<int>(value.at("epoch").integer(0, INT32_MAX));
  header.batches = value.at("batches").integer(0);
  header.sums = read_sums(value.at("sums"));
  header.learning_rate = value.at("learning_rate").number();
  if (const auto rate = value.find("found_learning_rate")) header.found_learning_rate = rate->number();
  for (const JsonValue& item : value.at("epochs").items()) header.epochs.push_back(results::decode_epoch(item));
  for (const JsonValue& item : value.at("tensors").items(kMostTensors)) header.tensors.push_back(read_tensor(item));
  return header;
}

std::uint64_t bytes_of(const TensorEntry& tensor) {
  std::uint64_t bytes = 4;
  for (const std::int64_t size : tensor.shape) bytes *= static_cast<std::uint64_t>(size);
  return bytes;
}

}  // namespace workers
