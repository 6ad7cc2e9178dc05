# SPDX-License-Identifier: GPL-3.0-or-later
# orrery-cli with everything in it, for systems that have nothing (packaging/static builds it). Included before any library is looked for.
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
set(CMAKE_EXE_LINKER_FLAGS "${CMAKE_EXE_LINKER_FLAGS} -static")
set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)

# orrery_link_archives(): Debian's yaml-cpp names its shared library alone, though its archive lies beside it; libxlsxwriter's archive does not name the zlib it needs.
function(orrery_link_archives)
  find_library(ORRERY_YAML_ARCHIVE yaml-cpp REQUIRED)
  set_target_properties(yaml-cpp PROPERTIES IMPORTED_LOCATION "${ORRERY_YAML_ARCHIVE}" IMPORTED_LOCATION_NONE "${ORRERY_YAML_ARCHIVE}")
  target_link_libraries(orrery_app_common INTERFACE ZLIB::ZLIB)
endfunction()
