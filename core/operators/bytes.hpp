// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

/// Numbers as little-endian bytes, for the predictor's file.
namespace orrery::bytes {

inline void put8(std::string& to, std::uint8_t value) { to.push_back(static_cast<char>(value)); }

inline void put16(std::string& to, std::uint16_t value) {
    put8(to, static_cast<std::uint8_t>(value & 0xFF));
    put8(to, static_cast<std::uint8_t>(value >> 8));
}

inline void put32(std::string& to, std::uint32_t value) {
    put16(to, static_cast<std::uint16_t>(value & 0xFFFF));
    put16(to, static_cast<std::uint16_t>(value >> 16));
}

inline void put64(std::string& to, std::uint64_t value) {
    put32(to, static_cast<std::uint32_t>(value & 0xFFFFFFFF));
    put32(to, static_cast<std::uint32_t>(value >> 32));
}

inline void putFloat(std::string& to, float value) { put32(to, std::bit_cast<std::uint32_t>(value)); }

/// Length in one byte, so at most 255.
inline void putText(std::string& to, std::string_view text) {
    put8(to, static_cast<std::uint8_t>(text.size()));
    to.append(text.substr(0, 255));
}

/// Takers throw std::invalid_argument where the bytes end too early.
inline std::string_view take(std::string_view& from, std::size_t count) {
    if (from.size() < count) throw std::invalid_argument("the file breaks off");
    const std::string_view part = from.substr(0, count);
    from.remove_prefix(count);
    return part;
}

inline std::uint8_t take8(std::string_view& from) { return static_cast<std::uint8_t>(take(from, 1)[0]); }

inline std::uint16_t take16(std::string_view& from) {
    const std::uint16_t low = take8(from);
    return static_cast<std::uint16_t>(low | (take8(from) << 8));
}

inline std::uint32_t take32(std::string_view& from) {
    const std::uint32_t low = take16(from);
    return low | (std::uint32_t(take16(from)) << 16);
}

inline std::uint64_t take64(std::string_view& from) {
    const std::uint64_t low = take32(from);
    return low | (std::uint64_t(take32(from)) << 32);
}

inline float takeFloat(std::string_view& from) { return std::bit_cast<float>(take32(from)); }

inline std::string takeText(std::string_view& from) {
    const std::size_t length = take8(from);
    return std::string(take(from, length));
}

} // namespace orrery::bytes
