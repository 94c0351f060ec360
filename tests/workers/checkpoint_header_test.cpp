// Headers of checkpoints: what is written is read back to the bit, and nothing that cannot be.
#include "workers/checkpoint_header.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "storage/error.hpp"
#include "tests/workers/message_samples.hpp"

namespace workers {
namespace {

using nlohmann::json;
using testing::HasSubstr;

CheckpointIdentity identity() {
  return {kId, sweeps::kEngineVersion, "cpu", 2, {"train", "crc32c:1"}, {"test", "crc32c:2"}};
}

CheckpointHeader header() {
  CheckpointHeader header;
  header.identity = identity();
  header.attempt = 3;
  header.written = "2026-11-28T20:15:03Z";
  header.started = "2026-11-27T20:15:03Z";
  header.seconds = 1.0 / 3;
  header.epoch = 1;
  header.batches = kBeyondDouble;
  header.sums = {0.1 + 0.2, 1.0 / 3, -5e-324, 1e300, 0};
  header.learning_rate = 6.3095734448019317e-05;
  header.found_learning_rate = 0.1 + 0.7;
  header.epochs = {epoch()};
  header.tensors = {{"classifier.fc2.weight", "float32", {1, 512}}, {"steps", "float32", {}}};
  return header;
}

TEST(CheckpointHeader, ReadsBackAsItWasWritten) {
  EXPECT_EQ(decode_checkpoint_header(encode(header()), "x"), header());
  CheckpointHeader plain = header();
  plain.found_learning_rate.reset();
  plain.epochs.clear();
  EXPECT_EQ(decode_checkpoint_header(encode(plain), "x"), plain);
}

TEST(CheckpointHeader, CountsTheBytesOfATensor) {
  EXPECT_EQ(bytes_of({"a", "float32", {3, 5}}), 60U);
  EXPECT_EQ(bytes_of({"a", "float32", {}}), 4U);
}

std::string refusal(const json& text) {
  try {
    decode_checkpoint_header(text.dump(), "out/checkpoint");
  } catch (const storage::Error& error) {
    EXPECT_THAT(error.what(), testing::StartsWith("out/checkpoint: "));
    return error.what();
  }
  return "not refused";
}

TEST(CheckpointHeader, RefusesWhatCannotBe) {
  const json good = json::parse(encode(header()));
  EXPECT_EQ(refusal(good), "not refused");
  for (const auto& [member, value] : good.items()) {
    json without = good;
    without.erase(member);
    const bool may_be_absent = member == "found_learning_rate";
    EXPECT_EQ(refusal(without) == "not refused", may_be_absent) << member;
    json of_another_type = good;
    of_another_type[member] = json::object({{"x", 1}});
    EXPECT_NE(refusal(of_another_type), "not refused") << member;
  }
  const auto with = [&](const char* where, const json& value) {
    json changed = good;
    changed[json::json_pointer(where)] = value;
    return refusal(changed);
  };
  EXPECT_THAT(with("/v", 2), HasSubstr("v: expected version 1, found 2"));
  EXPECT_THAT(with("/v", 1.5), HasSubstr("v: expected version 1"));
  EXPECT_THAT(with("/surprise", 1), HasSubstr("surprise"));
  EXPECT_THAT(with("/threads", 0), HasSubstr("threads: "));
  EXPECT_THAT(with("/attempt", 0), HasSubstr("attempt: "));
  EXPECT_THAT(with("/seconds", -1), HasSubstr("seconds: expected at least 0"));
  EXPECT_THAT(with("/epoch", -1), HasSubstr("epoch: "));
  EXPECT_THAT(with("/batches", -1), HasSubstr("batches: "));
  EXPECT_THAT(with("/sums", {1, 2, 3, 4}), HasSubstr("sums: expected 5 numbers"));
  EXPECT_THAT(with("/sums/0", nullptr), HasSubstr("sums[0]: "));
  EXPECT_THAT(with("/tensors/0/dtype", "float64"), HasSubstr("expected float32"));
  EXPECT_THAT(with("/tensors/0/shape", {0}), HasSubstr("shape[0]: "));
  EXPECT_THAT(with("/tensors/0/shape", {-1}), HasSubstr("shape[0]: "));
  EXPECT_THAT(with("/tensors/0/shape", {1 << 30, 1 << 30, 1 << 30}), HasSubstr("shape[1]: "));
  EXPECT_THAT(with("/tensors/0/shape", std::vector<int>(9, 1)), HasSubstr("shape"));
  EXPECT_THAT(with("/tensors", std::vector<json>(10'001, good["tensors"][0])), HasSubstr("tensors"));
}

TEST(CheckpointHeader, SaysWhatDiffersFromTheTrainingThatIsToGoOn) {
  EXPECT_EQ(difference(identity(), identity()), "");
  const auto with = [&](const auto& change) {
    CheckpointIdentity found = identity();
    change(found);
    return difference(found, identity());
  };
  EXPECT_THAT(with([](auto& i) { i.key = "ff"; }), HasSubstr("another job, ff"));
  EXPECT_THAT(with([](auto& i) { i.engine_version = 1; }), HasSubstr("engine version 1"));
  EXPECT_THAT(with([](auto& i) { i.device = "cuda"; }), HasSubstr("of cuda, this is cpu"));
  EXPECT_THAT(with([](auto& i) { i.threads = 1; }), HasSubstr("of 1 thread(s), here are 2"));
  EXPECT_THAT(with([](auto& i) { i.train.id = "other"; }), HasSubstr("other training features, other"));
  EXPECT_THAT(with([](auto& i) { i.train.checksum = "other"; }), HasSubstr("other training features"));
  EXPECT_THAT(with([](auto& i) { i.test.checksum = "other"; }), HasSubstr("other test features"));
}

}  // namespace
}  // namespace workers
