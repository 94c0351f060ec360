# plume_library(NAME) and plume_test(NAME): what every target of the project has in common.
add_library(plume_warnings INTERFACE)
# -Wno-restrict: GCC 12 warns falsely of "literal" + std::string (its bug 105651).
target_compile_options(plume_warnings INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  $<$<BOOL:${PLUME_WERROR}>:-Werror>)

if(PLUME_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()

# plume_library(NAME SOURCES... ) makes a static library whose headers are included from the project's root.
function(plume_library name)
  add_library(${name} STATIC ${ARGN})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE plume_warnings)
endfunction()

# plume_uses_torch(TARGET) links LibTorch and its precompiled header. The wheel's fmt headers shadow Debian's, so such a
# target uses fmt header-only; no fmt type crosses a target's boundary.
function(plume_uses_torch target)
  target_link_libraries(${target} PUBLIC plume_torch)
  if(TARGET plume_torch_pch AND NOT "${target}" STREQUAL "plume_torch_pch")
    target_precompile_headers(${target} REUSE_FROM plume_torch_pch)
  endif()
endfunction()

# plume_test(NAME LABEL l LIBS t... SOURCES s... [TORCH] [ENVIRONMENT V=x]) makes one GoogleTest program; each case is a test of its own in
# ctest, with the label, or with the label `golden` where "Golden" is in its name. (One label a test: gtest_discover_tests flattens lists.)
function(plume_test name)
  cmake_parse_arguments(ARG "TORCH" "LABEL;TIMEOUT;ENVIRONMENT" "LIBS;SOURCES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE plume_warnings ${ARG_LIBS} GTest::gtest GTest::gmock GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE PLUME_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  if(ARG_TORCH)
    plume_uses_torch(${name})
  endif()
  if(NOT ARG_LABEL OR ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "plume_test(${name}): LABEL is missing, or these are not its arguments: ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  if(NOT ARG_ENVIRONMENT)
    set(ARG_ENVIRONMENT LC_ALL=C.UTF-8)
  endif()
  foreach(kind plain golden)
    set(label ${ARG_LABEL})
    set(filter "-*Golden*")
    if(kind STREQUAL golden)
      set(label golden)
      set(filter "*Golden*")
    endif()
    gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 120 TEST_FILTER "${filter}" TEST_LIST ${name}_${kind}
      PROPERTIES LABELS ${label} TIMEOUT ${ARG_TIMEOUT} ENVIRONMENT ${ARG_ENVIRONMENT})
  endforeach()
endfunction()
