// The outlines that the synthetic classes are. Pure geometry.
#pragma once

#include <string>
#include <vector>

namespace datasets {

/// Names in index order, e.g. shape_names()[0] == "ring".
const std::vector<std::string>& shape_names();

/// Whether (x, y) lies inside shape `index`; the shape fills most of the unit disc around (0, 0).
bool shape_contains(int index, double x, double y);

}  // namespace datasets
