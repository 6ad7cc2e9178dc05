# SPDX-License-Identifier: GPL-3.0-or-later
# Writes the C++ source that says which program this is:
#   cmake -DVERSION=0.1.0 -DCOMMIT=… -DSOURCE=folder -DCATALOGUE=files -DOUTPUT=file.cpp -P WriteVersion.cmake
# COMMIT is what the builder states; where it is empty, git is asked. The file is left alone where it says the same already.
if(NOT COMMIT)
  find_program(GIT git)
  if(GIT AND EXISTS "${SOURCE}/.git")
    execute_process(COMMAND "${GIT}" -C "${SOURCE}" rev-parse --short=12 HEAD OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    execute_process(COMMAND "${GIT}" -C "${SOURCE}" diff --quiet HEAD -- app core resources widgets CMakeLists.txt RESULT_VARIABLE differs ERROR_QUIET OUTPUT_QUIET)
    if(COMMIT AND differs EQUAL 1)
      string(APPEND COMMIT "+")
    endif()
  endif()
endif()
if(NOT COMMIT)
  set(COMMIT unknown)
endif()

# As sha256sum prints it, so that anybody can hold the program to its files.
string(REPLACE "|" ";" files "${CATALOGUE}")
list(SORT files COMPARE STRING)
set(sums)
foreach(file IN LISTS files)
  file(SHA256 "${SOURCE}/resources/catalog/${file}" sum)
  string(APPEND sums "${sum}  ${file}\n")
endforeach()
string(SHA256 catalogue "${sums}")
string(SUBSTRING "${catalogue}" 0 16 catalogue)

set(text "// Written by resources/cmake/WriteVersion.cmake.
#include \"resources/program_version.hpp\"

namespace orrery {

const ProgramVersion& programVersion() {
    static constexpr ProgramVersion is{\"${VERSION}\", \"${COMMIT}\", \"${catalogue}\"};
    return is;
}

} // namespace orrery
")
set(before)
if(EXISTS "${OUTPUT}")
  file(READ "${OUTPUT}" before)
endif()
if(NOT before STREQUAL text)
  file(WRITE "${OUTPUT}" "${text}")
endif()
