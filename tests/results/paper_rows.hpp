// Planned rows of the paper's own tables at its own settings, for tests of what is said beside its numbers.
#pragma once

#include "sweeps/published_tables.hpp"
#include "tests/results/samples.hpp"

namespace samples {

inline const char* const kCifarClasses[] = {"airplane", "automobile", "bird",  "cat",  "deer",
                                            "dog",      "frog",       "horse", "ship", "truck"};

/// A job as the paper's ablation has it.
inline sweeps::Job of_the_paper(const std::string& name, std::uint64_t seed, sweeps::Perturbation perturbation,
                                sweeps::Guidance guidance) {
  sweeps::Job job;
  job.dataset = "cifar10";
  job.normal_class = name;
  job.backbone = "resnet50";
  job.seed = seed;
  job.training.perturbation = perturbation;
  job.training.guidance = guidance;
  return sweeps::normalised(job);
}

/// The paper's ablation over all classes and `seeds` seeds, rows to be added.
struct PaperTable {
  explicit PaperTable(const std::string& id) {
    table.id = table.published = id;
    table.datasets = {"cifar10"};
    table.columns.assign(std::begin(kCifarClasses), std::end(kCifarClasses));
    table.modes = {sweeps::Mode::best, sweeps::Mode::last};
    table.compare.with = sweeps::Compare::With::pairs;
  }
  /// `auc_of(class index, seed)`; a negative one leaves the job undone.
  template <typename AucOf>
  void add_row(const std::string& name, const std::string& published, sweeps::Perturbation perturbation,
               sweeps::Guidance guidance, std::uint64_t seeds, const AucOf& auc_of) {
    sweeps::PlannedRow row;
    row.name = name;
    row.published = published;
    row.seeded = true;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      sweeps::PlannedCell cell;
      for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        const sweeps::Job job = of_the_paper(table.columns[i], seed, perturbation, guidance);
        cell.jobs.push_back(add(plan, job));
        const double auc = auc_of(i, seed);
        if (auc < 0) continue;
        results::JobResult result = finished({auc});
        result.weights = kPaperResnet;
        ledger.apply(done(job, result));
      }
      row.cells.push_back(cell);
    }
    table.rows.push_back(row);
  }
  void add_literature(const std::string& name, const std::string& published) {
    sweeps::PlannedRow row;
    row.name = name;
    row.published = published;
    row.only_printed = true;
    table.rows.push_back(row);
  }
  results::Table aggregated() const { return results::aggregate(plan, table, ledger); }

  sweeps::Plan plan;
  sweeps::PlannedTable table;
  results::Ledger ledger;
};

}  // namespace samples
