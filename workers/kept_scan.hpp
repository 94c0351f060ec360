// Scans in the cache: whole ones, which the next run takes, and slices of those under way, so that a killed run goes
// on. A damaged or foreign file costs only time.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "workers/split_scan.hpp"

namespace workers {

/// CACHE/scan/<key>.json: a scan is reused while every file's path, size and time agree, which the key stands for.
std::optional<std::array<SplitScan, 2>> load_scan(const std::filesystem::path& cache, const std::string& scan_key);
void save_scan(const std::filesystem::path& cache, const std::string& scan_key, const std::array<SplitScan, 2>& scans);

/// Rows [first, first + count) of a split of the scan of that key.
struct ScanSlice {
  std::string scan_key;
  datasets::Split split = datasets::Split::train;
  std::int64_t first = 0;
  std::int64_t count = 0;
};

/// CACHE/scan/<key>.parts/<split>-<first>.json. Nothing where there is no such file, or it is not whole or of other
/// rows.
std::optional<Scanned> load_slice(const std::filesystem::path& cache, const ScanSlice& slice);
/// Best effort: another run that has finished the same scan may be removing the folder, and a slice that is not kept
/// costs only time. Throws storage::DiskFull: the whole scan could not be saved either.
void keep_slice(const std::filesystem::path& cache, const ScanSlice& slice, const Scanned& scanned);
/// When the whole scan is saved.
void remove_slices(const std::filesystem::path& cache, const std::string& scan_key);

}  // namespace workers
