// Which figures a report has.
#include "results/figures.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <utility>

#include "results/figure_source.hpp"

namespace results {
namespace {

using Planned = std::pair<const sweeps::Plan*, const sweeps::PlannedTable*>;

/// One for each table, or none at all where `plans` are not those of the tables.
std::vector<Planned> planned_tables(const std::vector<Table>& tables, const std::vector<sweeps::Plan>& plans) {
  std::vector<Planned> planned;
  for (const sweeps::Plan& plan : plans) {
    for (const sweeps::PlannedTable& table : plan.tables) planned.emplace_back(&plan, &table);
  }
  if (planned.size() != tables.size()) planned.assign(tables.size(), Planned{nullptr, nullptr});
  return planned;
}

}  // namespace

std::vector<Figure> figures_of(const std::vector<Table>& tables, const std::vector<std::string>& names,
                               const std::vector<sweeps::Plan>& plans, const Ledger& ledger) {
  constexpr std::array kKinds{bars_figure, boxes_figure, epochs_figure, scatter_figure, lambda_figure, shares_figure};
  const std::vector<Planned> planned = planned_tables(tables, plans);
  std::vector<Figure> figures;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    if (figures.size() == kMostFigures) {
      figures.back().caption += fmt::format(
          " A report has at most {} figures: those of the tables from {} on are left "
          "out, and perhaps some of this one.",
          kMostFigures, names.at(i));
      break;
    }
    const auto [plan, table] = planned[i];
    const FigureSource source = figure_source(tables[i], names.at(i), plan, table, ledger);
    for (const auto kind : kKinds) {
      if (figures.size() == kMostFigures) break;
      if (std::optional<Figure> figure = kind(source)) figures.push_back(std::move(*figure));
    }
  }
  return figures;
}

}  // namespace results
