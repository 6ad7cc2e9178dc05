// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace orrery {

/// What the program promises itself does not hold: a fault of the program, never of its input. Both programs say so and go on or end cleanly.
struct BrokenExpectation : std::logic_error {
    using std::logic_error::logic_error;
};

/// "core/engine/max_min.cpp:12: expected bytes > 0, found bytes = -1".
[[noreturn]] void failExpectation(std::string_view place, std::string_view condition, std::string_view names, const std::string& values);

namespace detail {

template <typename... Values> std::string toTexts(const Values&... values) {
    std::ostringstream text;
    std::string_view comma;
    ((text << comma << values, comma = ", "), ...);
    return text.str();
}

} // namespace detail
} // namespace orrery

#define ORRERY_TEXT_OF(x) #x
#define ORRERY_TEXT(x) ORRERY_TEXT_OF(x)

/// Holds a precondition or an invariant in every build: `condition`, and values that the message shows when it does not hold.
#define ORRERY_EXPECT(condition, ...)                                                                                                        \
    do {                                                                                                                                     \
        if (!(condition)) [[unlikely]]                                                                                                       \
            ::orrery::failExpectation(__FILE__ ":" ORRERY_TEXT(__LINE__), #condition, #__VA_ARGS__, ::orrery::detail::toTexts(__VA_ARGS__)); \
    } while (false)
