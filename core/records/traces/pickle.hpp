// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// Values of a Python pickle, as numbers of a list: values may be shared, and a damaged file may make one hold itself.
class Pickle {
public:
    using Id = std::uint32_t;
    enum class Kind : std::uint8_t { none,
                                     boolean,
                                     whole,
                                     real,
                                     text, ///< bytes too
                                     list, ///< tuples and sets too
                                     dict  ///< keys and values in turn
    };
    struct Value {
        Kind kind = Kind::none;
        std::int64_t whole = 0; ///< of booleans too; of lists and dicts which of `lists`
        double real = 0;
        std::string_view text;
    };

    const Value& at(Id id) const { return values[id]; }
    /// What a list holds; empty for anything else.
    const std::vector<Id>& items(Id id) const;
    /// Keys and values of a dict in turn; empty for anything else.
    const std::vector<Id>& pairs(Id id) const;
    /// The value of a key of a dict; nothing where it lacks it, or is none.
    std::optional<Id> member(Id dict, std::string_view key) const;
    std::int64_t wholeMember(Id dict, std::string_view key, std::int64_t fallback = 0) const;
    std::string_view textMember(Id dict, std::string_view key) const;

    std::vector<Value> values;
    std::vector<std::vector<Id>> lists;
    Id root = 0;
};

struct PickleFault {
    std::size_t offset = 0; ///< of the operation, in bytes
    std::string message;    ///< a sentence
};

/// Whether bytes begin as a pickle of protocol 2 to 5 does, which is what PyTorch writes.
bool looksLikePickle(std::string_view bytes);

/// Reads a pickle of plain values: numbers, texts, lists, tuples, sets and dicts, protocols 0 to 5. Nothing of it is executed: an operation that would
/// import, call or build anything is refused by its name. The bytes outlive what is read. Nothing, with `fault`, for any other bytes.
std::optional<Pickle> readPickle(std::string_view bytes, PickleFault& fault);

} // namespace orrery
