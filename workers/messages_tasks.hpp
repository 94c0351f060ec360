// How tasks and their outputs look as JSON: the larger half of the protocol's encoding, used by messages.cpp only.
#pragma once

#include <string>

#include "storage/json.hpp"
#include "workers/messages.hpp"

namespace workers {

/// One object with "type".
void write(storage::JsonWriter& writer, const Task& task);
void write(storage::JsonWriter& writer, const TaskOutput& output);
/// Throw storage::Error naming the key that is missing, unknown, of the wrong type or out of range.
Task read_task(const storage::JsonValue& value);
TaskOutput read_output(const storage::JsonValue& value);

/// Throws "message: <path>: expected <expected>, found <the value, cut when long>".
[[noreturn]] void refuse(const storage::JsonValue& value, const std::string& expected);

}  // namespace workers
