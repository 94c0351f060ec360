// What a block leaves out (exclude) and what it adds (include). A rule speaks of what the file names: with a
// substitute, a job goes only where everything that it stands for is excluded.
#include <algorithm>
#include <map>

#include "storage/json.hpp"
#include "sweeps/backbones.hpp"
#include "sweeps/parser.hpp"
#include "sweeps/selection.hpp"

namespace sweeps {
namespace {

using storage::JsonValue;
using storage::JsonWriter;

struct Rule {
  JsonValue value;
  Selection where;
  bool names_class() const { return where.axes.count(class_axis().name) > 0; }
};

std::vector<Rule> read_rules(const JsonValue& block) {
  std::vector<Rule> rules;
  const auto list = block.find("exclude");
  if (!list) return rules;
  for (const JsonValue& item : list->items()) {
    rules.push_back({item, read_selection(item, true)});
    if (rules.back().where.axes.empty()) item.fail("expected an axis and its values, e.g. {\"lambda\": 5}; found {}");
  }
  if (rules.empty()) list->fail("expected at least one rule; leave \"exclude\" out");
  return rules;
}

/// What `job`, as the file names it, is with substitutes.
Job substituted(Job job, const Substitutes& substitutes, const std::vector<DatasetSpec>& datasets) {
  const auto replace = [&](std::string& name) {
    if (const auto found = substitutes.find(name); found != substitutes.end()) name = found->second;
  };
  replace(job.dataset);
  replace(job.backbone);
  const auto is_its = [&](const DatasetSpec& spec) { return spec.id == job.dataset && spec.kind == kOwnFeatures; };
  if (std::any_of(datasets.begin(), datasets.end(), is_its)) job.backbone = kOwnFeatures;
  return job;
}

/// A rule that matches nothing is a mistake. One that names a class is held against the data, in `expand`.
void check_rules(const std::vector<Rule>& rules, const std::vector<Job>& jobs) {
  for (const Rule& rule : rules) {
    Selection where = rule.where;
    where.axes.erase(class_axis().name);
    if (std::any_of(jobs.begin(), jobs.end(), [&](const Job& job) { return matches(where, job); })) continue;
    std::vector<const Job*> all;
    for (const Job& job : jobs) all.push_back(&job);
    rule.value.fail(why_no_match(where, all, "block's jobs"));
  }
}

bool any_matches(const std::vector<Rule>& rules, const Job& job) {
  return std::any_of(rules.begin(), rules.end(),
                     [&](const Rule& rule) { return !rule.names_class() && matches(rule.where, job); });
}

/// Drops what is excluded whatever the class, and notes the rules that name classes.
void exclude(Block& block, const std::vector<Job>& as_named, const std::vector<Rule>& rules,
             const Substitutes& substitutes, const std::vector<DatasetSpec>& datasets) {
  std::map<Job, std::vector<Job>> kept;
  for (const Job& job : as_named) {
    if (!any_matches(rules, job)) kept[substituted(job, substitutes, datasets)].push_back(job);
  }
  std::erase_if(block.jobs_without_class, [&](const Job& job) { return kept.count(job) == 0; });
  for (const Rule& rule : rules) {
    if (rule.names_class()) block.exclude.push_back({rule.where, rule.value.path()});
  }
  if (block.exclude.empty()) return;
  for (const Job& job : block.jobs_without_class) block.stands_for.push_back(kept.at(job));
}

/// The block with `more` in place of its own keys, but for those that mean nothing for the methods of `more`; at the
/// path of `more`, so that messages lead there.
JsonValue with_keys_of(const JsonValue& block, const JsonValue& more, std::size_t block_index, std::size_t index,
                       const std::string& origin) {
  JsonWriter json;
  const auto nulls = [&json](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) json.null();
  };
  json.begin_object().key("blocks").begin_array();
  nulls(block_index);
  json.begin_object().key("include").begin_array();
  nulls(index);
  json.begin_object();
  for (const auto& [key, member] : more.members()) json.key(key).raw(member.text());
  for (const auto& [key, member] : block.members()) {
    const bool is_rule = key == "include" || key == "exclude";
    if (!is_rule && !more.find(key) && (!more.find("method") || means_something(key, more))) {
      json.key(key).raw(member.text());
    }
  }
  json.end_object().end_array().end_object().end_array().end_object();
  const JsonValue root = storage::parse_json(json.text(), origin, storage::Blame::user);
  return root.at("blocks").items().back().at("include").items().back();
}

void add_included(const JsonValue& value, std::size_t block_index, const std::vector<DatasetSpec>& datasets,
                  const std::string& origin, std::vector<Block>& blocks) {
  const auto list = value.find("include");
  if (!list) return;
  const std::vector<JsonValue> items = list->items();
  if (items.empty()) list->fail("expected at least one object of block keys; leave \"include\" out");
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].members().empty()) items[i].fail("expected keys of a block, e.g. {\"lambda\": 40}; found {}");
    for (const char* key : {"include", "exclude"}) {
      if (const auto member = items[i].find(key)) member->fail("has no meaning in \"include\"; remove it");
    }
    const JsonValue merged = with_keys_of(value, items[i], block_index, i, origin);
    Block block = parse_block(merged, datasets);
    check_together(merged, block.jobs_without_class);
    blocks.push_back(std::move(block));
  }
}

}  // namespace

std::vector<Block> parse_blocks(const JsonValue& as_named, const JsonValue& blocks, const Substitutes& substitutes,
                                const std::vector<DatasetSpec>& datasets, const std::string& origin) {
  std::vector<Block> parsed;
  const std::vector<JsonValue> named = as_named.items(), items = blocks.items();
  for (std::size_t i = 0; i < items.size(); ++i) {
    Block block = parse_block(items[i], datasets);
    if (const std::vector<Rule> rules = read_rules(named.at(i)); !rules.empty()) {
      const std::vector<Job> jobs =
          substitutes.empty() ? block.jobs_without_class : parse_block(named[i], datasets).jobs_without_class;
      check_rules(rules, jobs);
      exclude(block, jobs, rules, substitutes, datasets);
      if (block.jobs_without_class.empty()) named[i].at("exclude").fail("leaves nothing of the block");
    }
    check_together(items[i], block.jobs_without_class);
    parsed.push_back(std::move(block));
    add_included(items[i], i, datasets, origin, parsed);
  }
  if (parsed.empty()) blocks.fail("expected at least one block, found an empty list");
  return parsed;
}

}  // namespace sweeps
