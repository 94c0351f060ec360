// Asks the list of axes.
#include "sweeps/effect.hpp"

#include <stdexcept>
#include <string>

#include "sweeps/axis.hpp"

namespace sweeps {

bool has_effect(std::string_view setting, const Job& job) {
  const Axis* axis = find_axis(setting);
  if (axis == nullptr) throw std::out_of_range("no setting of a job: " + std::string(setting));
  return shows(*axis, job);
}

}  // namespace sweeps
