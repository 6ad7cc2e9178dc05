// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace orrery::test {

/// Writes Protocol Buffers as their documentation says; the other direction of what is tested.
class WireWriter {
public:
    WireWriter& varint(std::uint64_t value) {
        do {
            const auto low = static_cast<unsigned char>(value & 0x7fU);
            value >>= 7U;
            bytes_ += static_cast<char>(value ? low | 0x80U : low);
        } while (value);
        return *this;
    }
    WireWriter& number(int field, std::uint64_t value) { return varint(static_cast<std::uint64_t>(field) << 3U).varint(value); }
    WireWriter& text(int field, const std::string& value) {
        varint(static_cast<std::uint64_t>(field) << 3U | 2U).varint(value.size());
        bytes_ += value;
        return *this;
    }
    const std::string& bytes() const { return bytes_; }

private:
    std::string bytes_;
};

/// One node of a Chakra trace as a test wants it.
struct ChakraNode {
    std::uint64_t id = 0;
    std::string name;
    int type = 4;
    bool host = false;
    std::vector<std::uint64_t> data, control;
    std::uint64_t micros = 0;
    std::vector<std::pair<std::string, std::uint64_t>> attributes;
};

inline std::string chakraMessages(const std::vector<ChakraNode>& nodes) {
    WireWriter file;
    const auto add = [&](const WireWriter& message) {
        WireWriter length;
        length.varint(message.bytes().size());
        return length.bytes() + message.bytes();
    };
    std::string bytes = add(WireWriter().text(1, "0.0.4"));
    for (const ChakraNode& node : nodes) {
        WireWriter message;
        message.number(1, node.id).text(2, node.name).number(3, static_cast<std::uint64_t>(node.type));
        // One list packed, the other field by field: both are allowed.
        for (const std::uint64_t id : node.control) message.number(4, id);
        WireWriter packed;
        for (const std::uint64_t id : node.data) packed.varint(id);
        if (!node.data.empty()) message.text(5, packed.bytes());
        if (node.micros) message.number(7, node.micros);
        const auto attribute = [&](const std::string& name, int field, std::uint64_t value) {
            message.text(10, WireWriter().text(1, name).number(field, value).bytes());
        };
        attribute("is_cpu_op", 27, node.host ? 1 : 0);
        for (const auto& [name, value] : node.attributes) attribute(name, 9, value);
        bytes += add(message);
    }
    return bytes;
}

} // namespace orrery::test
