# SPDX-License-Identifier: GPL-3.0-or-later
# orrery_embed_files(TARGET files...): a static library that holds the files, found by their path below the current folder.
# `resources/resources.hpp` is its interface. The list is explicit, so that a build never depends on what else lies around.
function(orrery_embed_files target)
  set(sources)
  set(declarations)
  set(entries)
  set(files ${ARGN})
  list(SORT files)
  foreach(file IN LISTS files)
    string(MAKE_C_IDENTIFIER "${file}" symbol)
    set(source "${CMAKE_CURRENT_BINARY_DIR}/embedded/${symbol}.cpp")
    add_custom_command(
      OUTPUT "${source}"
      COMMAND "${CMAKE_COMMAND}" "-DINPUT=${CMAKE_CURRENT_SOURCE_DIR}/${file}" "-DOUTPUT=${source}" -DSYMBOL=${symbol}
              -P "${CMAKE_SOURCE_DIR}/resources/cmake/EmbedFile.cmake"
      DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${file}" "${CMAKE_SOURCE_DIR}/resources/cmake/EmbedFile.cmake"
      VERBATIM)
    list(APPEND sources "${source}")
    string(APPEND declarations "extern const char ${symbol}[];\nextern const std::size_t ${symbol}_size;\n")
    string(APPEND entries "    {\"${file}\", std::string_view(embedded::${symbol}, embedded::${symbol}_size)},\n")
  endforeach()
  set(ORRERY_EMBEDDED_DECLARATIONS "${declarations}")
  set(ORRERY_EMBEDDED_ENTRIES "${entries}")
  configure_file("${CMAKE_CURRENT_SOURCE_DIR}/resources.cpp.in" "${CMAKE_CURRENT_BINARY_DIR}/resources.cpp" @ONLY)
  add_library(${target} STATIC ${sources} "${CMAKE_CURRENT_BINARY_DIR}/resources.cpp")
  target_link_libraries(${target} PUBLIC orrery_build_options)
endfunction()
