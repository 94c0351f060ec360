// The protocol's text: what is written reads back the same, and nothing wrong is believed.
#include "workers/messages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "storage/error.hpp"
#include "tests/workers/message_samples.hpp"

namespace workers {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

/// Decodes a text as whatever kind of message it was written as.
using Decode = std::function<void(std::string_view)>;
struct Sample {
  Json message;
  Decode decode;
};
std::vector<Sample> every_message() {
  std::vector<Sample> all;
  for (const auto& m : every_to_worker()) all.push_back({Json::parse(encode(m)), decode_to_worker});
  for (const auto& m : every_to_coordinator()) all.push_back({Json::parse(encode(m)), decode_to_coordinator});
  for (const auto& m : every_from_trainer()) all.push_back({Json::parse(encode(m)), decode_from_trainer});
  return all;
}

/// The error that decoding gives; "" when it is believed.
std::string error_of(const Decode& decode, const std::string& text) {
  try {
    decode(text);
  } catch (const storage::UsageError& error) {
    return std::string("blames the user: ") + error.what();
  } catch (const storage::Error& error) {
    return error.what();
  }
  return "";
}

void expect_refused(const Sample& sample, const Json& broken, const std::string& key) {
  const std::string error = error_of(sample.decode, broken.dump());
  EXPECT_THAT(error, HasSubstr(key)) << "for " << broken.dump();
  EXPECT_THAT(error, testing::StartsWith("message: "));
  EXPECT_EQ(error.find('\n'), std::string::npos) << error;
}

/// Calls `visit` with a pointer to each member of the message. What other folders encode is theirs to test.
void for_each_member(const Json& message, const std::function<void(const Json::json_pointer&)>& visit,
                     const Json::json_pointer& at = Json::json_pointer()) {
  for (const auto& [key, value] : message.at(at).items()) {
    const auto member = at / key;
    visit(member);
    const bool foreign = key == "spec" || key == "job" || key == "result" || key == "epoch";
    if (value.is_object() && !foreign) for_each_member(message, visit, member);
  }
}

// ---- what is written reads back the same
// ------------------------------------------------------------------------------------

TEST(Messages, ReadBackToAWorkerAsTheyWereWritten) {
  for (const ToWorker& message : every_to_worker()) {
    const std::string text = encode(message);
    EXPECT_TRUE(decode_to_worker(text) == message) << text;
  }
}

TEST(Messages, ReadBackToTheCoordinatorAsTheyWereWritten) {
  for (const ToCoordinator& message : every_to_coordinator()) {
    const std::string text = encode(message);
    EXPECT_TRUE(decode_to_coordinator(text) == message) << text;
  }
}

TEST(Messages, ReadBackFromATrainerAsTheyWereWritten) {
  for (const FromTrainer& message : every_from_trainer()) {
    const std::string text = encode(message);
    EXPECT_TRUE(decode_from_trainer(text) == message) << text;
  }
}

TEST(Messages, ReadBackEveryCause) {
  for (const Cause cause : {Cause::bad_input, Cause::disk_full, Cause::search_failed, Cause::exception,
                            Cause::out_of_memory, Cause::device_out_of_memory, Cause::signal, Cause::exited,
                            Cause::hung, Cause::start_failed, Cause::worker_lost, Cause::drained}) {
    const ToCoordinator message = TaskFailed{{1}, {1}, cause, "m", false};
    EXPECT_TRUE(decode_to_coordinator(encode(message)) == message) << name_of(cause);
    const bool is_no_fault_of_the_job =
        cause == Cause::worker_lost || cause == Cause::drained || cause == Cause::disk_full;
    EXPECT_EQ(is_infrastructure(cause), is_no_fault_of_the_job) << name_of(cause);
    EXPECT_EQ(cause_called(name_of(cause)), cause);
  }
}

TEST(Messages, LookAsTheProtocolSays) {
  EXPECT_EQ(encode(ToCoordinator{Heartbeat{}}), R"({"v":9,"type":"heartbeat"})");
  EXPECT_EQ(encode(ToCoordinator{TaskFailed{{7}, {2}, Cause::out_of_memory, "a\nb", true}}),
            R"({"v":9,"type":"task-failed","task":7,"attempt":2,"cause":"out-of-memory","message":"a\nb",)"
            R"("reached_epoch":true,"standard_error":""})");
  const ScannedImage image{9, 4, 2, {1, 2, 3}, {4, 5, 6.5}, {}, {}};
  ScannedImage unreadable;
  unreadable.fault = "x.jpg: gone";
  EXPECT_EQ(
      encode(FromTrainer{TaskDone{{7}, {1}, Scanned{{image, unreadable}, {0.5, 0, 0}}, 1.5, "then"}}),
      R"({"v":9,"type":"task-done","task":7,"attempt":1,"output":{"type":"scanned","images":[[9,4,2,1,2,3,4,5,6.5],)"
      R"("x.jpg: gone"],"spent":[0.5,0,0]},"wall_seconds":1.5,"started":"then"})");
}

TEST(Messages, HoldAScanOfAThousandImagesInHalfAMegabyte) {
  const double third = 1.0 / 3;
  const ScannedImage image{UINT32_MAX,           1280, 1024, {1e9, 1e9, 1e9}, {1e14, 1e14, 1e14}, {third, third, third},
                           {third, third, third}};
  const std::string text = encode(ToCoordinator{TaskDone{{1}, {1}, Scanned{{1024, image}}, 1, ""}});
  EXPECT_LT(text.size(), std::size_t{512} << 10);
}

TEST(Messages, RefuseToWriteAnImageWithHalfOfItsSums) {
  const ScannedImage image{9, 4, 2, {1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {}};
  EXPECT_THROW(encode(FromTrainer{TaskDone{{7}, {1}, Scanned{{image}}, 0, ""}}), std::logic_error);
}

// ---- nothing wrong is believed
// ----------------------------------------------------------------------------------------------

TEST(Messages, NameAMissingKey) {
  for (const Sample& sample : every_message()) {
    for_each_member(sample.message, [&sample](const Json::json_pointer& member) {
      const auto key = member.back();
      if (key == "rows_per_class" || key == "seconds_left" || key == "still") return;  // these may be absent
      Json broken = sample.message;
      broken.at(member.parent_pointer()).erase(member.back());
      expect_refused(sample, broken, "the key \"" + member.back() + "\" is missing");
    });
  }
}

TEST(Messages, NameAKeyOfTheWrongType) {
  for (const Sample& sample : every_message()) {
    for_each_member(sample.message, [&sample](const Json::json_pointer& member) {
      for (const Json& wrong : {Json(nullptr), Json(Json::array({Json::object()}))}) {
        Json broken = sample.message;
        broken[member] = wrong;
        expect_refused(sample, broken, member.back());
      }
    });
  }
}

TEST(Messages, NameAnUnknownKey) {
  for (const Sample& sample : every_message()) {
    Json broken = sample.message;
    broken["surplus"] = 1;
    expect_refused(sample, broken, "surplus: unknown key");
    for_each_member(sample.message, [&sample](const Json::json_pointer& member) {
      if (!sample.message.at(member).is_object()) return;
      Json deeper = sample.message;
      deeper[member]["surplus"] = 1;
      expect_refused(sample, deeper, "surplus: ");
    });
  }
}

struct OutOfRange {
  std::string pointer;
  Json value;
  std::string error;
};

void expect_out_of_range(const Sample& sample, const std::vector<OutOfRange>& cases) {
  for (const OutOfRange& one : cases) {
    Json broken = sample.message;
    broken[Json::json_pointer(one.pointer)] = one.value;
    expect_refused(sample, broken, one.error);
  }
}

Sample sample_of(const Task& task) {
  return {Json::parse(encode(ToWorker{Assign{{1}, {1}, task}})), decode_to_worker};
}
Sample sample_of(const ToCoordinator& message) {
  return {Json::parse(encode(message)), decode_to_coordinator};
}

TEST(Messages, CheckTheRangesOfATask) {
  const Sample extract = sample_of(ExtractTask{recipe(), 0, 0, 1, {9}, {7}});
  expect_out_of_range(extract,
                      {{"/task", -1, "task: expected"},
                       {"/task", 1.5, "task: expected"},
                       {"/attempt", 0, "attempt: expected"},
                       {"/attempt", 4294967297, "attempt: expected"},
                       {"/what/type", "delete", "what.type: expected"},
                       {"/what/part", -1, "what.part: expected"},
                       {"/what/first", -1, "what.first: expected"},
                       {"/what/first", INT64_MAX, "what.first: expected"},
                       {"/what/count", 0, "what.count: expected"},
                       {"/what/count", INT64_MAX, "what.count: expected at most 9007199254740993"},
                       {"/what/recipe/split", "validation", "what.recipe.split: expected"},
                       {"/what/recipe/rows_per_class", 0, "what.recipe.rows_per_class: expected"},
                       {"/what/recipe/row_count", -1, "what.recipe.row_count: expected"},
                       {"/what/recipe/row_length", 0, "what.recipe.row_length: expected"},
                       {"/what/rows", Json::array(), "what.rows: expected 1 row numbers"},
                       {"/what/rows", {9, 10}, "what.rows: expected 1 row numbers"},
                       {"/what/rows/0", -1, "what.rows[0]: expected"},
                       {"/what/checksums", "0000000", "what.checksums: expected 8 hexadecimal digits for each"},
                       {"/what/checksums", "0000000G", "what.checksums: expected 8 hexadecimal digits for each"},
                       {"/what/checksums", "", "what.checksums: expected 8 hexadecimal digits for each of 1"},
                       {"/what/recipe/id", "../../etc/passwd", "what.recipe.id: expected"},
                       {"/what/recipe/id", std::string(32, 'F'), "what.recipe.id: expected"},
                       {"/what/recipe/weights", "", "what.recipe.weights: expected a file"},
                       {"/what/recipe/mean", Json::array(), "what.recipe.mean: expected 3 numbers"},
                       {"/what/recipe/mean", {1, 2}, "what.recipe.mean: expected 3 numbers"},
                       {"/what/recipe/mean", {1, 2, 3, 4}, "what.recipe.mean: expected 3 numbers"},
                       {"/what/recipe/mean/1", "0.5", "what.recipe.mean[1]: expected"},
                       {"/what/recipe/std_dev/2", -0.5, "what.recipe.std_dev[2]: expected at least 0"}});
  const Sample two_rows = sample_of(ExtractTask{recipe(), 0, 0, 2, {9, 10}, {7, 8}});
  expect_out_of_range(two_rows, {{"/what/rows", {10, 9}, "what.rows[1]: expected"},
                                 {"/what/rows", {9, 9}, "what.rows[1]: expected"},
                                 {"/what/rows", {INT64_MAX, 9}, "what.rows[0]: expected"},
                                 {"/what/checksums", "00000000", "what.checksums: expected 8 hexadecimal digits for"}});
  const Sample scan = sample_of(ScanTask{synthetic(), datasets::Split::train, 1, 1, 224});
  expect_out_of_range(scan, {{"/what/square", 0, "what.square: expected"},
                             {"/what/square", 1 << 20, "what.square: expected"},
                             {"/what/count", INT64_MAX, "what.count: expected at most"},
                             {"/what/data/spec/kind", "imagenet", "what.data.spec.kind: "}});
  const Sample assemble = sample_of(AssembleTask{recipe(), {1, kBeyondDouble - 1}});
  expect_out_of_range(assemble, {{"/what/part_sizes/0", 0, "what.part_sizes[0]: expected"},
                                 {"/what/part_sizes/0", 2, "what.part_sizes[1]: expected"},
                                 {"/what/part_sizes", {1, 1}, "what.part_sizes: expected sizes that add up"}});
  expect_out_of_range(sample_of(training()), {{"/what/train_id", "", "what.train_id: expected"},
                                              {"/what/test_id", "f", "what.test_id: expected"},
                                              {"/what/job/seed", -1, "what.job.seed: "}});
}

TEST(Messages, RefuseWeightsAndStatisticsForImages) {
  expect_out_of_range(
      sample_of(ExtractTask{recipe_of_images(), 0, 0, 1, {9}, {7}}),
      {{"/what/recipe/weights", "x.pth", "what.recipe.weights: expected \"\", because raw32 has no weights"},
       {"/what/recipe/mean", {0, 0, 0}, "what.recipe.mean: expected [], because raw32 is not normalised"},
       {"/what/recipe/std_dev", {1, 1, 1}, "what.recipe.std_dev: expected [], because raw32 is not normalised"}});
}

TEST(Messages, CheckTheRangesOfAnOutput) {
  const Sample scan = sample_of(TaskDone{{1}, {1}, scanned(), 1, ""});
  expect_out_of_range(scan, {{"/output/type", "drawn", "output.type: expected"},
                             {"/output/images/0", {1, 2, 3, 4}, "output.images[0]: expected 3, 9 or 15 numbers"},
                             {"/output/images/0/0", 4294967296, "output.images[0][0]: expected"},
                             {"/output/images/0/1", 0, "output.images[0][1]: expected"},
                             {"/output/images/0/2", 1 << 21, "output.images[0][2]: expected"},
                             {"/output/images/1/14", nullptr, "output.images[1][14]: expected"},
                             {"/output/images/2", "", "output.images[2]: expected one line"},
                             {"/output/images/2", "two\nlines", "output.images[2]: expected one line"},
                             {"/output/images/2", std::string(601, 'x'), "output.images[2]: expected one line"},
                             {"/output/spent", {1, 2}, "output.spent: expected 3 numbers"},
                             {"/output/spent/1", -1, "output.spent[1]: expected at least 0"},
                             {"/wall_seconds", -1, "wall_seconds: expected at least 0"}});
  expect_out_of_range(sample_of(TaskDone{{1}, {1}, Extracted{1}, 1, ""}), {{"/output/rows", -1, "output.rows: "}});
  expect_out_of_range(sample_of(TaskDone{{1}, {1}, Trained{result()}, 1, ""}),
                      {{"/output/result/threads", -1, "output.result.threads: "}});
  expect_out_of_range(sample_of(EpochDone{{1}, {1}, epoch()}), {{"/epoch/auc", 1.5, "epoch.auc: "}});
}

TEST(Messages, CheckTheRangesOfABeat) {
  expect_out_of_range(sample_of(Heartbeat{Stillness{40, 60, true}}),
                      {{"/still/seconds", -1, "still.seconds: expected at least 0"},
                       {"/still/allowed", -1, "still.allowed: expected at least 0"}});
}

TEST(Messages, CheckTheRangesOfAGreeting) {
  expect_out_of_range(sample_of(Hello{}), {{"/protocol", 2, "protocol: expected protocol version 9"},
                                           {"/pid", -1, "pid: expected"},
                                           {"/threads", 0, "threads: expected"},
                                           {"/threads", 1 << 20, "threads: expected"}});
  Hello with_gpus;
  with_gpus.visible.gpus = {{"GPU-1", "NVIDIA H100", false, 1}};
  expect_out_of_range(
      sample_of(with_gpus),
      {{"/visible/gpus/0/uuid", "0", "visible.gpus[0].uuid: expected the UUID of a GPU such as \"GPU-8932f937-"},
       {"/visible/gpus/0/uuid", "GPU-1,GPU-2", "visible.gpus[0].uuid: expected the UUID of a GPU"},
       {"/visible/gpus/0/uuid", "GPU-" + std::string(93, 'a'), "visible.gpus[0].uuid: expected the UUID of a GPU"},
       {"/visible/gpus/0/memory_bytes", -1, "visible.gpus[0].memory_bytes: expected"},
       {"/visible/gpus/0/mig", 0, "visible.gpus[0].mig: expected true or false"},
       {"/visible/gpus", Json(std::vector<Json>(1025, 0)), "visible.gpus: "},
       {"/visible/notes/0", 1, "visible.notes"}});
  expect_out_of_range(
      {Json::parse(encode(ToWorker{UseGpu{"GPU-1"}})), decode_to_worker},
      {{"/gpu", "", "gpu: expected the UUID of a GPU"}, {"/gpu", "all", "gpu: expected the UUID of a GPU"}});
  expect_out_of_range({Json::parse(encode(FromTrainer{Ready{}})), decode_from_trainer},
                      {{"/gpu", "0", "gpu: expected the UUID of a GPU"},
                       {"/engine", sweeps::kEngineVersion - 1, "engine: expected engine "},
                       {"/engine", "6", "plume-compute and plume-bench must be of one build"}});
  expect_out_of_range(sample_of(TaskFailed{{1}, {1}, Cause::hung, "", false}),
                      {{"/cause", "bored", "cause: expected a cause such as \"exception\", found \"bored\""},
                       {"/reached_epoch", 1, "reached_epoch: expected true or false"}});
}

TEST(Messages, CheckTheRangesOfWhatIsSaidOfCheckpoints) {
  expect_out_of_range(sample_of(CheckpointWritten{{1}, {1}, 0, 0, 0, 0}), {{"/epoch", -1, "epoch: expected"},
                                                                           {"/batches", -1, "batches: expected"},
                                                                           {"/bytes", -1, "bytes: expected"},
                                                                           {"/seconds", -1, "seconds: expected"}});
  expect_out_of_range(sample_of(Resumed{{1}, {1}, 1, 0, 0, 0}), {{"/from", 0, "from: expected"}});
  expect_out_of_range({Json::parse(encode(ToWorker{Suspend{{1}, {1}, 5}})), decode_to_worker},
                      {{"/seconds_left", -1, "seconds_left: expected at least 0"}, {"/attempt", 0, "attempt: "}});
  expect_out_of_range({Json::parse(encode(ToWorker{Assign{{1}, {1}, training()}})), decode_to_worker},
                      {{"/anew_through", -1, "anew_through: expected"}});
}

TEST(Messages, TellWhichCausesAreOfTheTraining) {
  for (const Cause cause : {Cause::bad_input, Cause::search_failed, Cause::exception, Cause::exited}) {
    EXPECT_TRUE(is_of_the_training(cause)) << name_of(cause);
  }
  for (const Cause cause : {Cause::disk_full, Cause::out_of_memory, Cause::device_out_of_memory, Cause::signal,
                            Cause::hung, Cause::start_failed, Cause::worker_lost, Cause::drained}) {
    EXPECT_FALSE(is_of_the_training(cause)) << name_of(cause);
  }
  EXPECT_EQ(cause_called("redo"), std::nullopt);
}

TEST(Messages, RefuseAnotherVersionBeforeLookingFurther) {
  for (const Json& version : {Json(8), Json(10), Json("9"), Json(1.5), Json(18446744073709551615u)}) {
    const Json message{{"v", version}, {"type", "of the future"}};
    for (const Decode& decode :
         {Decode(decode_to_worker), Decode(decode_to_coordinator), Decode(decode_from_trainer)}) {
      EXPECT_THAT(error_of(decode, message.dump()), HasSubstr("message: v: expected protocol version 9"));
      EXPECT_THAT(error_of(decode, message.dump()),
                  HasSubstr("must be the same plume-bench), found " + version.dump()));
    }
  }
}

TEST(Messages, RefuseATypeThatIsNotForTheReader) {
  EXPECT_THAT(
      error_of(decode_to_worker, encode(ToCoordinator{Heartbeat{}})),
      HasSubstr("type: expected assign, suspend, prepare, shutdown, start-anew or use-gpu, found \"heartbeat\""));
  EXPECT_THAT(error_of(decode_to_coordinator, encode(ToWorker{Shutdown{}})), HasSubstr("found \"shutdown\""));
  EXPECT_THAT(error_of(decode_from_trainer, encode(ToCoordinator{Hello{}})), HasSubstr("found \"hello\""));
}

TEST(Messages, TellOfNothingButATrainingAsNext) {
  Json message = Json::parse(encode(ToWorker{Prepare{training()}}));
  message["next"] = Json::parse(encode(ToWorker{Assign{{1}, {1}, AssembleTask{recipe(), {kBeyondDouble}}}}))["what"];
  EXPECT_THAT(error_of(decode_to_worker, message.dump()),
              HasSubstr("next.type: expected \"train\", found \"assemble\""));
}

TEST(Messages, RefuseWhatIsNoMessage) {
  for (const std::string text : {"", "{", "[]", "null", "\xff\xfe",
                                 R"({"v":9,"type":"heartbeat"} )"
                                 "x"}) {
    for (const Decode& decode :
         {Decode(decode_to_worker), Decode(decode_to_coordinator), Decode(decode_from_trainer)}) {
      EXPECT_THAT(error_of(decode, text), testing::StartsWith("message: ")) << text;
    }
  }
}

TEST(Messages, RefuseATextThatIsTooLongBeforeReadingIt) {
  const std::string text(kMaxMessageBytes + 1, ' ');
  EXPECT_THAT(error_of(decode_to_worker, text), HasSubstr("expected at most 67108864 bytes, found 67108865"));
}

TEST(Messages, QuoteALongValueInShort) {
  Json message = Json::parse(encode(ToWorker{Assign{{1}, {1}, training()}}));
  message["what"]["train_id"] = std::string(100'000, 'x') + "\n";
  const std::string error = error_of(decode_to_worker, message.dump());
  EXPECT_LT(error.size(), 200u);
  EXPECT_THAT(error, HasSubstr("what.train_id: expected 32 hexadecimal digits, found \"xxx"));
}

}  // namespace
}  // namespace workers
