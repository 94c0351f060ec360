// plume-bench: whatever computes is plume-compute's (compute_main.cpp).
#include "runner/program.hpp"

int main(int argc, char** argv) {
  return runner::run_program(argc, argv, nullptr);
}
