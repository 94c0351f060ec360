// Words as in sweep files, where those have them.
#include "results/table_words.hpp"

namespace results {

std::string_view name_of(Verdict::Kind kind) {
  switch (kind) {
    case Verdict::Kind::inside:
      return "inside";
    case Verdict::Kind::outside:
      return "outside";
    case Verdict::Kind::no_spread:
      return "no-spread";
    case Verdict::Kind::withheld:
      return "withheld";
    case Verdict::Kind::no_number:
      return "no-number";
  }
  return "";
}

std::string_view name_of(Uncounted::Why why) {
  switch (why) {
    case Uncounted::Why::diverged:
      return "diverged";
    case Uncounted::Why::failed:
      return "failed";
    case Uncounted::Why::undefined:
      return "undefined";
    case Uncounted::Why::missing:
      return "missing";
  }
  return "";
}

std::string_view name_of(sweeps::Statistic which) {
  switch (which) {
    case sweeps::Statistic::mean:
      return "mean";
    case sweeps::Statistic::max:
      return "max";
    case sweeps::Statistic::mean_and_max:
      return "mean-and-max";
  }
  return "";
}

std::string_view name_of(sweeps::Metric metric) {
  return metric == sweeps::Metric::fraction ? "fraction" : "percent";
}

std::string_view name_of(sweeps::Columns columns) {
  switch (columns) {
    case sweeps::Columns::classes:
      return "classes";
    case sweeps::Columns::mean:
      return "mean";
    case sweeps::Columns::chosen:
      return "chosen";
  }
  return "";
}

}  // namespace results
