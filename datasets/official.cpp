// Official classes and counts as a data set without files. Rows stand by class.
#include "datasets/official.hpp"

#include <algorithm>
#include <stdexcept>

#include "datasets/cifar10.hpp"
#include "datasets/cifar100.hpp"
#include "datasets/spark.hpp"
#include "datasets/spark2021.hpp"
#include "datasets/spark2022.hpp"

namespace datasets {
namespace {

constexpr OfficialCounts kOfficial[] = {{"cifar10", true, {5000, 1000}, {0, 0}},
                                        {"cifar100", true, {2500, 500}, {0, 0}},
                                        {"spark2021", false, {75000, 25000}, {-1, 5000}}};
constexpr std::int64_t kUnknown = 2;  // enough for a normal class

class Listed : public Dataset {
 public:
  Listed(const std::string& kind, std::vector<std::string> classes, std::string debris)
      : classes_(std::move(classes)), debris_(std::move(debris)) {
    const OfficialCounts* counts = official_counts_of(kind);
    const auto normal = static_cast<std::int64_t>(classes_.size()) - (debris_.empty() ? 0 : 1);
    for (int split = 0; split < 2; ++split) {
      for (const std::string& name : classes_) {
        std::int64_t rows = kUnknown;
        if (counts != nullptr && name == debris_) rows = std::max<std::int64_t>(0, counts->anomalies[split]);
        if (counts != nullptr && name != debris_) rows = counts->normal[split] / (counts->each_class ? 1 : normal);
        ends_[split].push_back((ends_[split].empty() ? 0 : ends_[split].back()) + rows);
      }
    }
  }

  const std::vector<std::string>& classes() const override { return classes_; }
  std::int64_t size(Split split) const override { return ends(split).back(); }
  int label(Split split, std::int64_t i) const override {
    return static_cast<int>(std::upper_bound(ends(split).begin(), ends(split).end(), i) - ends(split).begin());
  }
  std::string row_id(Split, std::int64_t) const override { throw std::logic_error("no files are at hand"); }
  std::string stamp() const override { throw std::logic_error("no files are at hand"); }
  std::vector<sweeps::NormalSet> normal_sets() const override {
    if (debris_.empty()) return {};
    return {satellites(debris_)};
  }
  std::vector<std::string> only_anomalies() const override {
    if (debris_.empty()) return {};
    return {debris_};
  }

 private:
  const std::vector<std::int64_t>& ends(Split split) const { return ends_[split == Split::train ? 0 : 1]; }

  std::vector<std::string> classes_;
  std::string debris_;
  std::vector<std::int64_t> ends_[2];  ///< of each class
};

}  // namespace

const OfficialCounts* official_counts_of(const std::string& kind) {
  const auto* found = std::find_if(std::begin(kOfficial), std::end(kOfficial),
                                   [&](const OfficialCounts& counts) { return kind == counts.kind; });
  return found == std::end(kOfficial) ? nullptr : found;
}

std::unique_ptr<Dataset> official_dataset(const std::string& kind) {
  if (kind == "cifar10") return std::make_unique<Listed>(kind, cifar10_classes(), "");
  if (kind == "cifar100") return std::make_unique<Listed>(kind, cifar100_classes(), "");
  if (kind == "spark2021") return std::make_unique<Listed>(kind, spark2021_classes(), kDebrisOf2021);
  if (kind == "spark2022") return std::make_unique<Listed>(kind, spark2022_classes(), kDebrisOf2022);
  return nullptr;
}

}  // namespace datasets
