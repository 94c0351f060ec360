// What stands left of and above the numbers of a table: as the paper prints it where it does, else the names of the
// sweep. Private to this folder.
#pragma once

#include <string>
#include <vector>

#include "results/statistics.hpp"

namespace results {

/// "Perturbation", "Guidance"; one empty title where nothing is published.
std::vector<std::string> label_titles(const Table& table);
/// One per title. Marks of the row ("†", "(untrained)") follow the first; its own name is there where the printed
/// labels do not tell it from another row.
std::vector<std::string> labels_of(const Table& table, const Row& row);
/// "Rotation Based", or the row's own group.
std::string group_title(const Table& table, const Row& row);
/// "LinearMap"; "LinearMap (untrained)" where its weights are marked.
std::string marked_name(const Row& row);

/// Whether one column a class is printed, and their mean: a single column is its own mean.
bool prints_classes(const Table& table);
bool prints_mean(const Table& table);
/// "Mean", "Average", "mean".
std::string mean_title(const Table& table);
/// "λ" for lambda, else the axis.
std::string axis_sign(const std::string& axis);

}  // namespace results
