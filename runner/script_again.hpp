// The `plume-bench slurm` that writes batch scripts once more, with the flags that their text tells. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace runner {

/// Words of a line of shell as shell_words() writes them; one with a variable or double quotes in it stays as it is.
std::vector<std::string> words_of_shell(std::string_view line);

/// The rest of the first line that begins with `before` ("out=", "cd "), where it is one word and an absolute path; of
/// a share it ends with "/share-"$SLURM_ARRAY_TASK_ID"-of-8". Nothing for anything else.
std::optional<std::string> place_named_in(const std::string& script, std::string_view before);

/// The value of --only with which a script runs the sweep; "" where it runs all of it.
std::string only_in_script(const std::string& script);

enum class WithOnly { as_it_was, no };

/// "plume-bench slurm SWEEP --out DIR --force --form array --time 10": for a directory whose scripts were written for
/// another. "SWEEP" where it is not told. What a script does not tell, or a site file says: settings for modules,
/// set-up lines and containers.
std::string line_to_write_again(const std::string& script, const std::string& directory,
                                WithOnly with_only = WithOnly::as_it_was);

}  // namespace runner
