// Rows and classes named in a line of text.
#pragma once

#include <string>
#include <vector>

#include "datasets/dataset.hpp"
#include "workers/duplicates.hpp"

namespace workers {

/// A row's id as one printable line.
std::string name_of_row(const datasets::Dataset& data, const DataRow& row);
/// "a, b, c and 4 more": at most `most` of them by name.
std::string some_of(const std::vector<std::string>& names, std::size_t most);
std::string some_of(const datasets::Dataset& data, const std::vector<DataRow>& rows, std::size_t most);

}  // namespace workers
