# embed_file(TARGET FILE NAMESPACE NAME) compiles the bytes of FILE into TARGET as `std::string_view NAMESPACE::NAME()`, again whenever
# the file changes. Run as a script (-P) it is the step that writes the source.
if(CMAKE_SCRIPT_MODE_FILE)
  file(READ "${FROM}" bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
  file(WRITE "${TO}.new" "#include <string_view>
namespace ${NAMESPACE} {
namespace {
constexpr unsigned char kBytes[] = {
${bytes}
};
}  // namespace
std::string_view ${NAME}() {
  return {reinterpret_cast<const char*>(kBytes), sizeof kBytes};
}
}  // namespace ${NAMESPACE}
")
  file(RENAME "${TO}.new" "${TO}")
  return()
endif()

function(embed_file target file namespace name)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  add_custom_command(OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -DFROM=${CMAKE_CURRENT_SOURCE_DIR}/${file} -DTO=${source} -DNAMESPACE=${namespace} -DNAME=${name}
      -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${file} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake VERBATIM)
  target_sources(${target} PRIVATE ${source})
endfunction()
