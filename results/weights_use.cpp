// Sorted, so that the order of the journal changes no byte of a table.
#include "results/weights_use.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace results {
namespace {

using sweeps::WeightsKind;

constexpr const char* kUntrained = "untrained";
constexpr const char* kNotThePapers = "not the paper's weights";
constexpr const char* kPartly = "partly ";

}  // namespace

std::vector<std::string> weights_marks() {
  std::vector<std::string> marks{fmt::format("{}, {}", kUntrained, kNotThePapers), kUntrained, kNotThePapers};
  for (std::size_t i = 0; i < 3; ++i) marks.push_back(kPartly + marks[i]);
  return marks;
}

void WeightsUse::add(const std::string& backbone, const std::string& identity) {
  if (!identity.empty()) all_.insert({backbone, identity});
}

void WeightsUse::add(const WeightsUse& other) {
  all_.insert(other.all_.begin(), other.all_.end());
}

bool WeightsUse::has(WeightsKind kind) const {
  return std::any_of(all_.begin(), all_.end(), [&](const Weights& weights) {
    return sweeps::kind_of_weights(weights.backbone, weights.identity) == kind;
  });
}

std::string WeightsUse::mark() const {
  std::set<std::string> marks;
  for (const auto& [backbone, identity] : all_) {
    const auto kind = sweeps::kind_of_weights(backbone, identity);
    const bool is_marked = kind == WeightsKind::other && sweeps::backbone_facts(backbone).in_paper;
    marks.insert(kind == WeightsKind::untrained ? kUntrained : is_marked ? kNotThePapers : "");
  }
  const bool partly = marks.erase("") > 0 && !marks.empty();
  return fmt::format("{}{}", partly ? kPartly : "", fmt::join(marks.rbegin(), marks.rend(), ", "));
}

std::vector<std::string> WeightsUse::listed() const {
  std::vector<std::string> texts;
  for (const auto& [backbone, identity] : all_) {
    const auto& facts = sweeps::backbone_facts(backbone);
    std::string text = fmt::format("{} {}", backbone, sweeps::short_name_of_weights(identity));
    switch (sweeps::kind_of_weights(backbone, identity)) {
      case WeightsKind::paper:
        text += ", the paper's";
        break;
      case WeightsKind::other:
        if (facts.in_paper) text += fmt::format(", the paper's begin with {}", facts.weights_hash);
        break;
      default:
        break;
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

std::string WeightsUse::kinds() const {
  std::vector<std::string_view> names;
  for (const auto kind : {WeightsKind::paper, WeightsKind::other, WeightsKind::untrained}) {
    if (has(kind)) names.push_back(sweeps::name_of(kind));
  }
  return fmt::format("{}", fmt::join(names, "+"));
}

}  // namespace results
