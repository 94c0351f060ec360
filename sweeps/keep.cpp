// Reads and joins wishes.
#include "sweeps/keep.hpp"

#include <algorithm>

#include "sweeps/names.hpp"

namespace sweeps {

Keep both(const Keep& one, const Keep& other) {
  return {std::max(one.save, other.save), std::max(one.dump, other.dump)};
}

Keep read_keep(const storage::JsonValue& value) {
  Keep keep;
  if (const auto save = value.find("save")) keep.save = read_name<Save>(*save);
  if (const auto dump = value.find("dump")) keep.dump = dump->integer(0, kMostDumpedRows);
  return keep;
}

bool is_keep_key(const std::string& key) {
  return key == "save" || key == "dump";
}

Keep kept_of(const Job& job, const Keep& wanted) {
  return is_trained(job.method) ? wanted : Keep{};
}

}  // namespace sweeps
