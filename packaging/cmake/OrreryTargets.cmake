# SPDX-License-Identifier: GPL-3.0-or-later
# What every target of the project shares: language level, warnings, include root. Programs that the sanitizers are not to judge take
# these alone.
add_library(orrery_language_options INTERFACE)
target_compile_features(orrery_language_options INTERFACE cxx_std_20)
target_include_directories(orrery_language_options INTERFACE "${CMAKE_SOURCE_DIR}")
target_compile_options(orrery_language_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor)
# At -O2 and under sanitizers, g++ 12 warns of overlaps and uninitialised values inside std::string, std::optional and std::function
# that are not there (GCC bugs 105651, 105562). Other builds keep both warnings.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(orrery_language_options INTERFACE $<$<CONFIG:Release>:-Wno-restrict> $<$<CONFIG:Release>:-Wno-maybe-uninitialized>)
  if(ORRERY_SANITIZE)
    target_compile_options(orrery_language_options INTERFACE -Wno-maybe-uninitialized)
  endif()
endif()
if(ORRERY_WERROR)
  target_compile_options(orrery_language_options INTERFACE -Werror)
endif()
# Results must be the same bytes on every build: no contraction of a*b+c that one compiler does and another does not.
target_compile_options(orrery_language_options INTERFACE -ffp-contract=off)

# The same with the sanitizers and the counts of a preset: what all of our own code is built with.
add_library(orrery_build_options INTERFACE)
target_link_libraries(orrery_build_options INTERFACE orrery_language_options)
if(ORRERY_SANITIZE)
  string(REPLACE "," ";" sanitizers "${ORRERY_SANITIZE}")
  target_compile_options(orrery_build_options INTERFACE -fsanitize=${ORRERY_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(orrery_build_options INTERFACE -fsanitize=${ORRERY_SANITIZE})
  # Beside AddressSanitizer these three find little (it ends at a null pointer and at bytes outside an object by itself) and double the
  # time and size of a build: each asks its question at every access to a member.
  if("address" IN_LIST sanitizers AND "undefined" IN_LIST sanitizers)
    target_compile_options(orrery_build_options INTERFACE -fno-sanitize=null,object-size,alignment)
  endif()
endif()
if(ORRERY_COVERAGE)
  target_compile_options(orrery_build_options INTERFACE --coverage)
  target_link_options(orrery_build_options INTERFACE --coverage)
endif()

find_program(ORRERY_CCACHE ccache)
if(ORRERY_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # The sloppiness lets ccache serve objects built with a precompiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      ${ORRERY_CCACHE})
endif()

# Several sources of a target are compiled as one unit, which shares the cost of its headers: a build costs a third. Names in
# anonymous namespaces are therefore unique within a target.
option(ORRERY_UNITY "Compile a target's sources in groups" ON)
set(CMAKE_UNITY_BUILD ${ORRERY_UNITY})
# The more in a group, the sooner all is built, and the later one edited source.
set(CMAKE_UNITY_BUILD_BATCH_SIZE 12)

# Behind a precompiled header g++ 12 forgets which headers are the system's, and at -O2 reports overlaps inside std::string that are not
# there. What users run is then compiled without, so that none of its warnings is switched off.
set(ORRERY_PRECOMPILED_CORE ON)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13 AND CMAKE_BUILD_TYPE STREQUAL "Release")
  set(ORRERY_PRECOMPILED_CORE OFF)
endif()

# orrery_build_for_modules(): what the calling folder and those below it build can be linked into a module, such as Python's. Nothing of it is
# seen from outside, so that calls inside stay as direct as in a program.
macro(orrery_build_for_modules)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
  set(CMAKE_CXX_VISIBILITY_PRESET hidden)
  set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
endmacro()

# orrery_share_core_headers(TARGET): compiles the target with the core's precompiled header, the standard library's headers.
function(orrery_share_core_headers target)
  if(NOT ORRERY_PRECOMPILED_CORE)
    return()
  endif()
  if(target STREQUAL orrery_core_base)
    target_precompile_headers(${target} PRIVATE "${CMAKE_SOURCE_DIR}/core/base/standard_headers.hpp")
  else()
    target_precompile_headers(${target} REUSE_FROM orrery_core_base)
  endif()
endfunction()

# orrery_add_mocs(TARGET): runs Qt's moc over those of the target's headers that need it. What it writes is a source as any other, compiled in
# the groups of the room; AUTOMOC's would be one more unit a room, and reading Qt's headers is most of what a unit costs.
function(orrery_add_mocs target)
  get_target_property(sources ${target} SOURCES)
  list(TRANSFORM sources REPLACE "\\.cpp$" ".hpp")
  list(REMOVE_DUPLICATES sources)
  set(headers "")
  foreach(header IN LISTS sources)
    set(path "${CMAKE_CURRENT_SOURCE_DIR}/${header}")
    if(EXISTS "${path}")
      file(STRINGS "${path}" marks REGEX "Q_OBJECT|Q_GADGET|Q_NAMESPACE" LIMIT_COUNT 1)
      if(marks)
        list(APPEND headers "${header}")
      endif()
      # A header that becomes one of them is noticed.
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${path}")
    endif()
  endforeach()
  if(headers)
    qt6_wrap_cpp(mocs ${headers} TARGET ${target})
    target_sources(${target} PRIVATE ${mocs})
    set_target_properties(${target} PROPERTIES UNITY_BUILD_BATCH_SIZE 24) # so that a room and its mocs are one unit, the largest two
  endif()
endfunction()
