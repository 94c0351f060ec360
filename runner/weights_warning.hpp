// The line at the start of a run about weights that are not what a reader of its tables would take them for.
#pragma once

#include <optional>
#include <string>

namespace runner {

/// `source` is a file, or random:SEED; `identity` its SHA-256, or random:SEED itself. Nothing for the published file of
/// the backbone, nor for another one of a backbone that the paper does not have, unless its name promises another hash.
std::optional<std::string> warning_about_weights(const std::string& backbone, const std::string& source,
                                                 const std::string& identity);

/// Of a backbone that runs untrained because its weights are nowhere, at a scale that allows it; `why` as in
/// FeaturePlan::Weights::missing.
std::string warning_about_missing_weights(const std::string& backbone, const std::string& scale,
                                          const std::string& why);

}  // namespace runner
