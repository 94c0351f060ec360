// The scales and what they lower. A scale changes jobs (their keys too), never which rows, classes and tables there
// are.
#include "sweeps/scale.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "storage/nearest.hpp"
#include "sweeps/axis.hpp"

namespace sweeps {
namespace {

using storage::in_quotes;
using storage::JsonValue;

/// The most that jobs have at a scale.
struct Scale {
  std::string name;
  std::int64_t train_rows;  ///< of each class
  std::int64_t test_rows;
  int dimension;
  int epochs;
  std::size_t seeds;
  /// Of PLAD in place of a range test: its 100 full-size steps take half a minute, at a size that no scale can lower.
  double plad_learning_rate;
};

const std::vector<Scale>& scales() {
  static const std::vector<Scale> list = {{"quick", 20, 10, 384, 2, 2, 1e-4}};
  return list;
}

const Scale& scale_of(const std::string& name) {
  return *std::find_if(scales().begin(), scales().end(), [&](const Scale& scale) { return scale.name == name; });
}

/// knn and k-means pick distinct rows.
std::int64_t picked_rows(const Job& job) {
  if (job.method == Method::knn) return job.baseline.k;
  return job.method == Method::k_means ? job.baseline.clusters : 0;
}

Job lowered(Job job, const Scale& scale) {
  const std::int64_t train_rows = std::max(scale.train_rows, picked_rows(job));
  job.train_rows = std::min(job.train_rows.value_or(train_rows), train_rows);
  job.test_rows = std::min(job.test_rows.value_or(scale.test_rows), scale.test_rows);
  if (is_trained(job.method)) job.training.epochs = std::min(job.training.epochs, scale.epochs);
  if (job.method == Method::plume) job.training.dimension = std::min(job.training.dimension, scale.dimension);
  if (job.method == Method::plad && !job.training.learning_rate) job.training.learning_rate = scale.plad_learning_rate;
  return job;
}

}  // namespace

JsonValue with_scale(const JsonValue& sweep, const std::string& scale, const std::string& origin) {
  if (scale.empty()) return sweep;
  storage::JsonWriter json;
  json.begin_object();
  for (const auto& [key, member] : sweep.members()) {
    if (key != "scale") json.key(key).raw(member.text());
  }
  json.member("scale", scale).end_object();
  return storage::parse_json(json.text(), origin, storage::Blame::user);
}

std::string read_scale(const JsonValue& sweep) {
  const auto value = sweep.find("scale");
  if (!value) return "";
  std::vector<std::string> names;
  for (const Scale& scale : scales()) names.push_back(scale.name);
  const std::string name = value->string();
  if (std::count(names.begin(), names.end(), name) == 0) {
    value->fail("unknown scale " + in_quotes(name) + storage::suggestion(name, names));
  }
  return name;
}

void lower(Block& block, const std::string& name) {
  if (name.empty()) return;
  const Scale& scale = scale_of(name);
  std::vector<std::uint64_t> seeds;  // the first that the block names
  std::map<Job, std::size_t> known;
  std::vector<Job> jobs;
  std::vector<std::vector<Job>> stands_for;
  for (std::size_t i = 0; i < block.jobs_without_class.size(); ++i) {
    const Job& written = block.jobs_without_class[i];
    const bool is_known = std::find(seeds.begin(), seeds.end(), written.seed) != seeds.end();
    if (is_seeded(written.method) && !is_known) {
      if (seeds.size() == scale.seeds) continue;
      seeds.push_back(written.seed);
    }
    const auto [at, is_new] = known.emplace(lowered(written, scale), jobs.size());
    if (is_new) jobs.push_back(at->first);
    if (block.stands_for.empty()) continue;
    if (is_new) stands_for.emplace_back();
    auto& all = stands_for[at->second];
    all.insert(all.end(), block.stands_for[i].begin(), block.stands_for[i].end());
  }
  block.jobs_without_class = std::move(jobs);
  block.stands_for = std::move(stands_for);
}

void lower(Selection& where, const std::string& name) {
  if (name.empty()) return;
  for (auto& [axis_name, texts] : where.axes) {
    static const std::set<std::string> lowered_axes = {"train_rows", "test_rows", "dimension", "epochs", "lr"};
    if (lowered_axes.count(axis_name) == 0) continue;
    const Axis& axis = *find_axis(axis_name);
    std::set<std::string> values(texts.begin(), texts.end());  // a baseline may keep more rows than the scale's
    for (const std::string& text : texts) {
      for (const Method method : {Method::plume, Method::plad}) {
        Job job;
        job.method = method;
        axis.read(job, storage::parse_json(text, axis_name, storage::Blame::run));
        values.insert(axis.text(lowered(job, scale_of(name))));
      }
    }
    texts.assign(values.begin(), values.end());
  }
}

}  // namespace sweeps
