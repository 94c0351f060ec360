// Rows of a published table as rows of a sweep's: what selects the jobs that make a printed row again.
#include <algorithm>

#include "sweeps/parser.hpp"

namespace sweeps {
namespace {

using storage::in_quotes;

std::string in_place_of(const std::string& name, const Substitutes& substitutes) {
  const auto found = substitutes.find(name);
  return found == substitutes.end() ? name : found->second;
}

Selection jobs_of(const PublishedTable& published, const PublishedMethod& method, const Substitutes& substitutes) {
  Selection where;
  where.axes["dataset"] = {in_quotes(in_place_of(published.dataset, substitutes))};
  where.axes["method"] = {in_quotes(name_of(method.method))};
  if (!method.backbone.empty()) where.axes["backbone"] = {in_quotes(in_place_of(method.backbone, substitutes))};
  if (method.method == Method::plume) {
    where.axes["perturbation"] = {in_quotes(name_of(method.perturbation))};
    where.axes["guidance"] = {in_quotes(name_of(method.guidance))};
  }
  for (const double lambda : method.lambdas) where.axes["lambda"].push_back(storage::shortest(lambda));
  return where;
}

/// "best" is SPARK's: the paper does not say which of the two it is.
Statistic statistic_of(const PublishedRow& row) {
  if (row.statistic == "max") return Statistic::max;
  return row.statistic == "best" ? Statistic::mean_and_max : Statistic::mean;
}

/// The paper tells PLAD's own numbers from its re-run by a mark only; rows have names of their own.
std::string name_in(const PublishedTable& published, const PublishedRow& row) {
  const auto same = [&](const PublishedRow& other) { return other.name == row.name; };
  const bool is_alone = std::count_if(published.rows.begin(), published.rows.end(), same) == 1;
  return is_alone || row.kind != PublishedRow::Kind::rerun ? row.name : row.name + " (re-run)";
}

bool is_full_method(const PublishedRow* row) {
  if (row == nullptr || !row->method || row->method->best_per_class || row->statistic == "max") return false;
  const PublishedMethod& method = *row->method;
  return method.method == Method::plume && method.perturbation == Perturbation::linear_map &&
         method.guidance == Guidance::full;
}

}  // namespace

TableRow row_of(const PublishedTable& published, const PublishedRow& printed, const Substitutes& substitutes) {
  TableRow row;
  row.name = name_in(published, printed);
  row.group = printed.group;
  row.published = printed.id;
  row.only_printed = !printed.method.has_value();
  if (row.only_printed) return row;
  row.where = jobs_of(published, *printed.method, substitutes);
  row.statistic = statistic_of(printed);
  if (printed.method->best_per_class) row.best_of = "lambda";
  return row;
}

std::vector<TableRow> rows_of(const PublishedTable& published, const Substitutes& substitutes) {
  std::vector<TableRow> rows;
  for (const PublishedRow& row : published.rows) rows.push_back(row_of(published, row, substitutes));
  return rows;
}

Compare comparison_of(const PublishedTable& published, const std::vector<TableRow>& rows) {
  std::vector<std::string> full;
  std::size_t with_means = 0;  // a row of maxima has no runs that could be paired with another's
  for (const TableRow& row : rows) {
    if (row.only_printed || row.statistic == Statistic::max) continue;
    ++with_means;
    if (is_full_method(published.find_row(row.published))) full.push_back(row.name);
  }
  if (with_means < 2) return {Compare::With::none, ""};
  if (full.size() == 1) return {Compare::With::one, full.front()};
  return {Compare::With::pairs, ""};
}

}  // namespace sweeps
