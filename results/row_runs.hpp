// The runs behind one row of a table: which count, which do not and why. Computes no mean. Private to this folder.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "results/statistics.hpp"

namespace results {

/// A run that counts.
struct CountedRun {
  std::string normal_class;
  std::uint64_t seed = 0;
  const JobResult* result = nullptr;
};
/// The runs of one value of the axis that a row takes the best of; of a cell in whole where it takes none.
struct ChoiceRuns {
  std::string value;  ///< "10", or ""
  std::size_t planned = 0;
  std::vector<CountedRun> counted;  ///< in the order of the plan: by class, then seed
  bool complete() const { return planned > 0 && counted.size() == planned; }
};
struct CellRuns {
  std::vector<ChoiceRuns> choices;  ///< at least one; the smaller value first
  std::set<std::string> classes;    ///< of its planned jobs
  std::set<std::uint64_t> seeds;    ///< of its planned jobs
  CellCounts counts;
  WeightsUse weights;
  std::vector<std::string> mixed;  ///< see Cell::mixed
};
struct RowRuns {
  std::vector<CellRuns> cells;  ///< one per column
  std::set<std::uint64_t> seeds;
  std::vector<const sweeps::Job*> jobs;  ///< every planned one
  std::vector<Uncounted> uncounted;      ///< by column, then choice, then seed
  std::vector<std::string> mixed;        ///< of all its cells together, see Row::mean_mixed
  std::set<std::size_t> planned;         ///< every planned job, indices into the plan
  std::vector<const Done*> committed;    ///< of all its cells
};

/// `row` is not only printed. Throws storage::Error where the runs of a cell, or of a mean over classes, do not belong
/// in one mean, unless that is allowed.
RowRuns runs_of(const sweeps::Plan& plan, const sweeps::PlannedTable& table, const sweeps::PlannedRow& row,
                const Ledger& ledger, Mixed mixed);

/// What a row's runs were computed by: "devices" -> "cpu".
using Computed = std::map<std::string, std::set<std::string>>;
Computed computed_by(const RowRuns& runs);
/// The same of two rows that are tested against each other, where it is not one: "devices cpu, cuda".
std::vector<std::string> mixed_between(const Computed& first, const Computed& second);

}  // namespace results
