// Which jobs a selection matches: rows and columns of tables, and the exclude rules of blocks. Private to this folder.
#pragma once

#include <string>
#include <vector>

#include "sweeps/sweep.hpp"

namespace sweeps {

/// The job, as a block wrote it, has one of the values of every axis, but for the one called `except`.
bool matches(const Selection& where, const Job& job, const std::string& except = "");

/// Of a selection that matches none of `jobs`: the first axis without which it would match something, and what it could
/// say. `whose` are the jobs: "blocks".
std::string why_no_match(const Selection& where, const std::vector<const Job*>& jobs, const std::string& whose);

}  // namespace sweeps
