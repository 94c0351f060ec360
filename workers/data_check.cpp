// What a scan of a data set tells.
#include "workers/data_check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "results/text_layout.hpp"
#include "storage/error.hpp"
#include "sweeps/backbones.hpp"
#include "workers/duplicates.hpp"
#include "workers/published_data.hpp"
#include "workers/row_names.hpp"

namespace workers {
namespace {

using datasets::Split;
using results::grouped;

constexpr std::size_t kNamed = 3;  ///< rows named one by one
constexpr Split kSplits[] = {Split::train, Split::test};

std::string sides(int least, int most) {
  return least == most ? std::to_string(least) : fmt::format("{} to {}", least, most);
}

std::string sizes_of(const DataToCheck& check, Split split, const ScanFacts& facts) {
  if (facts.size_count == 1) return fmt::format("all {} x {}", facts.widest, facts.highest);
  return fmt::format("{} wide, {} high, {} different ones; smallest {}, largest {}",
                     sides(facts.narrowest, facts.widest), sides(facts.lowest, facts.highest),
                     grouped(facts.size_count), name_of_row(check.data, {split, facts.smallest_row}),
                     name_of_row(check.data, {split, facts.largest_row}));
}

void say_sizes(const DataToCheck& check, const std::array<SplitScan, 2>& scan, const SayCheck& say) {
  const auto train = sizes_of(check, Split::train, scan[0].facts);
  if (scan[0].facts.size_count == 1 && train == sizes_of(check, Split::test, scan[1].facts)) {
    return say.fact("sizes", train);
  }
  for (const Split split : kSplits) {
    const auto s = static_cast<std::size_t>(split);
    if (scan[s].facts.size_count == 0) continue;
    say.fact(s == 0 ? "sizes" : "",
             fmt::format("{}: {}", datasets::name_of(split), sizes_of(check, split, scan[s].facts)));
  }
}

std::string three(const std::array<double, 3>& values) {
  return fmt::format("{:.5f} {:.5f} {:.5f}", values[0], values[1], values[2]);
}

std::string mean_and_std(const PublishedNumbers& numbers) {
  std::vector<std::string> parts;
  if (numbers.mean) parts.push_back("mean " + three(*numbers.mean));
  if (numbers.std_dev) parts.push_back("std " + three(*numbers.std_dev));
  return fmt::format("{}", fmt::join(parts, ", "));
}

void say_published(const DataToCheck& check, const SplitScan& train, const SayCheck& say) {
  const auto compared = compare_with_published(check.spec.kind, check.data.classes(), train);
  if (compared.empty()) return;
  for (const auto& [form, difference] : compared) {
    say.fact(form == compared[0].form ? "published" : "",
             fmt::format("{}: {} (at most {:.5f} away)", form->name,
                         difference <= form->tolerance ? "the same" : "others", difference));
    for (const auto& numbers : form->numbers) {
      const auto whose = numbers.of_class.empty() ? "" : numbers.of_class + ": ";
      say.fact("", fmt::format("  {}{}", whose, mean_and_std(numbers)));
    }
  }
  const auto& nearest = compared[0];
  if (nearest.same() && nearest.form->in_paper) return;
  say.note(nearest.same()
               ? fmt::format("these are not the images that the paper used, but {}: features and AUROC will differ a "
                             "little from those of the original",
                             nearest.form->name)
               : fmt::format("the statistics are not those published (up to {:.5f} away from {}): these are not the "
                             "images that the paper used",
                             nearest.difference, nearest.form->name));
}

/// The statistics of "normalisation": "dataset", and whether they can be divided by.
void say_statistics(const DataToCheck& check, const SplitScan& train, const SayCheck& say) {
  const auto statistics = statistics_for(sweeps::Normalisation::dataset, train, {});
  const bool over_images = train.averaging == datasets::Averaging::images;
  const auto square = scan_rule_of(check.data, sweeps::known_backbones().front().input_size).square;
  const auto pixels = train.resized ? fmt::format("after the resize to {0} x {0}", square) : "of the pixels as stored";
  say.fact("statistics", fmt::format("mean {}, std {}", three(statistics.mean), three(statistics.std_dev)));
  say.fact("", fmt::format("red, green, blue in [0, 1], training images, mean over {}, {}",
                           over_images ? "images" : "classes", pixels));
  say_published(check, train, say);
  if (*std::min_element(statistics.std_dev.begin(), statistics.std_dev.end()) > 1e-7) return;
  say.note(
      "a channel is the same in all pixels of the training images, and \"normalisation\": \"dataset\" would divide "
      "by its spread; write \"normalisation\": \"imagenet\" in the sweep");
}

void say_flat(const DataToCheck& check, const std::array<SplitScan, 2>& scan, const SayCheck& say) {
  std::vector<DataRow> flat;
  for (const Split split : kSplits) {
    for (const auto row : scan[static_cast<std::size_t>(split)].facts.flat_rows) flat.push_back({split, row});
  }
  say.fact("one colour", flat.empty() ? std::string("no image")
                                      : fmt::format("{} image{}: {}", grouped(flat.size()), flat.size() == 1 ? "" : "s",
                                                    some_of(check.data, flat, kNamed)));
}

std::string bytes_of(const std::vector<float>& row) {
  return {reinterpret_cast<const char*>(row.data()), row.size() * sizeof(float)};
}

std::string content_of(const datasets::Dataset& data, const DataRow& row) {
  if (const auto* vectors = dynamic_cast<const datasets::Vectors*>(&data)) {
    return bytes_of(vectors->read(row.split, row.number));
  }
  const auto image = dynamic_cast<const datasets::Images&>(data).read(row.split, row.number);
  auto content = fmt::format("{}x{} ", image.width, image.height);
  content.append(reinterpret_cast<const char*>(image.rgb.data()), image.rgb.size());
  return content;
}

/// Those that were read: a skipped row has no checksum.
std::vector<RowChecksum> rows_of(const std::array<SplitScan, 2>& scan) {
  std::vector<RowChecksum> rows;
  for (const Split split : kSplits) {
    const auto& of_split = scan[static_cast<std::size_t>(split)];
    auto skipped = of_split.skipped.begin();
    auto checksum = of_split.checksums.begin();
    for (std::int64_t i = 0; i < of_split.row_count(); ++i) {
      const bool is_skipped = skipped != of_split.skipped.end() && skipped->row == i;
      if (is_skipped) ++skipped;
      if (!is_skipped) rows.push_back({{split, i}, *checksum++});
    }
  }
  return rows;
}

std::string pairs_of(const datasets::Dataset& data, const std::vector<Duplicate>& duplicates) {
  std::vector<std::string> names;
  for (const auto& [row, first] : duplicates) {
    names.push_back(fmt::format("{} = {}", name_of_row(data, row), name_of_row(data, first)));
    if (names.size() == kNamed) break;
  }
  names.resize(duplicates.size());  // only counted
  return some_of(names, kNamed);
}

}  // namespace

void say_images(const DataToCheck& check, const std::array<SplitScan, 2>& scan, const SayCheck& say) {
  say_sizes(check, scan, say);
  say_flat(check, scan, say);
  say_statistics(check, scan[0], say);
}

void say_vectors(const DataToCheck& check, const SayCheck& say) {
  const auto& vectors = dynamic_cast<const datasets::Vectors&>(check.data);
  say.fact("length", fmt::format("L = {}", grouped(static_cast<std::uint64_t>(vectors.row_length()))));
  for (const Split split : kSplits) {
    float least = std::numeric_limits<float>::infinity(), most = -least;
    double sum = 0, squares = 0, count = 0;
    for (std::int64_t i = 0; i < vectors.size(split); ++i) {
      for (const float value : vectors.read(split, i)) {
        least = std::min(least, value);
        most = std::max(most, value);
        sum += value;
        squares += double(value) * value;
        ++count;
      }
    }
    const double mean = sum / count;
    say.fact(split == Split::train ? "numbers" : "",
             fmt::format("{}: finite, from {:.4g} to {:.4g}, mean {:.4g}, std {:.4g}", datasets::name_of(split), least,
                         most, mean, std::sqrt(std::max(0.0, squares / count - mean * mean))));
  }
}

void say_duplicates(const DataToCheck& check, const std::array<SplitScan, 2>& scan, const SayCheck& say) {
  const auto groups = find_equal_rows(rows_of(scan), [&](const DataRow& row) { return content_of(check.data, row); });
  const auto found = sort_out(groups, [&](const DataRow& row) { return check.data.label(row.split, row.number); });
  if (found.none()) return say.fact("duplicates", "none: no two rows are equal");
  std::string label = "duplicates";
  const auto say_list = [&](const std::string& what, const std::vector<Duplicate>& list) {
    say.fact(label, list.empty() ? fmt::format("{}: none", what)
                                 : fmt::format("{}: {}: {}", what, grouped(list.size()), pairs_of(check.data, list)));
    label = "";
  };
  say_list("test rows equal to a training row", found.test_of_train);
  say_list("training rows equal to an earlier one", found.within[0]);
  say_list("test rows equal to an earlier one", found.within[1]);
  if (!found.of_other_class.empty()) say_list("equal rows of two classes", found.of_other_class);
  if (!found.test_of_train.empty()) {
    const bool one = found.test_of_train.size() == 1;
    say.note(fmt::format("{} of {} test rows {} too: what is tested on {} has been trained on",
                         grouped(found.test_of_train.size()), grouped(scan[1].checksums.size()),
                         one ? "is a training row" : "are training rows", one ? "it" : "them"));
  }
  if (const auto within = found.within[0].size() + found.within[1].size(); within > 0) {
    say.note(fmt::format("{} an earlier one of the same split and {} twice",
                         within == 1 ? "1 row equals" : fmt::format("{} rows equal", grouped(within)),
                         within == 1 ? "counts" : "count"));
  }
}

}  // namespace workers
