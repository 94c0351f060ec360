// The numbers of a table, rounded: here and in the notes, and nowhere before. Private to this folder.
#pragma once

#include <optional>
#include <string>

#include "results/grid.hpp"

namespace results {

/// How the numbers of a column are written: the mean over classes may have other digits than a class.
struct Digits {
  double divisor = 1;  ///< 100 where the table prints fractions
  int decimals = 1;
  /// "84.5" or "0.85" of percent.
  std::string number(double percent) const;
  /// "+0.3", "-1.2", "0.0".
  std::string difference(double points) const;
};
Digits cell_digits(const Table& table);
Digits mean_digits(const Table& table);

/// Of a class, in the mode at `mode` of the table.
GridCell mode_cell(const Table& table, const Row& row, std::size_t column, std::size_t mode);
GridCell mode_mean(const Table& table, const Row& row, std::size_t mode);
/// What the paper prints; nothing where it prints nothing.
GridCell published_cell(const std::optional<Published>& published, const Row& row, const Digits& digits);
/// Ours less the paper's, with "!" outside the interval; nothing where neither is there, "-" where it is withheld.
GridCell difference_cell(const std::optional<Verdict>& verdict, const Digits& digits);

/// Sign of a number whose runs differ in what they should not.
inline constexpr const char* kMixedSign = "‡";
inline constexpr const char* kOutsideSign = "!";

}  // namespace results
