// Which numbers of a table are bold. Private to this folder.
#pragma once

#include "results/statistics.hpp"

namespace results {

/// Sets Cell::bold and Row::mean_bold, in mode best, where the table asks for bold numbers. The paper's rule: in each
/// column the highest number as printed, all of them where several are; other papers' numbers compete, maxima do not.
/// In a table of nothing but maxima those compete that are not the best over an axis. Means over classes are bold
/// where the paper makes any so, and in tables without a published one.
void set_bold(Table& table);

}  // namespace results
