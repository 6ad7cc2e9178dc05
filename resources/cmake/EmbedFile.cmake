# SPDX-License-Identifier: GPL-3.0-or-later
# Writes a C++ source that holds one data file as a string literal:
#   cmake -DINPUT=file -DOUTPUT=file.cpp -DSYMBOL=name -P EmbedFile.cmake
# Escaped bytes, so that text and binary files alike come out byte for byte, whatever the compiler's character set.
file(READ "${INPUT}" bytes HEX)
file(SIZE "${INPUT}" size)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" escaped "${bytes}")
# 32 bytes a line: editors and diffs stay usable.
string(REPEAT "\\\\x[0-9a-f][0-9a-f]" 32 line)
string(REGEX REPLACE "(${line})" "\\1\"\n    \"" escaped "${escaped}")
file(WRITE "${OUTPUT}"
"#include <cstddef>

namespace orrery::embedded {
extern const char ${SYMBOL}[];
extern const std::size_t ${SYMBOL}_size;
const char ${SYMBOL}[] =
    \"${escaped}\";
const std::size_t ${SYMBOL}_size = ${size};
} // namespace orrery::embedded
")
