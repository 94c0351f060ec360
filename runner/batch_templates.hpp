// The templates of slurm/, compiled in. See runner/CMakeLists.txt.
#pragma once

#include <string_view>

namespace runner {

std::string_view work_sbatch();    ///< slurm/work.sbatch.in
std::string_view batch_needs();    ///< slurm/needs.in, a part of the scripts
std::string_view report_sbatch();  ///< slurm/report.sbatch.in
std::string_view submit_script();  ///< slurm/submit.in

}  // namespace runner
