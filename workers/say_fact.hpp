// How a check says what it finds out.
#pragma once

#include <functional>
#include <string>

namespace workers {

/// A line of the answer. The label is empty where the line goes on with the fact before.
using SayFact = std::function<void(const std::string& label, const std::string& text)>;

}  // namespace workers
