// What the figures of one table are made from, and the words that their captions share. Private to this folder.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/figures.hpp"
#include "results/row_runs.hpp"

namespace results {

/// A row that has runs, or will have some.
struct FigureRow {
  const Row* row = nullptr;
  const sweeps::PlannedRow* planned = nullptr;
  RowRuns runs;
  bool trained = false;  ///< some run has epochs: not a baseline

  /// The runs that the number of a column is made of, in this mode; none where the best of an axis is open.
  const std::vector<CountedRun>& counted(std::size_t column, sweeps::Mode mode) const;
};

/// Refers to what it is made from.
struct FigureSource {
  const Table& table;
  std::string name;                    ///< of the table's files
  const sweeps::Plan* plan = nullptr;  ///< null: nothing is known but the table
  const sweeps::PlannedTable* planned = nullptr;
  const Ledger* ledger = nullptr;
  std::vector<FigureRow> rows = {};  ///< in the table's order, without those that are only printed

  /// A figure of this table, without its data and script.
  Figure figure(const std::string& kind, const std::string& title) const;
};
FigureSource figure_source(const Table& table, const std::string& name, const sweeps::Plan* plan,
                           const sweeps::PlannedTable* planned, const Ledger& ledger);

/// "Not all runs are there: AddMult 6 of 9 (1 diverged, 2 missing)." with a space before it; nothing where all are.
std::string missing_words(const FigureSource& source);
/// " Shown are the first 12 of 27 rows." where not all are.
std::string cut_words(const std::string& what, std::size_t shown, std::size_t all);

/// For a field of a figure's data: any text on one line, quoted where a reader needs it.
std::string data_text(const std::string& text);

// Each is nothing where there is nothing to draw.
std::optional<Figure> bars_figure(const FigureSource& source);
std::optional<Figure> boxes_figure(const FigureSource& source);
std::optional<Figure> epochs_figure(const FigureSource& source);
std::optional<Figure> scatter_figure(const FigureSource& source);
std::optional<Figure> lambda_figure(const FigureSource& source);
std::optional<Figure> shares_figure(const FigureSource& source);

}  // namespace results
