// CUDA_VISIBLE_DEVICES against the driver's list. Pure, but for visible_gpus() and cuda_settings().
#include "workers/gpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <set>
#include <system_error>

#include "storage/error.hpp"
#include "workers/nvml.hpp"
#include "workers/one_line.hpp"

namespace workers {
namespace {

constexpr const char* kVariable = "CUDA_VISIBLE_DEVICES";

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::vector<std::string> entries_of(const std::string& list) {
  std::vector<std::string> entries;
  for (std::size_t begin = 0;;) {
    const auto comma = list.find(',', begin);
    entries.push_back(trimmed(list.substr(begin, comma - begin)));
    if (comma == std::string::npos) return entries;
    begin = comma + 1;
  }
}

std::optional<int> whole_number(const std::string& text) {
  int number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Entries by which one says on purpose that nothing follows.
bool is_end(const std::string& entry) {
  return entry.empty() || entry == "NoDevFiles" || whole_number(entry).value_or(0) < 0;
}

enum class Kind { index, gpu, mig };
Kind kind_of(const std::string& entry) {
  if (entry.starts_with("GPU-")) return Kind::gpu;
  return entry.starts_with("MIG-") ? Kind::mig : Kind::index;
}

/// The devices that an entry stands for; empty: it names none, and `why`.
struct Named {
  std::vector<Gpu> devices;
  std::string why;
};

Named all_of(const InstalledGpu& installed) {
  if (!installed.mig_mode) return {{installed.gpu}, ""};
  Named named;
  for (const auto& instance : installed.instances) named.devices.push_back(instance.gpu);
  if (named.devices.empty()) named.why = fmt::format("{} is in MIG mode without an instance", text_of(installed.gpu));
  return named;
}

Named by_index(const std::vector<InstalledGpu>& installed, const std::string& entry) {
  const auto index = whole_number(entry);
  if (!index) return {{}, "that is neither an index nor a UUID"};
  if (*index < 0) return {{}, "it ends the list"};
  const auto at = static_cast<std::size_t>(*index);
  if (at < installed.size()) return all_of(installed[at]);
  return {{}, fmt::format("this process may open {} GPU(s), counted from 0", installed.size())};
}

Named one_of(const std::vector<Named>& matches) {
  if (matches.size() == 1) return matches.front();
  return {{}, matches.empty() ? "no such device is here" : "several devices begin so"};
}

Named by_gpu_uuid(const std::vector<InstalledGpu>& installed, const std::string& entry) {
  std::vector<Named> matches;
  for (const auto& each : installed) {
    if (each.gpu.uuid.starts_with(entry)) matches.push_back(all_of(each));
  }
  return one_of(matches);
}

/// "MIG-<uuid>", or as drivers before 470 wrote it: "MIG-GPU-<uuid of the GPU>/<GPU instance>/<compute instance>".
Named by_mig_uuid(const std::vector<InstalledGpu>& installed, const std::string& entry) {
  std::vector<Named> matches;
  for (const auto& each : installed) {
    for (const auto& instance : each.instances) {
      const auto old_form =
          fmt::format("MIG-{}/{}/{}", each.gpu.uuid, instance.gpu_instance, instance.compute_instance);
      const bool same = instance.gpu.uuid == entry || old_form == entry;
      const bool begins = entry.find('/') == std::string::npos && instance.gpu.uuid.starts_with(entry);
      if (same || begins) matches.push_back({{instance.gpu}, ""});
    }
  }
  return one_of(matches);
}

Named find(const std::vector<InstalledGpu>& installed, const std::string& entry, Kind kind) {
  if (kind_of(entry) != kind) return {{}, "it is of another form than the first entry"};
  if (kind == Kind::gpu) return by_gpu_uuid(installed, entry);
  return kind == Kind::mig ? by_mig_uuid(installed, entry) : by_index(installed, entry);
}

/// Whether an index means the same GPU to CUDA and to the driver; else why not, and what mends it.
std::string why_unclear(const std::vector<InstalledGpu>& installed, bool counts_by_bus) {
  const auto differs = [&](auto member) {
    return std::any_of(installed.begin(), installed.end(),
                       [&](const auto& each) { return member(each) != member(installed.front()); });
  };
  if (differs([](const InstalledGpu& each) { return each.mig_mode; })) {
    return "only some of the GPUs here are in MIG mode; name the devices by UUID (nvidia-smi -L lists them)";
  }
  if (counts_by_bus || !differs([](const InstalledGpu& each) { return each.gpu.name; })) return "";
  std::set<std::string> names;
  for (const auto& each : installed) names.insert(each.gpu.name);
  return fmt::format(
      "the GPUs here differ ({}), and CUDA counts them from the fastest on; set CUDA_DEVICE_ORDER=PCI_BUS_ID, or name "
      "them by UUID (nvidia-smi -L lists them)",
      fmt::join(names, ", "));
}

std::string passed_over(const std::vector<std::string>& entries, std::size_t from, const std::string& why) {
  return fmt::format("{}={}: {} names no GPU ({}), and CUDA ends the list there; not used: {}", kVariable,
                     fmt::join(entries, ","), entries[from].empty() ? "an empty entry" : entries[from], why,
                     fmt::join(entries.begin() + static_cast<std::ptrdiff_t>(from), entries.end(), ", "));
}

/// Adds to `visible` what `entry` names. False where a device is named twice.
bool add(VisibleGpus& visible, const Named& named) {
  for (const auto& device : named.devices) {
    if (std::find(visible.gpus.begin(), visible.gpus.end(), device) != visible.gpus.end()) return false;
    visible.gpus.push_back(device);
  }
  return true;
}

VisibleGpus listed(const std::vector<InstalledGpu>& installed, const std::vector<std::string>& entries) {
  VisibleGpus visible;
  const Kind kind = kind_of(entries.front());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (is_end(entries[i]) && i + 1 == entries.size()) return visible;
    const Named named = find(installed, entries[i], kind);
    if (named.devices.empty()) {
      visible.notes.push_back(one_line(passed_over(entries, i, named.why)));
      return visible;
    }
    if (!add(visible, named)) {
      return {{},
              {one_line(fmt::format("{}={}: {} is there twice, and CUDA shows no GPU at all then", kVariable,
                                    fmt::join(entries, ","), entries[i]))},
              ""};
    }
  }
  return visible;
}

std::size_t count_of_devices(const std::vector<InstalledGpu>& installed) {
  std::size_t count = 0;
  for (const auto& each : installed) count += all_of(each).devices.size();
  return count;
}

}  // namespace

CudaSettings cuda_settings() {
  CudaSettings settings;
  if (const char* list = std::getenv(kVariable)) settings.visible_devices = list;
  const char* order = std::getenv("CUDA_DEVICE_ORDER");
  settings.counts_by_bus = order != nullptr && std::string(order) == "PCI_BUS_ID";
  return settings;
}

bool hides_all(const CudaSettings& settings) {
  return settings.visible_devices && is_end(trimmed(*settings.visible_devices));
}

VisibleGpus visible_among(const std::vector<InstalledGpu>& installed, const CudaSettings& settings) {
  VisibleGpus visible;
  if (!settings.visible_devices) {
    for (const auto& each : installed) {
      const Named named = all_of(each);
      add(visible, named);
      if (!named.why.empty()) visible.notes.push_back(named.why);
    }
    return visible;
  }
  if (hides_all(settings)) return visible;
  const auto entries = entries_of(*settings.visible_devices);
  visible = listed(installed, entries);
  const bool all = visible.gpus.size() == count_of_devices(installed);
  if (kind_of(entries.front()) != Kind::index || visible.gpus.empty() || all) return visible;
  const auto why = why_unclear(installed, settings.counts_by_bus);
  if (why.empty()) return visible;
  return {{}, {}, one_line(fmt::format("{}={}: which GPU is meant? {}", kVariable, *settings.visible_devices, why))};
}

VisibleGpus visible_gpus() {
  const auto settings = cuda_settings();
  if (hides_all(settings)) return {};
  const auto installed = installed_gpus();
  auto visible = visible_among(installed.gpus, settings);
  // Where there is no driver, a list of a scheduler or a shell is about nothing.
  if (!installed.driver) visible.notes.clear();
  visible.notes.insert(visible.notes.begin(), installed.notes.begin(), installed.notes.end());
  return visible;
}

}  // namespace workers
