// Reads `--name value` pairs strictly.
#include "benchmarks/flags.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cstdio>
#include <vector>

#include "storage/error.hpp"

namespace benchmarks {

Flags::Flags(int argc, char** argv, int first, std::map<std::string, std::string> defaults)
    : values_(std::move(defaults)) {
  for (int i = first; i < argc; i += 2) {
    const std::string flag = argv[i];
    const auto found = values_.find(flag.rfind("--", 0) == 0 ? flag.substr(2) : "");
    if (found == values_.end()) {
      std::vector<std::string> known;
      for (const auto& [name, value] : values_) known.push_back(fmt::format("--{} {}", name, value));
      throw storage::UsageError(
          fmt::format("{}: unknown; these are known, with what holds without them: {}", flag, fmt::join(known, ", ")));
    }
    if (i + 1 == argc) throw storage::UsageError(flag + ": expected a value");
    found->second = argv[i + 1];
  }
}

double Flags::number(const std::string& name, bool may_be_zero) const {
  const auto& value = text(name);
  double number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  const bool good = error == std::errc() && end == value.data() + value.size() && number < 1e12;
  if (good && (number > 0 || (number == 0 && may_be_zero))) return number;
  throw storage::UsageError(fmt::format("--{}: expected a number above 0, found \"{}\"", name, value));
}

int Flags::whole(const std::string& name, bool may_be_zero) const {
  const double value = number(name, may_be_zero);
  const int rounded = value < 1e9 ? static_cast<int>(value) : 0;
  if (rounded == value) return rounded;
  throw storage::UsageError(fmt::format("--{}: expected a whole number, found \"{}\"", name, text(name)));
}

int exit_status_of(const char* program, const std::function<int()>& answer) {
  try {
    return answer();
  } catch (const storage::UsageError& error) {
    std::fprintf(stderr, "%s: %s\n", program, error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", program, error.what());
    return 1;
  }
}

}  // namespace benchmarks
