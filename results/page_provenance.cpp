// What the results rest on.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "results/html_parts.hpp"
#include "results/html_text.hpp"
#include "results/page_parts.hpp"

namespace results {
namespace {

constexpr std::size_t kMostRows = 200;

using Rows = std::vector<std::vector<std::string>>;

/// Lowest and highest of the found learning rates of one method and data set.
struct Rates {
  std::size_t n = 0;
  double low = 0, high = 0;
};

struct Origins {
  std::map<std::tuple<std::string, int, int>, std::size_t> computed;   ///< device, threads, engine -> results
  std::map<std::string, std::size_t> gpus;                             ///< UUID -> results
  std::map<std::string, std::size_t> processors;                       ///< kind -> results
  std::map<std::pair<std::string, std::string>, std::size_t> weights;  ///< backbone, identity -> results
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> features;  ///< id, checksum, split
  std::map<std::pair<std::string, std::string>, Rates> rates;                         ///< data set, method
};

void add_rate(Rates& rates, double rate) {
  rates.low = rates.n == 0 ? rate : std::min(rates.low, rate);
  rates.high = rates.n == 0 ? rate : std::max(rates.high, rate);
  ++rates.n;
}

Origins origins_of(const std::vector<PlannedRun>& runs) {
  Origins origins;
  for (const PlannedRun& run : runs) {
    if (run.done == nullptr) continue;
    const Done& done = *run.done;
    const sweeps::Job& job = *run.job;
    ++origins.computed[{done.result.device, done.result.threads, done.engine_version}];
    if (!done.timing.gpu.empty()) ++origins.gpus[done.timing.gpu];
    if (!done.timing.processor.empty()) ++origins.processors[done.timing.processor];
    if (!done.result.weights.empty()) ++origins.weights[{job.backbone, done.result.weights}];
    ++origins.features[{done.result.train.id, done.result.train.checksum, job.dataset + " train"}];
    ++origins.features[{done.result.test.id, done.result.test.checksum, job.dataset + " test"}];
    if (const auto rate = done.result.found_learning_rate)
      add_rate(origins.rates[{job.dataset, std::string(sweeps::name_of(job.method))}], *rate);
  }
  return origins;
}

std::string runs_html(const std::vector<PageRun>& runs) {
  std::string text;
  for (const PageRun& run : runs) {
    std::string workers;
    for (const std::string& worker : run.workers) workers += element("li", html_text(worker)) + "\n";
    text += description_list({{"Directory", html_text(run.directory)},
                              {"Program", "plume-bench " + html_text(run.version)},
                              {"Last run", html_text(run.started + " (UTC) on " + run.host)},
                              {"Command", element("code", html_text(run.command))},
                              {"Workers", workers.empty() ? "" : element("ul", "\n" + workers)}});
  }
  return text;
}

std::string computed_html(const Origins& origins) {
  Rows rows, gpus, processors;
  for (const auto& [by, results] : origins.computed) {
    rows.push_back(
        {std::get<0>(by), std::to_string(std::get<1>(by)), std::to_string(std::get<2>(by)), std::to_string(results)});
  }
  for (const auto& [gpu, results] : origins.gpus) gpus.push_back({gpu, std::to_string(results)});
  for (const auto& [kind, results] : origins.processors) processors.push_back({kind, std::to_string(results)});
  const std::string of_several =
      processors.size() > 1 ? element("p",
                                      "Kinds of processors may round differently: the same job on another kind may "
                                      "end in other digits.") +
                                  "\n"
                            : "";
  return text_table("Results by what computed them", {"device", "threads", "engine version", "results"}, rows,
                    {1, 2, 3}) +
         text_table("Results by GPU", {"GPU", "results"}, gpus, {1}) +
         text_table("Results by processor", {"processor", "results"}, processors, {1}) + of_several;
}

std::string rates_html(const Origins& origins) {
  Rows rows;
  for (const auto& [of, rates] : origins.rates) {
    rows.push_back({of.first, of.second, std::to_string(rates.n), fmt::format("{:.3g}", rates.low),
                    fmt::format("{:.3g}", rates.high)});
  }
  const std::string title = "Learning rates that a range test found";
  const auto text = text_table(title, {"data set", "method", "trainings", "lowest", "highest"}, rows, {2, 3, 4});
  return text.empty() ? "" : element("h3", title) + "\n" + text;
}

std::string inputs_html(const Origins& origins) {
  Rows weights, features;
  for (const auto& [of, results] : origins.weights) weights.push_back({of.first, of.second, std::to_string(results)});
  for (const auto& [of, results] : origins.features) {
    if (features.size() < kMostRows)
      features.push_back({std::get<2>(of), std::get<0>(of), std::get<1>(of), std::to_string(results)});
  }
  std::string text;
  const auto folded = [&](const std::string& title, const std::string& table) {
    if (!table.empty()) text += element("details", element("summary", html_text(title)) + "\n" + table) + "\n";
  };
  folded("Weights of the backbones",
         text_table("Weights of the backbones", {"backbone", "weights", "results"}, weights, {2}));
  const auto title = origins.features.size() > kMostRows
                         ? fmt::format("Feature sets (the first {} of {})", kMostRows, origins.features.size())
                         : std::string("Feature sets");
  folded(title, text_table(title, {"of", "identity", "checksum", "results"}, features, {3}));
  return text;
}

}  // namespace

std::string provenance_html(const std::vector<PlannedRun>& runs, const PageFacts& facts) {
  const Origins origins = origins_of(runs);
  return runs_html(facts.runs) + computed_html(origins) + rates_html(origins) + inputs_html(origins);
}

}  // namespace results
