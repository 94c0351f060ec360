// Where the weights are; what they are is the check's to say.
#include "runner/check_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "runner/placement.hpp"
#include "storage/error.hpp"
#include "storage/nearest.hpp"
#include "storage/printable.hpp"
#include "sweeps/backbones.hpp"

namespace runner {
namespace {

void check_question(const WeightsQuestion& question) {
  const auto names = sweeps::backbone_names();
  if (question.backbone.empty()) {
    throw storage::UsageError(
        fmt::format("check weights: whose? Expected a backbone, {}; e.g. plume-bench check weights resnet50",
                    storage::listed(names)));
  }
  if (std::find(names.begin(), names.end(), question.backbone) == names.end()) {
    throw storage::UsageError("check weights: " + sweeps::why_no_backbone(question.backbone));
  }
  for (const auto& [id, weights] : question.site.weights) {
    if (id == question.backbone) continue;
    throw storage::UsageError(
        fmt::format("--weights {0}={1}: only those of {2} are checked here; write --weights {2}={1}", id, weights,
                    question.backbone));
  }
}

}  // namespace

int print_weights_check(const WeightsQuestion& question, WeightsCheck check) {
  check_question(question);
  const auto found =
      read_site(question.site).find_weights(question.backbone, sweeps::backbone_facts(question.backbone).weights_file);
  const int threads = choose_threads(question.threads, 1, usable_cpus(), std::nullopt);
  const auto say = [](const std::string& label, const std::string& text) {
    std::cout << fmt::format("  {:<8}  {}", label, text) << std::endl;  // flushed: the next fact may take a while
  };
  std::cout << "Weights of " << question.backbone << std::endl;
  say("file", storage::printable_line(found.file.string(), 1024));
  say("", storage::printable_line("found by " + found.by, 1024));
  check({question.backbone, found.file.string(), threads, question.list_tensors}, say);
  std::cout << fmt::format("Good: {} runs on these weights.", question.backbone) << std::endl;
  return 0;
}

}  // namespace runner
