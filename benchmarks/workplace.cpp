// mkdtemp and remove_all.
#include "benchmarks/workplace.hpp"

#include <stdlib.h>
#include <sys/vfs.h>

#include <cstdio>

#include "storage/error.hpp"

namespace benchmarks {

Workplace::Workplace(const std::filesystem::path& parent) {
  std::string form = (std::filesystem::absolute(parent) / "benchmark-XXXXXX").string();
  if (mkdtemp(form.data()) == nullptr) throw storage::UsageError(form + ": no folder can be made there");
  path_ = form;
  struct statfs facts {};
  constexpr long kTmpfs = 0x01021994;
  if (statfs(form.c_str(), &facts) == 0 && facts.f_type == kTmpfs) {
    std::printf("Note: this folder lies in memory, where fsync costs nothing; give one on a disk with --folder.\n");
  }
}

Workplace::~Workplace() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace benchmarks
