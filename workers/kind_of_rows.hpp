// What the rows of a data set are.
#pragma once

#include <string>

#include "datasets/dataset.hpp"
#include "storage/error.hpp"

namespace workers {

/// A data set as what its rows must be for the task; a sweep cannot ask for anything else.
template <typename Rows>
const Rows& as(const datasets::Dataset& data, const std::string& id) {
  if (const auto* rows = dynamic_cast<const Rows*>(&data)) return *rows;
  throw storage::Error("data set " + id + ": its kind has not the rows that the task is about");
}

}  // namespace workers
