// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

namespace orrery::test {

/// Whether a number is one of an enum's enumerators. The compiler says so, in the name that it gives a function of that value: an
/// enumerator by its name, any other number by a cast ("(orrery::PipelineOrder)9").
template <auto value> constexpr bool isEnumerator() {
    const std::string_view name = __PRETTY_FUNCTION__;
    const std::size_t at = name.rfind("value = ") + std::string_view("value = ").size();
    return name[at] != '(';
}

/// How many of the first 64 numbers are enumerators.
template <class Enum> constexpr std::size_t enumeratorCount() {
    return []<std::size_t... numbers>(std::index_sequence<numbers...>) {
        return (std::size_t{0} + ... + static_cast<std::size_t>(isEnumerator<static_cast<Enum>(numbers)>()));
    }
    (std::make_index_sequence<64>{});
}

} // namespace orrery::test
