// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string_view>

namespace orrery {

/// Protocol Buffers' wire format: fields of a message one after another. Any bytes may be given; what doesn't hold together
/// ends the walk with `broken`.
/// Protocol Buffers documentation, "Encoding".
class WireReader {
public:
    explicit WireReader(std::string_view bytes) : rest_(bytes) {}

    struct Field {
        std::uint32_t number = 0;
        bool isBytes = false;
        std::uint64_t value = 0; ///< of a varint or fixed number, as its bits
        std::string_view bytes;  ///< of a text, a message inside or packed numbers
    };

    /// False at the end and where the bytes are broken.
    bool next(Field& field);
    /// A length and that many bytes, as streams of messages have them.
    bool nextDelimited(std::string_view& message);
    bool nextVarint(std::uint64_t& value);
    bool atEnd() const { return rest_.empty(); }
    bool broken() const { return broken_; }

private:
    bool fail() {
        broken_ = true;
        return false;
    }
    bool take(std::size_t count, std::string_view& bytes);
    bool takeFixed(std::size_t count, std::uint64_t& value);

    std::string_view rest_;
    bool broken_ = false;
};

} // namespace orrery
