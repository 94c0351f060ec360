// The program. The one place that turns errors into an exit status.
#include <cstdio>
#include <exception>

#include "runner/commands.hpp"
#include "storage/error.hpp"
#include "workers/trainer_process.hpp"

int main(int argc, char** argv) {
  try {
    return runner::run_command_line(argc, argv, workers::run_trainer_process);
  } catch (const storage::UsageError& error) {
    std::fprintf(stderr, "plume-bench: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "plume-bench: %s\n", error.what());
    return 1;
  }
}
