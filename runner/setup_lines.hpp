// Lines of shell that a user has put into batch scripts (`--setup`), read by bash and never executed.
#pragma once

#include <string>
#include <vector>

#include "runner/batch_scripts.hpp"

namespace runner {

/// Throws UsageError where bash cannot read the lines, or where they take in lines of the script after them: a quote,
/// a here-document or a command without its end. Where no bash answers, nothing is said.
void refuse_broken_setup(const std::vector<std::string>& setup, const std::vector<ScriptFile>& scripts);

}  // namespace runner
