// Reads rows in order on threads of its own, ahead of the one who takes them. Knows neither rows nor LibTorch.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace workers {

struct ReadAheadLimits {
  int threads = 1;
  /// No row is begun while those that wait to be taken hold so much. Rows under way come on top: one a thread.
  std::size_t most_bytes = std::size_t{64} << 20;
};

/// The threads, the order and the window of ReadAhead; what a row is, only `read` knows.
class ReadAheadThreads {
 public:
  /// `read(i)` is called once for each i of [0, count), on any thread, and gives the bytes that row i holds now.
  ReadAheadThreads(std::int64_t count, std::function<std::size_t(std::int64_t)> read, ReadAheadLimits limits);
  /// Rows under way are read to their end and dropped, no other is begun, and every thread is joined.
  ~ReadAheadThreads();
  ReadAheadThreads(const ReadAheadThreads&) = delete;
  ReadAheadThreads& operator=(const ReadAheadThreads&) = delete;

  /// Waits for the next row, 0 at the first call, and gives its number; its bytes count no longer. Throws what reading
  /// it threw. Called by one thread, at most `count` times.
  std::int64_t next();
  double waited_seconds() const { return waited_seconds_; }

 private:
  struct Row {
    bool is_read = false;
    std::size_t bytes = 0;
    std::exception_ptr error;
  };
  void work();
  bool may_begin() const;

  const std::function<std::size_t(std::int64_t)> read_;
  const std::size_t most_bytes_;
  std::mutex mutex_;  // of all below
  std::condition_variable room_, next_is_read_;
  std::vector<Row> rows_;
  std::size_t begun_ = 0, taken_ = 0;  // rows [0, begun_) were begun, [0, taken_) taken
  std::size_t held_bytes_ = 0;         // of the rows that are read and not taken
  bool stopping_ = false;
  double waited_seconds_ = 0;  // only the taker's
  std::vector<std::thread> threads_;
};

/// Rows 0, 1, ... in order, read by several threads. Example: with two threads and `most_bytes` for three images,
/// images 0 to 2 wait while 3 and 4 are being decoded, and 5 is begun when 0 has been taken.
template <typename Row>
class ReadAhead {
 public:
  /// `read` and `bytes_of` are called on the threads, several at a time; they must outlive this object in what they
  /// refer to.
  ReadAhead(std::int64_t count, std::function<Row(std::int64_t)> read, std::function<std::size_t(const Row&)> bytes_of,
            ReadAheadLimits limits)
      : rows_(static_cast<std::size_t>(count)),
        threads_(
            count,
            [this, read = std::move(read), bytes_of = std::move(bytes_of)](std::int64_t i) {
              auto& row = rows_[static_cast<std::size_t>(i)];
              row.emplace(read(i));
              return bytes_of(*row);
            },
            limits) {}

  /// The next row, when it is there. Throws what `read` threw for it; the rows before it have come out by then.
  Row take() {
    auto& kept = rows_[static_cast<std::size_t>(threads_.next())];
    Row row = std::move(*kept);
    kept.reset();
    return row;
  }
  /// Seconds that take() waited.
  double waited_seconds() const { return threads_.waited_seconds(); }

 private:
  std::vector<std::optional<Row>> rows_;  // each written by one thread, then read by the taker: next() lies between
  ReadAheadThreads threads_;              // last: joined before the rows go
};

}  // namespace workers
