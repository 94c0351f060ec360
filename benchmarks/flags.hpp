// The command line of a benchmark: `--name value` pairs, each with a default.
#pragma once

#include <functional>
#include <map>
#include <string>

namespace benchmarks {

class Flags {
 public:
  /// Throws storage::UsageError for a flag that is not among `defaults`, and for one without a value.
  Flags(int argc, char** argv, int first, std::map<std::string, std::string> defaults);

  const std::string& text(const std::string& name) const { return values_.at(name); }
  /// Throws storage::UsageError where the value is no number above 0 (or 0, with `may_be_zero`).
  double number(const std::string& name, bool may_be_zero = false) const;
  /// The same, and whole.
  int whole(const std::string& name, bool may_be_zero = false) const;

 private:
  std::map<std::string, std::string> values_;
};

/// What `answer` returns; where it throws, one line on standard error that begins with `program`, and 2 for wrong
/// usage, else 1.
int exit_status_of(const char* program, const std::function<int()>& answer);

}  // namespace benchmarks
