// The counted calls. They take the place of the C library's, because a program's own symbols come first.
#include "benchmarks/system_calls.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>

namespace benchmarks {
namespace {

thread_local CallTotals syncs, writes;

template <typename Call>
long counted(CallTotals& totals, Call call) {
  const auto start = std::chrono::steady_clock::now();
  const long answer = call();
  totals.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  ++totals.calls;
  return answer;
}

}  // namespace

CallTotals syncs_of_this_thread() {
  return syncs;
}
CallTotals writes_of_this_thread() {
  return writes;
}

}  // namespace benchmarks

extern "C" int fsync(int descriptor) {
  return static_cast<int>(benchmarks::counted(benchmarks::syncs, [=] { return ::syscall(SYS_fsync, descriptor); }));
}
extern "C" int fdatasync(int descriptor) {
  return static_cast<int>(benchmarks::counted(benchmarks::syncs, [=] { return ::syscall(SYS_fdatasync, descriptor); }));
}
extern "C" ssize_t write(int descriptor, const void* bytes, size_t count) {
  return benchmarks::counted(benchmarks::writes, [=] { return ::syscall(SYS_write, descriptor, bytes, count); });
}
