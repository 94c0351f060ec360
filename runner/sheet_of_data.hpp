// Which rows of a data set its contact sheet shows, and as what.
#pragma once

#include <functional>

#include "workers/contact_sheet.hpp"
#include "workers/data_check.hpp"
#include "workers/model_view.hpp"

namespace runner {

using ViewOfModel = std::function<workers::ModelView(const datasets::Image& image, int first_square,
                                                     const workers::ChannelStatistics& statistics, int square)>;

/// Eight images a class, fewer where classes are many (at most 160 pictures, and 80 classes): of the training split, of
/// the test split where a class is only an anomaly. Classes that may be normal come first. Rows that the scan left out
/// are not shown.
workers::ContactSheet sheet_of(const workers::DataToCheck& check, const datasets::Images& images,
                               const std::array<workers::SplitScan, 2>& scans, const ViewOfModel& view);

}  // namespace runner
