// The dumps that lie beside a report's runs, as figures: found, read, and computed where an earlier report has not.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "results/figures.hpp"
#include "results/journal.hpp"
#include "sweeps/sweep.hpp"

namespace runner {

/// Dumps that one report shows.
inline constexpr std::size_t kMostDumps = 40;

struct RowPictures {
  std::vector<results::Figure> figures;
  std::vector<std::string> notes;  ///< a line each: what is not shown, and why
};

/// Figures of the dumps (DIR/dumps/<key>.h5 of each of `directories`, the first that has one) of the finished runs of
/// `plans`, in their order. What is computed is at once written to `report`/figures, where the next report finds it,
/// and counted on standard error. With `seconds`, no dump is begun that would not be done in that time. Damaged dumps
/// and those of no run are notes. Never throws for the sake of a file.
RowPictures row_pictures(const std::vector<std::string>& directories, const std::filesystem::path& report,
                         const std::vector<sweeps::Plan>& plans, const results::Ledger& ledger,
                         std::optional<double> seconds = {});

}  // namespace runner
