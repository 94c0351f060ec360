// Which data set, where it lies, its scan and its contact sheet; what it is is the check's to say.
#include "runner/check_data_command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iostream>

#include "results/text_layout.hpp"
#include "runner/placement.hpp"
#include "runner/progress.hpp"
#include "runner/sheet_of_data.hpp"
#include "storage/atomic_file.hpp"
#include "storage/error.hpp"
#include "storage/json.hpp"
#include "storage/nearest.hpp"
#include "storage/printable.hpp"
#include "workers/data_check.hpp"

namespace runner {
namespace {

sweeps::DatasetSpec spec_of_kind(const std::string& id, const std::string& kind) {
  storage::JsonWriter entry;
  entry.begin_object().member("kind", kind).end_object();
  return sweeps::read_dataset_spec(id, storage::parse_json(entry.text(), "check data " + id, storage::Blame::user));
}

/// Its entry, or the kind of that name; a data set that no block uses is looked at all the same.
std::optional<sweeps::DatasetSpec> declared_in(const sweeps::Sweep& sweep, const std::string& id,
                                               std::vector<std::string>& ids) {
  for (const auto& spec : sweep.datasets) {
    if (spec.id == id) return spec;
    ids.push_back(spec.id);
  }
  const auto root = storage::parse_json(sweep.text, sweep.origin, storage::Blame::user);
  if (const auto datasets = root.find("datasets")) {
    if (const auto entry = datasets->find(id)) return sweeps::read_dataset_spec(id, *entry);
  }
  return std::nullopt;
}

sweeps::DatasetSpec asked_of_sweep(const DataQuestion& question) {
  if (question.kind) {
    throw storage::UsageError(
        "check data: --sweep and --kind: a sweep says the kinds of its data sets; give one of the two");
  }
  std::vector<std::string> ids;
  if (const auto spec = declared_in(sweeps::read_sweep(*question.sweep), question.id, ids)) return *spec;
  throw storage::UsageError(fmt::format("check data: {} names no data set {}{}", *question.sweep,
                                        storage::in_quotes(question.id), storage::suggestion(question.id, ids)));
}

/// Where it lies, and what said so.
void say_folder(const DataQuestion& question, const sweeps::DatasetSpec& spec, const Site& site,
                const workers::SayFact& say) {
  if (spec.kind == "synthetic") return say("folder", "none: its images are drawn by the program");
  const bool by_flag = question.site.data.contains(spec.id);
  const auto folder = site.data_root(spec.id).string();
  say("folder", storage::printable_line(folder, 1024));
  say("", storage::printable_line(
              "found by " + (by_flag ? std::string("--data") : "site file " + site.file.value_or("").string()), 1024));
}

/// Whose scan is kept need not be read again: no file's path, size or time of change differs.
void scan(FeaturePlan& plan, const DataQuestion& question, const DataComputing& computing,
          const workers::SayFact& say) {
  if (plan.scanned(question.id)) {
    say("scan", "kept by an earlier one; no file has changed its size or time since");
    return plan.check_skipped(question.id, {});
  }
  const int threads = choose_threads(question.threads, 1, usable_cpus(), std::nullopt);
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  const bool terminal = isatty(STDERR_FILENO) != 0;
  ProgressLine line(stderr, terminal, 30);
  ProgressView view;
  view.scanning = true;
  view.features.running = 1;
  const auto progress = [&](std::int64_t done, std::int64_t total) {
    if (!terminal) return;
    view.images_done = done;
    view.images_total = total;
    view.images_seconds = seconds();
    line.show(view, view.images_seconds);
  };
  std::vector<std::string> kept;
  const auto rows = scan_here(plan, question.id, threads, computing.scan_rows,
                              {progress, [&](const std::string& slices) { kept.push_back(slices); }});
  if (terminal) line.finish(view);
  plan.check_skipped(question.id, {});
  const auto& scans = plan.scan_of(question.id);
  const bool whole = scans[0].skipped.empty() && scans[1].skipped.empty();
  say("scan", fmt::format("{} rows read in {} on {} thread{}{}", results::grouped(rows), duration_text(seconds()),
                          threads, threads == 1 ? "" : "s", whole ? ": every one whole" : ""));
  for (const auto& slices : kept) say("", slices);
}

void check_question(const DataQuestion& question) {
  if (question.id.empty()) {
    throw storage::UsageError(
        fmt::format("check data: which? Expected {}, or the id of your own; e.g. plume-bench check data cifar10 --data "
                    "cifar10=/data/cifar-10-batches-bin",
                    storage::listed(sweeps::own_dataset_ids())));
  }
  for (const auto& [id, path] : question.site.data) {
    if (id == question.id) continue;
    throw storage::UsageError(
        fmt::format("--data {0}={1}: only {2} is checked here; write --data {2}={1}", id, path, question.id));
  }
  if (question.no_sheet && question.sheet) {
    throw storage::UsageError("check data: --sheet and --no-sheet: give one of the two");
  }
}

void write_sheet(const DataQuestion& question, const workers::DataToCheck& check,
                 const std::array<workers::SplitScan, 2>& scans, const DataComputing& computing,
                 const workers::SayFact& say) {
  const auto* images = dynamic_cast<const datasets::Images*>(&check.data);
  if (question.no_sheet || images == nullptr) return;
  const auto file = question.sheet.value_or(fmt::format("check-{}.html", question.id));
  const auto sheet = sheet_of(check, *images, scans, computing.view);
  const auto html = workers::to_html(sheet);
  storage::write_atomically(std::filesystem::absolute(file), html);
  std::size_t pictures = 0;
  for (const auto& shown : sheet.classes) pictures += shown.pictures.size();
  say("sheet",
      fmt::format("{}: {} images of {} classes as the model sees them ({:.1f} MB)", storage::printable_line(file, 1024),
                  pictures, sheet.classes.size(), static_cast<double>(html.size()) / 1e6));
}

void say_all(const DataQuestion& question, const sweeps::DatasetSpec& spec, const Site& site,
             const DataComputing& computing, const workers::SayCheck& say) {
  say_folder(question, spec, site, say.fact);
  sweeps::Sweep sweep;  // of one data set and no jobs
  sweep.origin = question.sweep.value_or("check data");
  sweep.datasets = {spec};
  FeaturePlan plan(sweep, site);
  const workers::DataToCheck check{spec, plan.dataset(spec.id), plan.class_names()[spec.id].sets};
  workers::say_contents(check, say);
  scan(plan, question, computing, say.fact);
  const auto& scanned = plan.scan_of(spec.id);
  workers::say_skipped(check, scanned, say);
  if (spec.kind == "features") {
    workers::say_vectors(check, say);
  } else {
    workers::say_images(check, scanned, say);
  }
  workers::say_duplicates(check, scanned, say);
  write_sheet(question, check, scanned, computing, say.fact);
}

}  // namespace

sweeps::DatasetSpec asked_dataset(const DataQuestion& question) {
  if (question.sweep) return asked_of_sweep(question);
  if (question.kind) return spec_of_kind(question.id, *question.kind);
  const auto known = sweeps::own_dataset_ids();
  if (std::find(known.begin(), known.end(), question.id) != known.end()) return spec_of_kind(question.id, question.id);
  const auto near = storage::nearest(question.id, known);
  throw storage::UsageError(
      fmt::format("check data: nothing says what {} is{}; name one that needs no entry ({}), or give --sweep FILE with "
                  "an entry for "
                  "it, or --kind image-folder (or features) for a quick look",
                  storage::in_quotes(question.id),
                  near ? fmt::format(" (did you mean {}?)", storage::in_quotes(*near)) : "", storage::listed(known)));
}

int print_data_check(const DataQuestion& question, const DataComputing& computing) {
  check_question(question);
  const auto spec = asked_dataset(question);
  const auto site = read_site(question.site);
  computing.set_up(1);  // each thread computes alone
  std::vector<std::string> notes;
  const auto print_notes = [&] {
    for (const auto& note : notes) std::cout << "Note: " << storage::printable_line(note, 4096) << std::endl;
  };
  const workers::SayCheck say = {[](const std::string& label, const std::string& text) {
                                   std::cout << fmt::format("  {:<10}  {}", label, text)
                                             << std::endl;  // flushed: the next fact may take a while
                                 },
                                 [&](const std::string& note) { notes.push_back(note); }};
  std::cout << "Data set " << spec.id << std::endl;
  try {
    say_all(question, spec, site, computing, say);
  } catch (const storage::Error&) {
    print_notes();
    throw;
  }
  print_notes();
  std::cout << fmt::format("Good: {} can be run on.", spec.id) << std::endl;
  return 0;
}

}  // namespace runner
