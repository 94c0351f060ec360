// How a job stands, in a sentence, and what mends it. Pure; private to explain.
#pragma once

#include <string>

#include "runner/status_jobs.hpp"

namespace runner {

struct Reason {
  std::string word;      ///< "running", "failed", "interrupted"
  std::string sentence;  ///< "worker 3 (node17) is at it since ..., epoch 34 of 100"
  std::string mend;      ///< what to do or type, one line; "" where there is nothing
};

Reason reason_of(std::size_t plan, std::size_t job, const JobStates& states, const RunPicture& picture);

/// "the batch scripts leave it out (--only seed=0)".
std::string left_out_by_scripts(const ScriptPlace& scripts);
/// What to type for a job that --only of the batch scripts leaves out, whatever the last run was told.
/// `when`: "", or "once the chain has ended, ".
std::string scripts_for_all(const ScriptPlace& scripts, const std::string& when = "");

/// Of a job whose files this user may not read.
inline constexpr const char* kNotKnown = "not known";
Reason not_known(const std::string& why);

/// Which budget a try that ended was charged to, in words.
std::string budget_of(const results::Attempt& attempt);

}  // namespace runner
