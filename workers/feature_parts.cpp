// Parts of feature sets. Two runs may be at work on the same set: the first file of a name wins, and a set that is
// there whole makes its parts needless.
#include "workers/feature_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <optional>
#include <type_traits>

#include "storage/error.hpp"
#include "storage/feature_file.hpp"
#include "workers/feature_set.hpp"
#include "workers/read_ahead.hpp"

namespace workers {
namespace {

std::string part_identity(const ExtractTask& task) {
  return fmt::format("{}#rows {}+{}", task.recipe.identity, task.first, task.count);
}

/// A table of that kind, without rows.
storage::FeatureTable empty_table(const FeatureRecipe& recipe) {
  storage::FeatureTable table;
  table.row_length = recipe.row_length;
  if (row_kind_of(recipe.backbone) == storage::RowKind::images) table.rows = std::vector<std::uint8_t>{};
  return table;
}

/// All of a part but its rows' numbers.
storage::FeatureTable table_of_part(const ExtractTask& task, const datasets::Dataset& data) {
  const auto& recipe = task.recipe;
  storage::FeatureTable table = empty_table(recipe);
  table.identity = part_identity(task);
  table.row_count = task.count;
  table.classes = data.classes();
  std::visit([&](auto& all) { all.reserve(static_cast<std::size_t>(table.row_count * table.row_length)); }, table.rows);
  for (const std::int64_t row : task.rows) {
    table.labels.push_back(data.label(recipe.split, row));
    table.ids.push_back(data.row_id(recipe.split, row));
  }
  return table;
}

void expect_rows(const ExtractTask& task, const datasets::Dataset& data) {
  const auto size = data.size(task.recipe.split);
  if (task.rows.empty() || task.rows.back() < size) return;
  throw storage::Error(
      fmt::format("{}: the {} split has {} rows, row {} was wanted: the data changed during the run; run again",
                  task.recipe.data.spec.id, datasets::name_of(task.recipe.split), size, task.rows.back()));
}

/// Adds the seconds since it was made to a sum, where it ends.
class Stopwatch {
 public:
  explicit Stopwatch(double& sum) : sum_(sum) {}
  ~Stopwatch() { sum_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& sum_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Batches in order: while one is in the backbone, threads read the rows of the next ones. As many threads as LibTorch
/// has, since that is what the worker was given: they use what the backbone leaves of those cores, and when it waits
/// for rows, all of them.
Extracted extract(const ExtractTask& task, const datasets::Dataset& data, const RowSteps& steps, int threads,
                  const std::function<void()>& on_progress) {
  expect_rows(task, data);
  storage::FeatureTable table = table_of_part(task, data);
  Extracted extracted{task.count};
  {
    ReadAhead<ReadRow> rows(task.count,
                            [&](std::int64_t i) {
                              const auto k = static_cast<std::size_t>(i);
                              return steps.read({task.rows[k], task.checksums[k]});
                            },
                            bytes_of, {.threads = threads});
    for (std::int64_t begin = 0; begin < task.count; begin += kExtractBatch) {
      std::vector<ReadRow> batch;
      for (auto i = begin; i < std::min(begin + kExtractBatch, task.count); ++i) batch.push_back(rows.take());
      const Stopwatch computing(extracted.spent.computing);
      steps.append(batch, table.rows);
      on_progress();
    }
    extracted.spent.waiting = rows.waited_seconds();
  }
  const Stopwatch writing(extracted.spent.writing);
  storage::write_feature_file(part_file(task.recipe.cache, task.recipe.id, task.part), table);
  return extracted;
}

storage::FeatureTable read_set(const std::filesystem::path& file, const FeatureRecipe& recipe,
                               const std::string& identity) {
  return storage::read_feature_file(file, row_kind_of(recipe.backbone), identity);
}

/// A part that an earlier run left whole is taken as it is.
bool part_is_there(const ExtractTask& task) {
  const auto file = part_file(task.recipe.cache, task.recipe.id, task.part);
  if (!std::filesystem::exists(file)) return false;
  try {
    return read_set(file, task.recipe, part_identity(task)).row_count == task.count;
  } catch (const storage::Error&) {
    std::filesystem::remove(file);
    return false;
  }
}

/// The checksum of the whole set when another run has finished it meanwhile; that run may have removed our parts.
std::optional<std::string> finished_by_another(const FeatureRecipe& recipe) {
  const auto file = feature_file(recipe.cache, recipe.id);
  if (!std::filesystem::exists(file)) return std::nullopt;
  try {
    return read_set(file, recipe, recipe.identity).checksum;
  } catch (const storage::Error&) {
    return std::nullopt;
  }
}

storage::FeatureTable join_parts(const AssembleTask& task, const std::function<void()>& on_progress) {
  const auto& recipe = task.recipe;
  storage::FeatureTable whole = empty_table(recipe);
  whole.identity = recipe.identity;
  std::int64_t first = 0;
  for (std::size_t k = 0; k < task.part_sizes.size(); ++k) {
    const ExtractTask part{recipe, static_cast<std::int64_t>(k), first, task.part_sizes[k], {}, {}};
    auto table = read_set(part_file(recipe.cache, recipe.id, part.part), recipe, part_identity(part));
    whole.row_count += table.row_count;
    whole.classes = table.classes;
    std::visit(
        [&](auto& all) {
          const auto& more = std::get<std::decay_t<decltype(all)>>(table.rows);
          all.insert(all.end(), more.begin(), more.end());
        },
        whole.rows);
    whole.labels.insert(whole.labels.end(), table.labels.begin(), table.labels.end());
    std::move(table.ids.begin(), table.ids.end(), std::back_inserter(whole.ids));
    first += task.part_sizes[k];
    on_progress();
  }
  return whole;
}

}  // namespace

Extracted extract_part(const ExtractTask& task, const std::function<const datasets::Dataset&()>& data, RowMaker& rows,
                       int threads, const std::function<void()>& on_progress) {
  if (part_is_there(task) || finished_by_another(task.recipe)) return {task.count};
  const datasets::Dataset& opened = data();
  try {
    return extract(task, opened, rows.steps_of(task.recipe, opened), threads, on_progress);
  } catch (const storage::Error&) {
    // Another run may have finished the set and removed the folder of parts under our hands.
    if (finished_by_another(task.recipe)) return {task.count};
    throw;
  }
}

Assembled assemble_parts(const AssembleTask& task, const std::function<void()>& on_progress) {
  const auto& recipe = task.recipe;
  storage::FeatureTable whole;
  try {
    whole = join_parts(task, on_progress);
  } catch (const storage::Error&) {
    if (const auto checksum = finished_by_another(recipe)) return {*checksum};
    throw;
  }
  const auto checksum = storage::write_feature_file(feature_file(recipe.cache, recipe.id), whole);
  std::error_code ignored;  // another run may be cleaning up the same folder
  std::filesystem::remove_all(part_file(recipe.cache, recipe.id, 0).parent_path(), ignored);
  return {checksum};
}

}  // namespace workers
