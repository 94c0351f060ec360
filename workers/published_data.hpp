// What is published of the data sets that the paper uses: statistics and numbers of images. Knows no LibTorch.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "datasets/dataset.hpp"
#include "workers/split_scan.hpp"

namespace workers {

struct PublishedNumbers {
  std::string of_class;  ///< "": of the data set, as `normalisation: dataset` makes them
  std::optional<std::array<double, 3>> mean, std_dev;
};
/// One form in which a data set goes round.
struct PublishedForm {
  std::string kind;  ///< of the data set
  std::string name;  ///< "the original files"
  bool in_paper;     ///< the paper's numbers come from it
  double tolerance;  ///< numbers that differ by no more are the same: rounding, and another decoder's
  std::vector<PublishedNumbers> numbers;
};

struct FormDifference {
  const PublishedForm* form;
  double difference;  ///< the largest, of values in [0, 1]
  bool same() const { return difference <= form->tolerance; }
};
/// Of every form of that kind with numbers for classes that `train` has, nearest first; none for most kinds.
std::vector<FormDifference> compare_with_published(const std::string& kind, const std::vector<std::string>& classes,
                                                   const SplitScan& train);

/// "5,000 training and 1,000 test images a class"; "" where nothing is published.
std::string official_counts(const std::string& kind);
/// How the data set differs from that, a text each: "cat: 4,999 training images, officially 5,000".
std::vector<std::string> departures_from_official(const std::string& kind, const datasets::Dataset& data);

}  // namespace workers
