# plume_library(NAME) and plume_test(NAME): what every target of the project has in common.
add_library(plume_warnings INTERFACE)
# -Wno-restrict: GCC 12 warns falsely of "literal" + std::string (its bug 105651).
target_compile_options(plume_warnings INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  $<$<BOOL:${PLUME_WERROR}>:-Werror>)

if(PLUME_SANITIZE OR PLUME_FUZZ)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()
if(PLUME_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL Clang)
    message(FATAL_ERROR "PLUME_FUZZ needs clang, not ${CMAKE_CXX_COMPILER}: cmake --preset fuzz (Debian: clang-14, libclang-rt-14-dev)")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
endif()

# A test runs for seconds and is compiled for as long: quick compilation counts for more than quick code. What is tested
# keeps its own flags. At -O1 GCC 12 warns falsely of std::string.
add_library(plume_test_flags INTERFACE)
target_compile_options(plume_test_flags INTERFACE $<$<CONFIG:Release>:-O1>
  $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread -Wno-maybe-uninitialized>)
target_link_libraries(plume_test_flags INTERFACE GTest::gtest GTest::gmock)

# plume_library(NAME SOURCES... ) makes a static library whose headers are included from the project's root.
function(plume_library name)
  add_library(${name} STATIC ${ARGN})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE plume_warnings)
endfunction()

# plume_without_torch(TARGET) links fmt and the precompiled header of the libraries that do not see LibTorch. They plan, read, write and print,
# and compute nothing: quick compilation counts for more than -O3. Of code after a precompiled header GCC 12 warns falsely of std::string.
add_library(plume_plain_flags INTERFACE)
target_compile_options(plume_plain_flags INTERFACE $<$<CONFIG:Release>:-O2>
  $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread>)
function(plume_without_torch target)
  target_link_libraries(${target} PRIVATE plume_plain_flags fmt::fmt)
  target_precompile_headers(${target} REUSE_FROM plume_pch)
endfunction()

# plume_uses_torch(TARGET [PCH]) links LibTorch and the precompiled header of the target PCH (plume_torch_pch). The wheel's fmt headers
# shadow Debian's, so such a target uses fmt header-only; no fmt type crosses a target's boundary.
function(plume_uses_torch target)
  set(from plume_torch_pch ${ARGN})
  list(GET from -1 from)
  target_link_libraries(${target} PUBLIC plume_torch)
  if(TARGET ${from} AND NOT "${target}" STREQUAL "${from}")
    target_precompile_headers(${target} REUSE_FROM ${from})
  endif()
endfunction()

# plume_test(NAME LABEL l LIBS t... SOURCES s... [TORCH] [ENVIRONMENT V=x]) makes one GoogleTest program; each case is a test of its own in
# ctest, with the label, or with the label `golden` where "Golden" is in its name. (One label a test: gtest_discover_tests flattens lists.)
function(plume_test name)
  cmake_parse_arguments(ARG "TORCH" "LABEL;TIMEOUT;ENVIRONMENT" "LIBS;SOURCES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE plume_warnings plume_test_flags ${ARG_LIBS} GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE PLUME_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  if(ARG_TORCH)
    plume_uses_torch(${name} plume_torch_tests_pch)
  else()
    target_precompile_headers(${name} REUSE_FROM plume_tests_pch)
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
      PROPERTIES LABELS ${label} TIMEOUT ${ARG_TIMEOUT} ENVIRONMENT ${ARG_ENVIRONMENT} PROCESSORS 2)
  endforeach()
endfunction()
