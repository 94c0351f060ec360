// How a text and a number stand in a CSV file.
#pragma once

#include <optional>
#include <string>

namespace results {

/// RFC 4180: quoted where a reader needs it, quotes doubled.
std::string csv_field(const std::string& text);
/// At full precision; nothing where it is absent; "nan" where it is none.
std::string csv_number(const std::optional<double>& value);

}  // namespace results
