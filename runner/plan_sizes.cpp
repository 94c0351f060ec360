// Sums of bytes.
#include "runner/plan_sizes.hpp"

#include <algorithm>
#include <map>

namespace runner {
namespace {

constexpr double kMega = 1e6;
constexpr double kNumber = 4;  // float32

constexpr double kTrainerAlone = 190 * kMega;  // LibTorch and the program
/// Weights, gradients, two moments; a range test keeps the weights that it began with besides.
constexpr double kCopies = 4;
constexpr double kCopiesOfSearch = 5;

constexpr double kCoordinatorAlone = 30 * kMega;
constexpr double kCoordinatorOfJob = 4.7e3;
constexpr double kCoordinatorOfJournal = 1.9;  // results, and the tables that are made of them

constexpr double kJobInJournal = 1000;
constexpr double kEpochInJournal = 250;
constexpr double kShareInJournal = 20;
constexpr double kReportOfJournal = 0.8;
constexpr double kFiguresOfTable = 0.8 * kMega;  // and their copies in the page; 0.6 to 1 was seen

/// Of one batch of images and the layers between; the most that was seen.
double bytes_of_extraction(const std::string& backbone) {
  static const std::map<std::string, double> kSeen{{"efficientnet-lite0", 470 * kMega},
                                                   {"resnet50", 630 * kMega},
                                                   {"vgg16", 2350 * kMega},
                                                   {"convnext-base", 1730 * kMega}};
  const auto known = kSeen.find(backbone);
  return known == kSeen.end() ? 0 : known->second;
}

}  // namespace

double trainer_bytes(const std::vector<JobSizes>& jobs) {
  std::map<std::string, double> pairs;
  double most_copies = 0, largest_set = 0, extraction = 0;
  for (const auto& job : jobs) {
    pairs[job.train.name + "\n" + job.test.name] = job.train.bytes + job.test.bytes;
    largest_set = std::max({largest_set, job.train.bytes, job.test.bytes});
    most_copies = std::max(most_copies, job.parameters * kNumber * (job.searches ? kCopiesOfSearch : kCopies));
    extraction = std::max(extraction, bytes_of_extraction(job.made_through));
  }
  std::vector<double> loaded;
  for (const auto& [name, bytes] : pairs) loaded.push_back(bytes);
  std::sort(loaded.rbegin(), loaded.rend());
  loaded.resize(std::min<std::size_t>(loaded.size(), 2));
  double sets = 0;
  for (const double bytes : loaded) sets += bytes;
  // While a set is loaded it is there twice; the heap keeps that room for what the training needs, and that of a
  // backbone too.
  return kTrainerAlone + std::max(extraction, sets + std::max(largest_set, most_copies));
}

double journal_bytes(const JournalShape& shape) {
  return static_cast<double>(shape.jobs) * kJobInJournal + shape.epoch_records * kEpochInJournal +
         shape.class_shares * kShareInJournal;
}

double report_bytes(const JournalShape& shape) {
  return kReportOfJournal * journal_bytes(shape) + static_cast<double>(shape.tables) * kFiguresOfTable;
}

double coordinator_bytes(const JournalShape& shape, double largest_set_bytes) {
  return kCoordinatorAlone + largest_set_bytes + static_cast<double>(shape.jobs) * kCoordinatorOfJob +
         kCoordinatorOfJournal * journal_bytes(shape);
}

}  // namespace runner
