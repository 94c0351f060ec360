// The errors that may reach a person. Their text is one line: it names the file, key or flag, what was expected and
// what to write instead. Only main() turns them into an exit status.
#pragma once

#include <stdexcept>
#include <string>

namespace storage {

/// The run itself broke: a damaged file, a full disk, a lock that another run holds. Exit status 1.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// No room is left on a disk, or a quota is used up (ENOSPC, EDQUOT): trying again cannot help, room can.
class DiskFull : public Error {
 public:
  using Error::Error;
};

/// Something that the user typed or wrote is wrong: a flag, a key of a sweep, a path. Exit status 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

}  // namespace storage
