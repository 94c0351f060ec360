// GPUs as JSON: {"gpus":[{"uuid":...,"name":...,"mig":...,"memory_bytes":...}],"notes":[...],"refusal":"..."}.
#include "workers/messages_gpus.hpp"

#include "workers/messages_tasks.hpp"

namespace workers {
namespace {

constexpr std::size_t kMostNotes = 2 * kMostGpus;

Gpu read_gpu(const storage::JsonValue& value) {
  value.allow_only({"uuid", "name", "mig", "memory_bytes"});
  return {read_gpu_uuid(value.at("uuid")), value.at("name").string(), value.at("mig").boolean(),
          value.at("memory_bytes").integer(0)};
}

}  // namespace

void write(storage::JsonWriter& writer, const VisibleGpus& visible) {
  writer.begin_object().key("gpus").begin_array();
  for (const Gpu& gpu : visible.gpus) {
    writer.begin_object().member("uuid", gpu.uuid).member("name", gpu.name).member("mig", gpu.is_mig);
    writer.member("memory_bytes", gpu.memory_bytes).end_object();
  }
  writer.end_array().key("notes").begin_array();
  for (const std::string& note : visible.notes) writer.value(note);
  writer.end_array().member("refusal", visible.refusal).end_object();
}

VisibleGpus read_visible_gpus(const storage::JsonValue& value) {
  value.allow_only({"gpus", "notes", "refusal"});
  VisibleGpus visible;
  for (const auto& gpu : value.at("gpus").items(kMostGpus)) visible.gpus.push_back(read_gpu(gpu));
  for (const auto& note : value.at("notes").items(kMostNotes)) visible.notes.push_back(note.string());
  visible.refusal = value.at("refusal").string();
  return visible;
}

std::string read_gpu_uuid(const storage::JsonValue& value) {
  const std::string uuid = value.string();
  if (!is_gpu_uuid(uuid)) refuse(value, "the UUID of a GPU such as \"GPU-8932f937-d72c-4106-c12f-20bd9faed9f6\"");
  return uuid;
}

}  // namespace workers
