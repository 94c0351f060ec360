#include "workers/loaded_sets.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>

#include "storage/page_cache.hpp"
#include "workers/messages.hpp"

namespace workers {
namespace {

constexpr std::size_t kMostSets = 2 * kFeaturesKept;  // a training has one to learn from and one to be tested on

}  // namespace

LoadedSets::LoadedSets(ReadSet read, FreeMemory free_memory)
    : read_(std::move(read)), free_memory_(std::move(free_memory)) {}

LoadedSets::~LoadedSets() {
  enough_ = true;
}

std::shared_ptr<LoadedSet> LoadedSets::get(const SetOnDisk& wanted) {
  auto found = find(wanted.id);
  if (found == sets_.end() && reading_.valid()) {
    enough_ = std::find(being_read_.begin(), being_read_.end(), wanted.id) == being_read_.end();
    finish_reading();
    found = find(wanted.id);
  }
  if (found != sets_.end()) {
    sets_.splice(sets_.begin(), sets_, found);
    return sets_.front().set;
  }
  make_room_for(1, {});
  sets_.push_front({wanted.id, read_(wanted)});
  return sets_.front().set;
}

void LoadedSets::prepare(const std::vector<SetOnDisk>& next, InAdvance how) {
  if (is_paused_) return;
  if (reading_.valid() && reading_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return;
  finish_reading();
  std::vector<SetOnDisk> missing;
  for (const auto& set : next) {
    const auto is_it = [&](const SetOnDisk& one) { return one.id == set.id; };
    if (find(set.id) == sets_.end() && std::none_of(missing.begin(), missing.end(), is_it)) missing.push_back(set);
  }
  if (missing.empty() || !has_room_for(missing)) return;
  if (how == InAdvance::into_memory) make_room_for(missing.size(), next);
  enough_ = false;
  try {
    reading_ = std::async(std::launch::async, [this, missing, how] { return read_in_advance(missing, how); });
  } catch (const std::system_error&) {  // no thread is to be had
    return;
  }
  if (how == InAdvance::from_disk) return;
  for (const auto& set : missing) being_read_.push_back(set.id);
}

/// In the reading thread.
LoadedSets::Sets LoadedSets::read_in_advance(const std::vector<SetOnDisk>& wanted, InAdvance how) const {
  Sets read_ones;
  try {
    for (auto set = wanted.begin(); set != wanted.end() && !enough_; ++set) {
      if (how == InAdvance::from_disk) {
        storage::read_into_page_cache(set->file, enough_);
      } else {
        read_ones.push_back({set->id, read_(*set)});
      }
    }
  } catch (...) {  // get() meets it again, for the training whose it is
  }
  return read_ones;
}

void LoadedSets::finish_reading() {
  if (!reading_.valid()) return;
  Sets read_ones = reading_.get();
  being_read_.clear();
  sets_.splice(sets_.end(), read_ones);
}

void LoadedSets::leave_hdf5(const std::function<void()>& wait) {
  constexpr std::chrono::milliseconds kBetweenSigns{200};
  if (being_read_.empty()) return;
  enough_ = true;
  while (reading_.wait_for(kBetweenSigns) != std::future_status::ready) wait();
  finish_reading();
}

void LoadedSets::for_each(const std::function<void(LoadedSet&)>& use) const {
  for (const auto& entry : sets_) use(*entry.set);
}

LoadedSets::Sets::iterator LoadedSets::find(const std::string& id) {
  return std::find_if(sets_.begin(), sets_.end(), [&](const Entry& entry) { return entry.id == id; });
}

/// A file's size is that of what is in it, and a table and its tensor are there together for a moment.
bool LoadedSets::has_room_for(const std::vector<SetOnDisk>& sets) const {
  const auto free = free_memory_();
  if (!free) return true;
  std::uintmax_t bytes = 0, largest = 0;
  for (const auto& set : sets) {
    std::error_code error;
    const auto size = std::filesystem::file_size(set.file, error);
    if (error) return false;
    bytes += size;
    largest = std::max(largest, size);
  }
  return static_cast<double>(bytes + largest) <= 0.9 * static_cast<double>(*free);
}

void LoadedSets::make_room_for(std::size_t count, const std::vector<SetOnDisk>& kept) {
  const auto may_go = [&](const Entry& entry) {
    const auto is_it = [&](const SetOnDisk& one) { return one.id == entry.id; };
    return entry.set.use_count() == 1 && std::none_of(kept.begin(), kept.end(), is_it);
  };
  for (auto entry = sets_.end(); entry != sets_.begin() && sets_.size() + count > kMostSets;) {
    if (may_go(*--entry)) entry = sets_.erase(entry);
  }
}

}  // namespace workers
