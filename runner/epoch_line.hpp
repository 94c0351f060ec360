// What `run --only` shows of an epoch and of a found learning rate. Rounded for eyes: the journal has every digit.
#pragma once

#include <string>

#include "results/result.hpp"

namespace runner {

/// "epoch 7: AUROC 0.8123, AP 0.40, FPR95 0.71, loss 1.234, lr 4.2e-04"; what a record lacks is left out, and where the
/// ranking is undefined: "epoch 7: AUROC undefined (the test split has no anomalies), loss ...". AP is of the normal
/// class.
std::string epoch_text(const results::EpochRecord& record);
/// "4.2e-04".
std::string learning_rate_text(double rate);

}  // namespace runner
