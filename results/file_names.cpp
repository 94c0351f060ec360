// Ids come from sweeps and become file names.
#include "results/file_names.hpp"

#include <fmt/format.h>

#include <set>

#include "storage/error.hpp"

namespace results {
namespace {

void check_id(const std::string& id) {
  constexpr const char* kAllowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  if (!id.empty() && id.front() != '.' && id.find_first_not_of(kAllowed) == std::string::npos) return;
  throw storage::Error("table id \"" + id +
                       "\": expected letters, digits, \"-\", \"_\" and \".\", for it names a file");
}

}  // namespace

std::vector<std::string> file_names_of(const std::vector<Table>& tables) {
  std::set<std::string> ids, used{kAllTables};
  for (const Table& table : tables) ids.insert(table.id);
  std::vector<std::string> names;
  for (const Table& table : tables) {
    check_id(table.id);
    std::string name = table.id;
    const auto taken = [&] { return used.contains(name) || used.contains(name + kComparisons); };
    for (int n = 2; taken() || (n > 2 && ids.contains(name)); ++n) name = fmt::format("{}-{}", table.id, n);
    used.insert({name, name + kComparisons});
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace results
