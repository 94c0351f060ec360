// One block of a sweep: axes in, every combination of them out. Values are checked by the axes themselves (axis.cpp);
// here are the rules between them.
#include <algorithm>
#include <map>
#include <set>

#include "storage/nearest.hpp"
#include "sweeps/backbones.hpp"
#include "sweeps/names.hpp"
#include "sweeps/parser.hpp"

namespace sweeps {
namespace {

using storage::in_quotes;
using storage::JsonValue;

constexpr std::size_t kMostJobs = 100'000;  // of one block and class: more is a mistake
constexpr std::int64_t kMostSeeds = 10'000;

/// A block spells the job's `seed` and `class` in the plural.
std::string key_in_block(const Axis& axis) {
  return axis.name == "seed" ? "seeds" : axis.name;
}

std::vector<std::string> known_keys() {
  std::vector<std::string> keys = {"dataset", "classes"};
  for (const Axis& axis : axes()) {
    if (axis.name != "dataset") keys.push_back(key_in_block(axis));
  }
  keys.insert(keys.end(), {"save", "dump", "exclude", "include"});
  return keys;
}

std::vector<Method> read_methods(const JsonValue& block) {
  std::vector<Method> methods;
  const auto member = block.find("method");
  if (!member) return {Method::plume};
  for (const JsonValue& value : one_or_more(*member)) {
    methods.push_back(read_name<Method>(value));
    if (std::count(methods.begin(), methods.end(), methods.back()) > 1) value.fail(value.text() + " is there twice");
  }
  return methods;
}

/// `"plume", "plad" or "k-means"`.
std::string quoted_names(const std::vector<Method>& methods) {
  std::vector<std::string> names;
  for (const Method method : methods) names.push_back(in_quotes(name_of(method)));
  return storage::listed(names);
}

/// Unknown keys, and keys that mean nothing for any of the methods.
void check_keys(const JsonValue& block, const std::vector<Method>& methods) {
  const std::vector<std::string> known = known_keys();
  for (const auto& [key, value] : block.members()) {
    if (std::find(known.begin(), known.end(), key) == known.end()) refuse_key(key, value, known);
  }
  for (const Axis& axis : axes()) {
    const auto member = block.find(key_in_block(axis));
    const auto has_it = [&axis](Method method) { return belongs_to(axis, method); };
    if (!member || std::any_of(methods.begin(), methods.end(), has_it)) continue;
    member->fail("has no meaning for method " + quoted_names(methods) + "; remove it, or give it a block of method " +
                 quoted_names(methods_of(axis)));
  }
  for (const auto& [key, value] : block.members()) {
    if (!is_keep_key(key) || std::any_of(methods.begin(), methods.end(), is_trained)) continue;
    value.fail("has no meaning for method " + quoted_names(methods) + ", which is not trained; remove it");
  }
}

/// Refuses an unknown data set.
std::map<std::string, DatasetSpec> read_datasets(const JsonValue& block, const std::vector<DatasetSpec>& known) {
  std::vector<std::string> ids;
  for (const DatasetSpec& spec : known) ids.push_back(spec.id);
  std::map<std::string, DatasetSpec> named;
  for (const JsonValue& id : one_or_more(block.at("dataset"))) {
    const auto found = std::find(ids.begin(), ids.end(), id.string());
    if (found == ids.end()) {
      id.fail("unknown data set " + in_quotes(id.string()) + storage::suggestion(id.string(), ids) +
              "; others get an entry in \"datasets\"");
    }
    named.emplace(id.string(), known[static_cast<std::size_t>(found - ids.begin())]);
  }
  return named;
}

bool holds_features(const DatasetSpec& spec) {
  return spec.kind == kOwnFeatures;
}

/// Images need a backbone, unless plad or rotation reads them as they are; a data set of features has none.
void check_backbone(const JsonValue& block, const std::vector<Method>& methods,
                    const std::map<std::string, DatasetSpec>& datasets) {
  const auto backbone = block.find("backbone");
  for (const auto& [id, spec] : datasets) {
    if (!holds_features(spec)) continue;
    const auto on_images = std::find_if(methods.begin(), methods.end(), reads_images);
    if (on_images != methods.end()) {
      block.fail("method " + in_quotes(name_of(*on_images)) + " reads images, but data set " + in_quotes(id) +
                 " is of kind \"features\"; give the method a block of its own with another data set");
    }
  }
  const auto is_of_features = [](const auto& named) { return holds_features(named.second); };
  const bool all = std::all_of(datasets.begin(), datasets.end(), is_of_features);
  if (const auto normalisation = block.find("normalisation"); all && normalisation) {
    normalisation->fail("has no meaning for data sets of kind \"features\", which are taken as they are; remove it");
  }
  if (backbone) {
    for (const JsonValue& value : one_or_more(*backbone)) {
      if (!value.is_string() || all == (value.string() == kOwnFeatures)) continue;
      if (all) {
        value.fail("data set " + in_quotes(datasets.begin()->first) +
                   " is of kind \"features\", which have been through a backbone; remove the key");
      }
      value.fail("\"features\" is for data sets of kind \"features\"" +
                 storage::suggestion(value.string(), backbone_names()));
    }
    return;
  }
  const auto reads_backbone = [](Method method) { return belongs_to(*find_axis("backbone"), method); };
  const auto method = std::find_if(methods.begin(), methods.end(), reads_backbone);
  if (all || method == methods.end()) return;
  block.fail("the key \"backbone\" is missing: method " + in_quotes(name_of(*method)) +
             " needs features; write \"backbone\": " + in_quotes(backbone_names().front()));
}

std::vector<std::uint64_t> read_seeds(const JsonValue& value) {
  std::vector<std::uint64_t> seeds;
  if (!value.is_array()) {
    const auto count = static_cast<std::uint64_t>(value.integer(1, kMostSeeds));
    for (std::uint64_t seed = 0; seed < count; ++seed) seeds.push_back(seed);
    return seeds;
  }
  Job scratch;
  for (const JsonValue& item : one_or_more(value)) {
    find_axis("seed")->read(scratch, item);
    if (std::count(seeds.begin(), seeds.end(), scratch.seed) > 0) item.fail(item.text() + " is there twice");
    seeds.push_back(scratch.seed);
  }
  return seeds;
}

/// The values of each axis that the block names, but the seeds; no value twice.
std::map<std::string, std::vector<JsonValue>> read_axes(const JsonValue& block) {
  std::map<std::string, std::vector<JsonValue>> values;
  for (const Axis& axis : axes()) {
    const auto member = block.find(axis.name);
    if (!member || axis.name == "method") continue;
    std::set<std::string> seen;
    values[axis.name] = one_or_more(*member);
    for (const JsonValue& value : values[axis.name]) {
      if (!seen.insert(text_of(axis, value)).second) value.fail(value.text() + " is there twice");
    }
  }
  return values;
}

/// Every combination of the axes that belong to `method`.
std::vector<Job> combinations(Method method, const std::map<std::string, std::vector<JsonValue>>& values,
                              const std::vector<std::uint64_t>& seeds, const JsonValue& block) {
  Job first;
  first.method = method;
  std::vector<Job> jobs = {first};
  for (const Axis& axis : axes()) {
    const auto it = values.find(axis.name);
    if (it == values.end() || !belongs_to(axis, method)) continue;
    if (jobs.size() * it->second.size() > kMostJobs)
      block.fail("more than " + std::to_string(kMostJobs) + " combinations");
    std::vector<Job> next;
    for (const Job& job : jobs) {
      for (const JsonValue& value : it->second) {
        next.push_back(job);
        axis.read(next.back(), value);
      }
    }
    jobs = std::move(next);
  }
  if (!belongs_to(*find_axis("seed"), method)) return jobs;
  if (jobs.size() * seeds.size() > kMostJobs) block.fail("more than " + std::to_string(kMostJobs) + " combinations");
  std::vector<Job> seeded;
  for (const Job& job : jobs) {
    for (const std::uint64_t seed : seeds) {
      seeded.push_back(job);
      seeded.back().seed = seed;
    }
  }
  return seeded;
}

/// knn and k-means pick distinct training rows.
void check_rows(const JsonValue& block, const Job& job, const std::string& key, int picked) {
  if (!job.train_rows || picked <= *job.train_rows) return;
  block.fail(key + " " + std::to_string(picked) + " is more than train_rows " + std::to_string(*job.train_rows) +
             "; write \"" + key + "\": " + std::to_string(*job.train_rows) + " or less, or more train_rows");
}

std::vector<std::string> read_classes(const JsonValue& block) {
  const auto value = block.find("classes");
  if (!value || (value->is_string() && value->string() == "all")) return {};
  if (!value->is_array()) value->fail("expected \"all\" or a list of class names, found " + value->text());
  std::vector<std::string> classes;
  for (const JsonValue& item : one_or_more(*value)) {
    const std::string name = item.string();
    if (std::find(classes.begin(), classes.end(), name) != classes.end())
      item.fail(in_quotes(name) + " is there twice");
    classes.push_back(name);
  }
  return classes;
}

}  // namespace

Block parse_block(const JsonValue& value, const std::vector<DatasetSpec>& datasets) {
  const std::vector<Method> methods = read_methods(value);
  check_keys(value, methods);
  const auto named = read_datasets(value, datasets);
  check_backbone(value, methods, named);
  const auto seeds_value = value.find("seeds");
  const std::vector<std::uint64_t> seeds = seeds_value ? read_seeds(*seeds_value) : std::vector<std::uint64_t>{0};
  const auto values = read_axes(value);
  Block block;
  block.where = value.path();
  block.classes = read_classes(value);
  block.keep = read_keep(value);
  for (const Method method : methods) {
    std::vector<Job> jobs = combinations(method, values, seeds, value);
    for (Job& job : jobs) {
      if (holds_features(named.at(job.dataset))) job.backbone = kOwnFeatures;
    }
    block.jobs_without_class.insert(block.jobs_without_class.end(), jobs.begin(), jobs.end());
  }
  return block;
}

void check_together(const JsonValue& block, const std::vector<Job>& jobs) {
  for (const Job& job : jobs) {
    const bool one_pass = job.method == Method::plume && job.training.classifier_passes == ClassifierPasses::one;
    if (one_pass && !shows(*find_axis("classifier_passes"), job)) {
      block.at("classifier_passes")
          .fail("\"one\" exists only for perturbation \"add-mult\" with guidance \"none\"; give it a block of its own");
    }
    if (job.method == Method::knn) check_rows(block, job, "k", job.baseline.k);
    if (job.method == Method::k_means) check_rows(block, job, "clusters", job.baseline.clusters);
    if (job.method == Method::mahalanobis && job.train_rows && *job.train_rows < 3) {
      block.at("train_rows").fail("method \"mahalanobis\" needs at least 3: two rows have no invertible covariance");
    }
  }
}

bool means_something(const std::string& key, const JsonValue& block) {
  const std::vector<Method> methods = read_methods(block);
  if (is_keep_key(key)) return std::any_of(methods.begin(), methods.end(), is_trained);
  const auto axis = std::find_if(axes().begin(), axes().end(), [&](const Axis& a) { return key_in_block(a) == key; });
  return axis == axes().end() ||
         std::any_of(methods.begin(), methods.end(), [&](Method method) { return belongs_to(*axis, method); });
}

std::vector<JsonValue> one_or_more(const JsonValue& value) {
  if (!value.is_array()) return {value};
  std::vector<JsonValue> items = value.items();
  if (items.empty()) value.fail("expected at least one value, found an empty list");
  return items;
}

std::string text_of(const Axis& axis, const JsonValue& value) {
  Job scratch;
  axis.read(scratch, value);
  return axis.text(scratch);
}

void refuse_key(const std::string& key, const JsonValue& value, const std::vector<std::string>& known) {
  static const std::map<std::string, std::string> other_words = {{"learning_rate", "lr"},     {"max_lr", "lr"},
                                                                 {"normal_class", "classes"}, {"batch", "batch_size"},
                                                                 {"neighbours", "k"},         {"seed", "seeds"}};
  const auto it = other_words.find(key);
  const bool is_known = it != other_words.end() && std::find(known.begin(), known.end(), it->second) != known.end();
  value.fail("unknown key" + (is_known ? "; write " + in_quotes(it->second) : storage::suggestion(key, known)));
}

}  // namespace sweeps
