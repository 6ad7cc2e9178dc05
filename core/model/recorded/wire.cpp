// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/recorded/wire.hpp"

namespace orrery {

bool WireReader::nextVarint(std::uint64_t& value) {
    constexpr unsigned longest = 64; // bits
    value = 0;
    for (unsigned shift = 0; shift < longest && !rest_.empty(); shift += 7) {
        const auto byte = static_cast<unsigned char>(rest_.front());
        rest_.remove_prefix(1);
        value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
        if (byte < 0x80) return true;
    }
    return fail();
}

bool WireReader::take(std::size_t count, std::string_view& bytes) {
    if (rest_.size() < count) return fail();
    bytes = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return true;
}

bool WireReader::takeFixed(std::size_t count, std::uint64_t& value) {
    std::string_view bytes;
    if (!take(count, bytes)) return false;
    value = 0;
    for (std::size_t i = 0; i < count; ++i) value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    return true;
}

bool WireReader::nextDelimited(std::string_view& message) {
    std::uint64_t length = 0;
    return nextVarint(length) && (length <= rest_.size() ? take(static_cast<std::size_t>(length), message) : fail());
}

bool WireReader::next(Field& field) {
    if (rest_.empty() || broken_) return false;
    std::uint64_t key = 0;
    if (!nextVarint(key) || key >> 3 == 0 || key >> 32 != 0) return fail();
    field = {};
    field.number = static_cast<std::uint32_t>(key >> 3);
    switch (key & 7U) {
    case 0: return nextVarint(field.value);
    case 1: return takeFixed(8, field.value);
    case 2: field.isBytes = true; return nextDelimited(field.bytes);
    case 5: return takeFixed(4, field.value);
    default: return fail();
    }
}

} // namespace orrery
