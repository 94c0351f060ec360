# The same targets as cmake/dependencies.cmake, from the folder PLUME_DEPENDENCIES that `benchmarks/gpu pack` fills:
# <library>/include, lib, src. Nothing of the system is looked for. C libraries are static archives of the packing machine; C++ ones
# are headers, or built here from their sources. A folder for each: nobody sees a library's headers without linking it.
function(plume_packed_archive target library file)
  set(archive ${PLUME_DEPENDENCIES}/${library}/lib/${file})
  if(NOT EXISTS ${archive})
    message(FATAL_ERROR "PLUME_DEPENDENCIES: ${archive} is missing; give the folder packed/ of an archive that benchmarks/gpu pack made")
  endif()
  add_library(${target} STATIC IMPORTED)
  set_target_properties(${target} PROPERTIES IMPORTED_LOCATION ${archive})
  plume_packed_headers(${target} ${library})
  target_link_libraries(${target} INTERFACE ${ARGN})
endfunction()

function(plume_packed_headers target library)
  set(folder ${PLUME_DEPENDENCIES}/${library}/include)
  if(EXISTS ${folder})
    target_include_directories(${target} SYSTEM INTERFACE ${folder})
  endif()
endfunction()

function(plume_packed_header_library target library)
  add_library(${target} INTERFACE IMPORTED)
  plume_packed_headers(${target} ${library})
endfunction()

plume_packed_archive(plume_packed_zlib zlib libz.a)
plume_packed_archive(plume_packed_aec aec libaec.a)
plume_packed_archive(plume_packed_sz aec libsz.a plume_packed_aec)
plume_packed_archive(hdf5::hdf5 hdf5 libhdf5_serial.a plume_packed_sz plume_packed_zlib m Threads::Threads ${CMAKE_DL_LIBS})
plume_packed_archive(OpenSSL::Crypto openssl libcrypto.a Threads::Threads ${CMAKE_DL_LIBS})
plume_packed_archive(JPEG::JPEG jpeg libjpeg.a)
plume_packed_archive(PNG::PNG png libpng16.a plume_packed_zlib m)

plume_packed_header_library(fmt::fmt-header-only fmt)
target_compile_definitions(fmt::fmt-header-only INTERFACE FMT_HEADER_ONLY)
add_library(fmt::fmt ALIAS fmt::fmt-header-only)
plume_packed_header_library(spdlog::spdlog spdlog)
target_compile_definitions(spdlog::spdlog INTERFACE SPDLOG_FMT_EXTERNAL)
target_link_libraries(spdlog::spdlog INTERFACE fmt::fmt)
plume_packed_header_library(CLI11::CLI11 cli11)
plume_packed_header_library(nlohmann_json::nlohmann_json nlohmann_json)
set(RANDOM123_INCLUDE_DIR ${PLUME_DEPENDENCIES}/random123/include)
set(BOOST_INCLUDE_DIR ${PLUME_DEPENDENCIES}/boost/include)

# plume_packed_test_library(NAME LIBRARY SOURCE [LINKED...]) builds GTest::NAME.
function(plume_packed_test_library name library source)
  add_library(${name} STATIC EXCLUDE_FROM_ALL ${PLUME_DEPENDENCIES}/${library}/src/${source})
  target_include_directories(${name} PRIVATE ${PLUME_DEPENDENCIES}/${library})  # its sources include "src/..."
  target_include_directories(${name} SYSTEM PUBLIC ${PLUME_DEPENDENCIES}/${library}/include)
  target_compile_options(${name} PRIVATE -O1)  # as tests: compiled for longer than it runs
  target_link_libraries(${name} PUBLIC Threads::Threads ${ARGN})
  add_library(GTest::${name} ALIAS ${name})
endfunction()
plume_packed_test_library(gtest gtest gtest-all.cc)
plume_packed_test_library(gmock gmock gmock-all.cc gtest)
plume_packed_test_library(gtest_main gtest gtest_main.cc gtest)
