// The file of a feature set, made part by part: reading ahead, backbone, writing; then one file of all parts.
#pragma once

#include <functional>

#include "datasets/dataset.hpp"
#include "workers/messages.hpp"
#include "workers/row_maker.hpp"

namespace workers {

/// Images that go through a backbone together. Rows do not depend on it beyond rounding; fixed, so that a set's bytes
/// do not depend on how it was cut into slices (1,024 rows, a multiple of it).
inline constexpr std::int64_t kExtractBatch = 32;

/// Makes the task's part, unless an earlier run left it whole or another one has finished the set meanwhile. `data` is
/// the recipe's data set; its rows are read by `threads` threads while the backbone computes. Throws storage::Error
/// naming what cannot be read or has changed.
Extracted extract_part(const ExtractTask& task, const std::function<const datasets::Dataset&()>& data, RowMaker& rows,
                       int threads, const std::function<void()>& on_progress);

/// Joins the parts and removes them; or finds that another run has finished the set.
Assembled assemble_parts(const AssembleTask& task, const std::function<void()>& on_progress);

}  // namespace workers
