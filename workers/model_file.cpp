// Facts as texts and back. A text that differs from what would be written of what was read is not believed either.
#include "workers/model_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "storage/error.hpp"
#include "storage/json.hpp"
#include "storage/printable.hpp"
#include "storage/program_version.hpp"
#include "sweeps/backbones.hpp"
#include "workers/feature_set.hpp"

namespace workers {
namespace {

constexpr const char* kFormat = "plume-bench model";

std::string list_of(const std::vector<std::string>& texts) {
  storage::JsonWriter json;
  json.begin_array();
  for (const auto& text : texts) json.value(text);
  return json.end_array().text();
}

std::string list_of(const std::vector<double>& numbers) {
  storage::JsonWriter json;
  json.begin_array();
  for (const double number : numbers) json.value(number);
  return json.end_array().text();
}

class Reader {
 public:
  Reader(const Metadata& metadata, const std::string& origin) : metadata_(metadata), origin_(origin) {}

  [[noreturn]] void refuse(const std::string& what) const {
    throw storage::Error(fmt::format("{}: {}", origin_, what));
  }
  const std::string* find(std::string_view name) const {
    const auto found = std::find_if(metadata_.begin(), metadata_.end(), [&](const auto& m) { return m.first == name; });
    return found == metadata_.end() ? nullptr : &found->second;
  }
  const std::string& text(const char* name) const {
    if (const auto* found = find(name)) return *found;
    refuse(fmt::format("its metadata lack {}; write the model again", name));
  }
  storage::JsonValue json(const char* name) const {
    return storage::parse_json(text(name), where(name), storage::Blame::run);
  }
  std::string where(const char* name) const { return fmt::format("{}: {} of its metadata", origin_, name); }
  std::optional<double> share(const char* name) const {
    if (find(name) == nullptr) return std::nullopt;
    const auto value = json(name);
    if (value.number() < 0 || value.number() > 1) value.fail("expected a number in [0, 1], found " + value.text());
    return value.number();
  }
  std::vector<std::string> texts(const char* name) const {
    std::vector<std::string> texts;
    for (const auto& item : json(name).items()) texts.push_back(item.string());
    return texts;
  }
  std::vector<double> numbers(const char* name) const {
    std::vector<double> numbers;
    for (const auto& item : json(name).items(3)) numbers.push_back(item.number());
    return numbers;
  }
  const std::string& one_of(const char* name, const char* one, const char* other) const {
    const std::string& found = text(name);
    if (found == one || found == other) return found;
    refuse(fmt::format("{} of its metadata is {}, expected {} or {}; write the model again", name,
                       storage::in_quotes(storage::printable_line(found, 80)), one, other));
  }

 private:
  const Metadata& metadata_;
  const std::string& origin_;
};

int engine_version_of(const Reader& reader) {
  const auto version = reader.json("job").at("engine_version").integer(0, INT32_MAX);
  if (version > sweeps::kEngineVersion) {
    reader.refuse(fmt::format(
        "was saved by engine version {}, this plume-bench has {}; score with the newer plume-bench that saved it",
        version, sweeps::kEngineVersion));
  }
  if (version < kOldestScoringEngine) {
    reader.refuse(fmt::format(
        "was saved by engine version {}, whose scores this plume-bench (engine version {}) does not compute; score "
        "with the plume-bench that saved it, or train again",
        version, sweeps::kEngineVersion));
  }
  return static_cast<int>(version);
}

sweeps::Job read_trained_job(const Reader& reader, int engine_version) {
  const auto value = reader.json("job");
  sweeps::Job job = sweeps::read_job(value, engine_version);
  if (job.method != sweeps::Method::plume && job.method != sweeps::Method::plad) {
    value.at("method").fail("has no detector to save, only plume and plad have");
  }
  if (sweeps::canonical_text(job, engine_version) != reader.text("job")) value.fail("is not in its canonical form");
  if (sweeps::key_of(job, engine_version).hex != reader.text("key")) value.fail("is not the job of its key");
  return job;
}

/// L as the rows of that identity have it.
std::int64_t length_of(const RowSource& source) {
  return source.backbone == sweeps::kOwnFeatures ? source.length : sweeps::backbone_facts(source.backbone).row_length;
}

void check_rows(const ModelFacts& facts, const Reader& reader) {
  const auto source = row_source_of(facts.features_identity, reader.where("features"));
  if (source.backbone != sweeps::backbone_of(facts.job)) {
    reader.refuse(fmt::format("its features are of {}, its job is of {}; write the model again", source.backbone,
                              sweeps::backbone_of(facts.job)));
  }
  if (facts.row_length != length_of(source)) {
    reader.refuse(fmt::format("its rows have {} numbers, those of its features {}; write the model again",
                              facts.row_length, length_of(source)));
  }
  const std::size_t statistics = facts.job.method == sweeps::Method::plad ? 3 : 0;
  const bool negative = std::any_of(facts.std_dev.begin(), facts.std_dev.end(), [](double s) { return s < 0; });
  if (facts.mean.size() != statistics || facts.std_dev.size() != statistics || negative) {
    reader.refuse(fmt::format("mean and std of its metadata are not {}; write the model again",
                              statistics == 3 ? "three numbers each, std not negative" : "empty: its job is no plad"));
  }
}

void check_classes(const ModelFacts& facts, const Reader& reader) {
  std::vector<std::string> normal;
  for (const int index : sweeps::normal_classes_of(facts.job, facts.classes)) {
    normal.push_back(facts.classes.at(static_cast<std::size_t>(index)));
  }
  if (normal != facts.normal_classes) {
    reader.refuse("normal_classes of its metadata are not those of its job; write the model again");
  }
}

std::string shown_version(const std::string& text) {
  return storage::printable_line(text, 20);
}

}  // namespace

void expect_our_format(const Metadata& metadata, const std::string& origin) {
  const Reader reader(metadata, origin);
  const auto* format = reader.find("format");
  if (format == nullptr || *format != kFormat) {
    reader.refuse(fmt::format(
        "is a safetensors file, but no detector of plume-bench: its metadata have no \"format\": \"{}\", and say "
        "nothing of a job, its features and a threshold; give a file that a training with \"save\" has written",
        kFormat));
  }
  if (reader.text("version") != fmt::format("{}", kModelFormatVersion)) {
    reader.refuse(
        fmt::format("is a model file of version {}, this plume-bench reads version {}; score with the "
                    "plume-bench that saved it ({})",
                    shown_version(reader.text("version")), kModelFormatVersion,
                    reader.find("program") ? shown_version(reader.text("program")) : "unknown"));
  }
}

Metadata encode_facts(const ModelFacts& facts) {
  Metadata metadata = {{"format", kFormat},
                       {"version", fmt::format("{}", kModelFormatVersion)},
                       {"program", storage::kProgramVersion},
                       {"key", sweeps::key_of(facts.job, facts.engine_version).hex},
                       {"job", sweeps::canonical_text(facts.job, facts.engine_version)},
                       {"which", facts.which},
                       {"epoch", fmt::format("{}", facts.epoch)},
                       {"features", facts.features_identity},
                       {"row_length", fmt::format("{}", facts.row_length)},
                       {"classes", list_of(facts.classes)},
                       {"normal_classes", list_of(facts.normal_classes)},
                       {"mean", list_of(facts.mean)},
                       {"std", list_of(facts.std_dev)},
                       {"contents", facts.contents}};
  if (facts.auroc) metadata.emplace_back("auroc", storage::shortest(*facts.auroc));
  if (facts.threshold) metadata.emplace_back("threshold", storage::shortest(*facts.threshold));
  std::sort(metadata.begin(), metadata.end());
  try {
    if (decode_facts(metadata, "a model") == facts) return metadata;
  } catch (const storage::Error& error) {
    throw std::logic_error(error.what());
  }
  throw std::logic_error("a model: its facts do not come back as they were");
}

ModelFacts decode_facts(const Metadata& metadata, const std::string& origin) {
  expect_our_format(metadata, origin);
  const Reader reader(metadata, origin);
  ModelFacts facts;
  facts.engine_version = engine_version_of(reader);
  facts.job = read_trained_job(reader, facts.engine_version);
  facts.which = reader.one_of("which", "best", "last");
  facts.epoch = static_cast<int>(reader.json("epoch").integer(0, facts.job.training.epochs - 1));
  facts.auroc = reader.share("auroc");
  facts.threshold = reader.share("threshold");
  facts.features_identity = reader.text("features");
  facts.row_length = reader.json("row_length").integer(1);
  facts.classes = reader.texts("classes");
  facts.normal_classes = reader.texts("normal_classes");
  facts.mean = reader.numbers("mean");
  facts.std_dev = reader.numbers("std");
  facts.contents = reader.one_of("contents", "classifier", "all");
  check_classes(facts, reader);
  check_rows(facts, reader);
  return facts;
}

}  // namespace workers
