// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/traces/decimal_time.hpp"

#include "core/base/json.hpp"

#include <cctype>
#include <charconv>
#include <cmath>

namespace orrery {
namespace {

constexpr std::int64_t mostMicroseconds = 9'000'000'000'000'000;
constexpr double nanosecondsOfMicrosecond = 1000;

} // namespace

std::optional<std::int64_t> nanosecondsOf(std::string_view text) {
    std::string_view digits = text;
    const bool negative = digits.starts_with('-');
    if (negative) digits.remove_prefix(1);
    std::int64_t whole = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), whole);
    if (error != std::errc() || whole > mostMicroseconds || digits.empty() || !std::isdigit(static_cast<unsigned char>(digits.front()))) return std::nullopt;
    std::string_view rest(end, static_cast<std::size_t>(digits.data() + digits.size() - end));
    std::int64_t nanoseconds = whole * 1000;
    if (rest.starts_with('.')) {
        rest.remove_prefix(1);
        std::int64_t place = 100;
        std::size_t read = 0;
        for (; read < rest.size() && std::isdigit(static_cast<unsigned char>(rest[read])); ++read) {
            const int digit = rest[read] - '0';
            if (read < 3) nanoseconds += digit * place;
            if (read == 3 && digit >= 5) ++nanoseconds;
            place /= 10;
        }
        rest.remove_prefix(read);
    }
    if (!rest.empty()) { // 1.5e3: rare, and never with many digits
        double value = 0;
        const auto [last, wrong] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (wrong != std::errc() || last != digits.data() + digits.size() || !(value <= double(mostMicroseconds))) return std::nullopt;
        nanoseconds = std::llround(value * nanosecondsOfMicrosecond);
    }
    return negative ? -nanoseconds : nanoseconds;
}

Json microsecondsJson(std::int64_t nanoseconds) {
    if (nanoseconds % 1000 == 0) return nanoseconds / 1000;
    return static_cast<double>(nanoseconds) / nanosecondsOfMicrosecond;
}

} // namespace orrery
