// Deals jobs out, longest first, to and fro over the shares.
#include "sweeps/share.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>

#include "storage/error.hpp"
#include "storage/json.hpp"

namespace sweeps {
namespace {

/// Rows are not known before the images are: what differs between jobs of a sweep is mostly what they train.
double cost_of(const Job& job) {
  constexpr std::int64_t kRows = 5000, kTestRows = 10'000, kLength = 2048;
  return relative_cost(job, std::min(kRows, job.train_rows.value_or(kRows)), kTestRows, kLength);
}

int whole_number(std::string_view text) {
  int number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && stop == text.data() + text.size() ? number : 0;
}

}  // namespace

Share parse_share(const std::string& text) {
  const auto slash = text.find('/');
  Share share{0, 0};
  if (slash != std::string::npos) {
    share = {whole_number(std::string_view(text).substr(0, slash)),
             whole_number(std::string_view(text).substr(slash + 1))};
  }
  if (share.number < 1 || share.of < share.number || share.of > kMostShares) {
    throw storage::UsageError("--share " + storage::in_quotes(text) +
                              ": expected K/N with K from 1 to N, e.g. 3/8 for the third of eight shares");
  }
  return share;
}

std::vector<std::size_t> share_of(const std::vector<Job>& jobs, const std::vector<std::size_t>& selected, Share share) {
  std::vector<double> costs;
  for (const auto i : selected) costs.push_back(cost_of(jobs.at(i)));
  std::vector<std::size_t> order(selected.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return costs[a] > costs[b]; });
  const auto shares = static_cast<std::size_t>(share.of);
  std::vector<std::size_t> ours;
  for (std::size_t dealt = 0; dealt < order.size(); ++dealt) {
    const auto place = dealt % shares;
    const bool forth = dealt / shares % 2 == 0;
    if ((forth ? place : shares - 1 - place) + 1 == static_cast<std::size_t>(share.number)) {
      ours.push_back(selected[order[dealt]]);
    }
  }
  std::sort(ours.begin(), ours.end());
  return ours;
}

}  // namespace sweeps
