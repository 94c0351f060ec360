// Words for weights that are untrained, not the paper's, or not what their name promises.
#include "runner/weights_warning.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "sweeps/published_weights.hpp"

namespace runner {

std::optional<std::string> warning_about_weights(const std::string& backbone, const std::string& source,
                                                 const std::string& identity) {
  const auto kind = sweeps::kind_of_weights(backbone, identity);
  if (kind == sweeps::WeightsKind::untrained) {
    return fmt::format(
        "backbone {} has random weights, which nobody trained: its numbers say nothing about the method; its rows are "
        "marked \"untrained\"",
        backbone);
  }
  const auto& facts = sweeps::backbone_facts(backbone);
  const auto promise = sweeps::broken_promise(facts, std::filesystem::path(source).filename().string(), identity);
  const auto begins = fmt::format("the SHA-256 of {} begins with {}{}", source, sweeps::short_name_of_weights(identity),
                                  promise.empty() ? "" : ", though " + promise);
  if (kind == sweeps::WeightsKind::other && facts.in_paper) {
    return fmt::format(
        "backbone {} does not have the paper's weights ({}): {}; its rows are marked \"not the paper's weights\" and "
        "are not comparable with the paper's numbers",
        backbone, facts.weights_file, begins);
  }
  return promise.empty() ? std::nullopt : std::optional(fmt::format("backbone {}: {}", backbone, begins));
}

std::string warning_about_missing_weights(const std::string& backbone, const std::string& scale,
                                          const std::string& why) {
  return fmt::format(
      "backbone {0} runs untrained on random:0, because the scale is {1} and its weights ({2}) are nowhere: {3}; its "
      "rows are marked \"untrained\"; give --weights {0}=FILE, or \"weights\": {{\"{0}\": \"FILE\"}} in a site file",
      backbone, scale, sweeps::backbone_facts(backbone).weights_file, why);
}

}  // namespace runner
