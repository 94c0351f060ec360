// dlopen and dlsym; nobody else calls them.
#include "workers/shared_library.hpp"

#include <dlfcn.h>

namespace workers {

SharedLibrary::SharedLibrary(const std::string& name) : handle_(dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) {}

SharedLibrary::~SharedLibrary() {
  if (handle_ != nullptr && !kept_) dlclose(handle_);
}

void* SharedLibrary::address(const char* name) const {
  return handle_ == nullptr ? nullptr : dlsym(handle_, name);
}

}  // namespace workers
