// The ledgers of several directories as one: equal results count once, and of results that differ the first, where
// that is allowed. Pure; opens no file.
#pragma once

#include <string>
#include <vector>

#include "results/journal.hpp"
#include "results/statistics.hpp"

namespace results {

/// A directory's ledger.
struct Source {
  std::string name;  ///< of the directory, for messages
  Ledger ledger;
};

/// A job with results that differ.
struct Contested {
  sweeps::JobKey key;
  std::string message;  ///< one line naming the job, two directories and what differs
};

struct Merged {
  Ledger ledger;
  std::vector<Contested> contested;  ///< each job once, by key
};

/// A job that is done in one directory and failed in another is done. With Mixed::refused, results of one job that are
/// not equal to the bit are a storage::Error with Contested::message; with Mixed::allowed the first directory's counts.
/// The order of the sources changes nothing else.
Merged merge(std::vector<Source> sources, Mixed mixed);

/// What differs between two results of a job: "device cpu and cuda, threads 1 and 8"; empty where nothing does. Where
/// all that they rest on is the same, it says that they should have been equal.
std::string difference_of(const Done& one, const Done& other);

}  // namespace results
