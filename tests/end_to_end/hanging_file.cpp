// Preloaded into the program: a network file system that has gone, as one file sees it. Opening
// $PLUME_TEST_HANGING_FILE hangs as long as $PLUME_TEST_HANGING_FILE.hangs is there.
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

int open_or_hang(const char* path, int flags, mode_t mode) {
  const char* hanging = std::getenv("PLUME_TEST_HANGING_FILE");
  if (hanging != nullptr && std::strcmp(path, hanging) == 0) {
    const std::string sign = std::string(hanging) + ".hangs";
    while (::access(sign.c_str(), F_OK) == 0) ::pause();
  }
  return static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

}  // namespace

extern "C" int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const auto mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : mode_t{0};
  va_end(arguments);
  return open_or_hang(path, flags, mode);
}
extern "C" int open64(const char* path, int flags, ...) __attribute__((alias("open")));
