// plume-compute: the same command line with LibTorch. Trainers run it; plume-bench becomes it for what computes.
#include "runner/program.hpp"
#include "workers/row_scan.hpp"
#include "workers/scoring.hpp"
#include "workers/trainer_process.hpp"
#include "workers/trainer_settings.hpp"
#include "workers/weights_check.hpp"

int main(int argc, char** argv) {
  const runner::Computing computing{workers::run_trainer_process,
                                    workers::check_weights,
                                    {workers::set_up_computation, workers::scan_rows, workers::view_of_model},
                                    {workers::set_up_computation, workers::score_files}};
  return runner::run_program(argc, argv, &computing);
}
