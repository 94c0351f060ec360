// A thread for each look, and an eventfd that says that it has ended.
#include "runner/look_aside.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "storage/error.hpp"

namespace runner {

LookAside::LookAside(std::function<void()> look)
    : look_(std::move(look)), ended_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (ended_.get() < 0) throw storage::Error(std::string("cannot watch: ") + std::strerror(errno));
}

LookAside::~LookAside() {
  if (thread_.joinable()) thread_.join();
}

void LookAside::begin() {
  thread_ = std::thread([this] {
    try {
      look_();
    } catch (...) {
      thrown_ = std::current_exception();
    }
    const std::uint64_t one = 1;
    // It cannot fail: the counter is far from its end.
    if (::write(ended_.get(), &one, sizeof one) != sizeof one) std::terminate();
  });
}

void LookAside::take() {
  thread_.join();
  std::uint64_t count = 0;
  if (::read(ended_.get(), &count, sizeof count) != sizeof count) std::terminate();
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

}  // namespace runner
