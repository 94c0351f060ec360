// Files written and read without the code under test, and the message of what an action throws.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "tests/temporary_folder.hpp"

namespace storage_test {

using tests::TemporaryFolder;

inline void write_plainly(const std::filesystem::path& file, const std::string& bytes) {
  tests::write_text(file, bytes);
}
inline std::string read_plainly(const std::filesystem::path& file) {
  return tests::read_text(file);
}

/// The message of the Thrown that `action` throws; a failure of the test if it throws none.
template <typename Thrown, typename Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const Thrown& thrown) {
    return thrown.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

}  // namespace storage_test
