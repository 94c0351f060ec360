// A library of the machine that may be absent, opened while the program runs: drivers come with the machine, not with
// the program.
#pragma once

#include <string>

namespace workers {

class SharedLibrary {
 public:
  /// `name` as the dynamic linker finds it, e.g. "libcuda.so.1".
  explicit SharedLibrary(const std::string& name);
  ~SharedLibrary();
  SharedLibrary(const SharedLibrary&) = delete;
  SharedLibrary& operator=(const SharedLibrary&) = delete;

  bool is_open() const { return handle_ != nullptr; }
  /// The library stays in the process: its own threads or handlers may be running.
  void keep() { kept_ = true; }
  /// A function of the library; null where it has none of that name.
  template <typename Function>
  Function* function(const char* name) const {
    return reinterpret_cast<Function*>(address(name));
  }

 private:
  void* address(const char* name) const;
  void* handle_ = nullptr;
  bool kept_ = false;
};

}  // namespace workers
