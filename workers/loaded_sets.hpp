// Which feature sets are in memory: those of the last trainings stay, and those of the next one are read in advance, by
// a thread of their own while this one trains. Knows no task, no message, and not what a set is in memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "storage/feature_file.hpp"

namespace workers {

/// One in memory: whoever reads it knows what that is.
struct LoadedSet;

/// One on disk.
struct SetOnDisk {
  std::string file, id;
  storage::RowKind kind = storage::RowKind::features;
  std::string identity;
};

/// Reads and checks one. Throws storage::Error as read_feature_file().
using ReadSet = std::function<std::shared_ptr<LoadedSet>(const SetOnDisk&)>;
/// Bytes that may be taken now; absent: not known.
using FreeMemory = std::function<std::optional<std::int64_t>()>;

/// What is done in advance.
enum class InAdvance {
  from_disk,    ///< into the kernel's page cache: what waits for a disk, and hardly any of a core's time
  into_memory,  ///< all of it, for cores that have nothing else to do
};

/// Used by one thread. While it reads into memory in advance, nobody else in this process may use HDF5, which may be
/// one thread's at a time: whoever wants to holds a Pause.
class LoadedSets {
 public:
  LoadedSets(ReadSet read, FreeMemory free_memory);
  ~LoadedSets();  ///< waits for the reading thread
  LoadedSets(const LoadedSets&) = delete;
  LoadedSets& operator=(const LoadedSets&) = delete;

  /// From memory, or else read now. Throws what reading it throws.
  std::shared_ptr<LoadedSet> get(const SetOnDisk& wanted);

  /// Begins to read those of `next`, at most two, that are not in memory. What was used longest ago and by nobody now
  /// makes room for those that come into memory. Does nothing while it still reads, or where what they take, for a
  /// moment twice, is more than 9/10 of what is free. What cannot be read is left to get(), which says why.
  void prepare(const std::vector<SetOnDisk>& next, InAdvance how);
  /// Waits for what is read in advance.
  void finish_reading();

  /// While one lives nothing is read into memory in advance, and prepare() does nothing.
  class Pause {
   public:
    /// Begins when the set that is being read into memory is there; `wait` is called some times a second until then,
    /// and may throw. What is read from the disk alone goes on.
    Pause(LoadedSets& sets, const std::function<void()>& wait) : Pause(sets) { sets_.leave_hdf5(wait); }
    ~Pause() { sets_.is_paused_ = false; }
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;

   private:
    explicit Pause(LoadedSets& sets) : sets_(sets) { sets_.is_paused_ = true; }
    LoadedSets& sets_;
  };

  void for_each(const std::function<void(LoadedSet&)>& use) const;

 private:
  struct Entry {
    std::string id;
    std::shared_ptr<LoadedSet> set;
  };
  using Sets = std::list<Entry>;
  Sets::iterator find(const std::string& id);
  void leave_hdf5(const std::function<void()>& wait);
  Sets read_in_advance(const std::vector<SetOnDisk>& wanted, InAdvance how) const;
  bool has_room_for(const std::vector<SetOnDisk>& sets) const;
  void make_room_for(std::size_t count, const std::vector<SetOnDisk>& kept);

  ReadSet read_;
  FreeMemory free_memory_;
  Sets sets_;                            // last used first, then those that were read in advance
  std::vector<std::string> being_read_;  // into memory
  bool is_paused_ = false;
  std::atomic<bool> enough_ = false;  // the reading thread is to end where it is
  std::future<Sets> reading_;         // last: ends before what it uses
};

}  // namespace workers
