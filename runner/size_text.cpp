// Decimal units, as disks are sold.
#include "runner/size_text.hpp"

#include <fmt/format.h>

namespace runner {

std::string size_text(std::int64_t bytes) {
  const auto size = static_cast<double>(bytes);
  if (size >= 1e8) return fmt::format("{:.2f} GB", size / 1e9);
  if (size >= 1e6) return fmt::format("{:.1f} MB", size / 1e6);
  return fmt::format("{:.0f} kB", size / 1e3);
}

}  // namespace runner
