// A window that moves over the rows: threads begin rows at its front, the taker leaves at its back.
#include "workers/read_ahead.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <system_error>

namespace workers {

ReadAheadThreads::ReadAheadThreads(std::int64_t count, std::function<std::size_t(std::int64_t)> read,
                                   ReadAheadLimits limits)
    : read_(std::move(read)), most_bytes_(limits.most_bytes), rows_(static_cast<std::size_t>(count)) {
  const auto wanted = std::min<std::int64_t>(std::max(1, limits.threads), count);
  threads_.reserve(static_cast<std::size_t>(wanted));
  try {
    for (std::int64_t i = 0; i < wanted; ++i) threads_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    if (threads_.empty()) throw;  // a limit on threads: those there are do all the work
  }
}

ReadAheadThreads::~ReadAheadThreads() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  room_.notify_all();
  for (auto& thread : threads_) thread.join();
}

/// The row that the taker waits for is always begun, however much the others hold; so nobody waits for ever.
bool ReadAheadThreads::may_begin() const {
  return begun_ < rows_.size() && (held_bytes_ < most_bytes_ || begun_ == taken_);
}

void ReadAheadThreads::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    room_.wait(lock, [this] { return stopping_ || begun_ == rows_.size() || may_begin(); });
    if (stopping_ || begun_ == rows_.size()) return;
    const std::size_t i = begun_++;
    lock.unlock();
    Row row{true, 0, nullptr};
    try {
      row.bytes = read_(static_cast<std::int64_t>(i));
    } catch (...) {
      row.error = std::current_exception();
    }
    lock.lock();
    held_bytes_ += row.bytes;
    rows_[i] = std::move(row);
    if (i == taken_) next_is_read_.notify_one();
  }
}

std::int64_t ReadAheadThreads::next() {
  std::unique_lock lock(mutex_);
  if (taken_ == rows_.size()) throw std::logic_error("ReadAhead: every row has been taken");
  if (!rows_[taken_].is_read) {
    const auto start = std::chrono::steady_clock::now();
    next_is_read_.wait(lock, [this] { return rows_[taken_].is_read; });
    waited_seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  const std::size_t i = taken_++;
  held_bytes_ -= rows_[i].bytes;
  const std::exception_ptr error = std::exchange(rows_[i].error, nullptr);
  lock.unlock();
  room_.notify_all();
  if (error) std::rethrow_exception(error);
  return static_cast<std::int64_t>(i);
}

}  // namespace workers
