// Reads and joins wishes.
#include "sweeps/keep.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "storage/nearest.hpp"

namespace sweeps {
namespace {

constexpr std::array<Save, 3> kSaves = {Save::none, Save::classifier, Save::all};

Save read_save(const storage::JsonValue& value) {
  const std::string word = value.string();
  std::vector<std::string> names;
  for (const Save save : kSaves) {
    if (word == name_of(save)) return save;
    names.emplace_back(name_of(save));
  }
  value.fail("unknown value " + storage::in_quotes(word) + storage::suggestion(word, names));
}

}  // namespace

std::string_view name_of(Save save) {
  switch (save) {
    case Save::none:
      return "none";
    case Save::classifier:
      return "classifier";
    case Save::all:
      break;
  }
  return "all";
}

Keep both(const Keep& one, const Keep& other) {
  return {std::max(one.save, other.save), std::max(one.dump, other.dump)};
}

Keep read_keep(const storage::JsonValue& value) {
  Keep keep;
  if (const auto save = value.find("save")) keep.save = read_save(*save);
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
