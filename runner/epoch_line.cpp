// Formats an epoch's record.
#include "runner/epoch_line.hpp"

#include <fmt/format.h>

namespace runner {

std::string epoch_text(const results::EpochRecord& record) {
  auto text = fmt::format("epoch {}: ", record.epoch);
  if (const auto& r = record.ranking) {
    text += fmt::format("AUROC {:.4f}, AP {:.2f}, FPR95 {:.2f}", r->auc, r->ap_normal, r->fpr95);
  } else {
    text += fmt::format("AUROC undefined ({})", record.undefined);
  }
  if (record.losses) text += fmt::format(", loss {:.4g}", record.losses->total);
  if (record.learning_rate) text += ", lr " + learning_rate_text(*record.learning_rate);
  return text;
}

std::string learning_rate_text(double rate) {
  return fmt::format("{:.1e}", rate);
}

}  // namespace runner
