// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/live/live_call.hpp"

namespace orrery {

std::string_view elementWord(std::uint8_t type) {
    // In the order of c10::ScalarType (PyTorch 1.13, c10/core/ScalarType.h).
    static constexpr std::array<std::string_view, 16> words{"uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "complex32", "complex64", "complex128", "bool", "qint8", "quint8", "qint32", "bfloat16"};
    return type < words.size() ? words[type] : "elements of unknown type";
}

} // namespace orrery
