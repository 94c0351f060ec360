// The paper's printed numbers, from paper/tables.json, which is compiled in: a table can be made anywhere.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sweeps/job.hpp"

namespace sweeps {

/// As printed: in percent, or a fraction where the table's metric says so.
struct PublishedNumber {
  double mean = 0;
  std::optional<double> std_dev;  ///< absent: no spread is printed
  bool bold = false;
};
/// How a row is made again; see "method" in the file.
struct PublishedMethod {
  Method method = Method::plume;
  std::string backbone;  ///< empty for plad
  Perturbation perturbation = Perturbation::linear_map;
  Guidance guidance = Guidance::full;
  std::vector<double> lambdas;  ///< what is trained
  bool best_per_class = false;  ///< of each class the best of the lambdas
  /// Column -> the paper's choice, more than one where it has a tie; empty unless best_per_class.
  std::map<std::string, std::vector<double>> lambda_by_class;
  int seeds = 0;
  int epochs = 0;
};
struct PublishedRow {
  enum class Kind { ours, rerun, literature, max };
  std::string id;    ///< unique in its table
  std::string name;  ///< "PLUME, lambda 5"
  Kind kind = Kind::ours;
  std::string group;                             ///< "rotation-based" or ""
  std::string cite;                              ///< BibTeX key or ""
  std::vector<std::string> marks;                ///< "*", "dagger"
  std::string statistic;                         ///< "mean", "max", "best" (SPARK: unclear which), "reported"
  std::vector<std::string> header;               ///< printed labels, as many as PublishedTable::row_header
  std::optional<PublishedMethod> method;         ///< absent for literature
  std::map<std::string, PublishedNumber> cells;  ///< by column id
  std::optional<PublishedNumber> row_mean;
};
struct PublishedColumn {
  std::string id;
  std::string name;      ///< as printed: "Plane"
  std::string official;  ///< the class of the data set, "airplane"; the normal set "satellites" for SPARK
};
struct PublishedTable {
  std::string id;     ///< "cifar10-ablation"
  std::string label;  ///< of the LaTeX: "tab:ablation"
  std::string title;
  std::string dataset;  ///< id
  bool fraction = false;
  int cell_decimals = 1;
  int mean_decimals = 1;
  std::vector<PublishedColumn> columns;  ///< empty where only the mean is printed
  std::string mean_name;                 ///< "Mean"; "" if there is none
  std::vector<std::string> row_header;   ///< keys of the label columns: "perturbation", "guidance"
  bool transposed = false;
  std::vector<PublishedRow> rows;

  const PublishedRow* find_row(const std::string& id) const;
  /// The column of an official class name, or null.
  const PublishedColumn* find_column(const std::string& official) const;
};

/// A result in the paper's running text: a number of a table, or the first of two less the second.
struct PublishedClaim {
  struct Place {
    std::string table, row;  ///< ids
    std::string column;      ///< id of the published column, or "mean"
  };
  std::string id;
  std::string section;  ///< "4.5", or the label of a caption
  std::string title;
  double value = 0;           ///< in percent, or points of percent
  bool approximate = false;   ///< "around"
  std::vector<Place> places;  ///< one or two
};

/// In the order of the paper.
const std::vector<PublishedTable>& published_tables();
const std::vector<PublishedClaim>& published_claims();
/// Null if there is none of that id.
const PublishedTable* find_published_table(const std::string& id);

}  // namespace sweeps
