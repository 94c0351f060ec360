// What is a data set, and is it whole? Says each fact as soon as it is known. Scans nothing itself: a scan is handed
// in. Knows no LibTorch.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "datasets/dataset.hpp"
#include "workers/say_fact.hpp"
#include "workers/split_scan.hpp"

namespace workers {

struct DataToCheck {
  const sweeps::DatasetSpec& spec;
  const datasets::Dataset& data;
  std::vector<sweeps::NormalSet> normal_sets = {};  ///< with their classes listed
};

struct SayCheck {
  SayFact fact;
  std::function<void(const std::string&)> note;  ///< something to know, or to mend, that stops no run
};

/// What listing the data set tells: kind and rows, classes and their counts in a table of at most some 40 lines, which
/// of them may be the normal class, departures from the official counts. Throws UsageError where none may be.
void say_contents(const DataToCheck& check, const SayCheck& say);

/// Rows that the scan left out: how many for each reason, and which classes have too few training rows without them.
void say_skipped(const DataToCheck& check, const std::array<SplitScan, 2>& scan, const SayCheck& say);
/// What a scan of images tells: sizes, flat images, statistics beside published ones.
void say_images(const DataToCheck& check, const std::array<SplitScan, 2>& scan, const SayCheck& say);
/// What reading vectors tells: length and range; reads them once more.
void say_vectors(const DataToCheck& check, const SayCheck& say);
/// Rows of the same content; reads again those whose checksums are equal.
void say_duplicates(const DataToCheck& check, const std::array<SplitScan, 2>& scan, const SayCheck& say);

}  // namespace workers
