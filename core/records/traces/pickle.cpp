// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/traces/pickle.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>
#include <unordered_map>
#include <utility>

namespace orrery {
namespace {

// The operations of Python's Lib/pickle.py.
enum PickleOperation : unsigned char {
    op_mark = '(',
    op_stop = '.',
    op_pop = '0',
    op_pop_mark = '1',
    op_dup = '2',
    op_float = 'F',
    op_int = 'I',
    op_binint = 'J',
    op_binint1 = 'K',
    op_long = 'L',
    op_binint2 = 'M',
    op_none = 'N',
    op_string = 'S',
    op_binstring = 'T',
    op_short_binstring = 'U',
    op_unicode = 'V',
    op_binunicode = 'X',
    op_append = 'a',
    op_dict = 'd',
    op_empty_dict = '}',
    op_appends = 'e',
    op_get = 'g',
    op_binget = 'h',
    op_long_binget = 'j',
    op_list = 'l',
    op_empty_list = ']',
    op_put = 'p',
    op_binput = 'q',
    op_long_binput = 'r',
    op_setitem = 's',
    op_tuple = 't',
    op_empty_tuple = ')',
    op_setitems = 'u',
    op_binfloat = 'G',
    op_binbytes = 'B',
    op_short_binbytes = 'C',
    op_proto = 0x80,
    op_tuple1 = 0x85,
    op_tuple2 = 0x86,
    op_tuple3 = 0x87,
    op_newtrue = 0x88,
    op_newfalse = 0x89,
    op_long1 = 0x8a,
    op_long4 = 0x8b,
    op_short_binunicode = 0x8c,
    op_binunicode8 = 0x8d,
    op_binbytes8 = 0x8e,
    op_empty_set = 0x8f,
    op_additems = 0x90,
    op_frozenset = 0x91,
    op_memoize = 0x94,
    op_frame = 0x95,
    op_bytearray8 = 0x96
};

/// Operations that import, call or build something, or ask for what lies outside of the file; empty for all others.
std::string_view forbidden(unsigned char operation) {
    switch (operation) {
    case 'c': return "GLOBAL";
    case 'i': return "INST";
    case 'o': return "OBJ";
    case 'b': return "BUILD";
    case 'R': return "REDUCE";
    case 'P': return "PERSID";
    case 'Q': return "BINPERSID";
    case 0x81: return "NEWOBJ";
    case 0x82: return "EXT1";
    case 0x83: return "EXT2";
    case 0x84: return "EXT4";
    case 0x92: return "NEWOBJ_EX";
    case 0x93: return "STACK_GLOBAL";
    case 0x97: return "NEXT_BUFFER";
    case 0x98: return "READONLY_BUFFER";
    default: return {};
    }
}

/// A fault at the operation under way.
struct Broken {
    std::string message;
};

class PickleMachine {
public:
    explicit PickleMachine(std::string_view bytes) : bytes_(bytes) {
        pickle_.values = {{Pickle::Kind::none, 0, 0, {}}, {Pickle::Kind::boolean, 0, 0, {}}, {Pickle::Kind::boolean, 1, 0, {}}}; // noneId, falseId, trueId
    }

    /// Runs to STOP.
    Pickle run() {
        while (true) {
            operation_ = at_;
            const unsigned char operation = byte();
            if (operation == op_stop) break;
            if (const std::string_view name = forbidden(operation); !name.empty()) throw Broken{"It asks to " + std::string(name.ends_with("BUFFER") || name.ends_with("PERSID") ? "fetch something from outside" : "call something") + " (" + std::string(name) + "), which plain values never do."};
            if (!takeScalar(operation) && !takeText(operation) && !takeCollection(operation) && !takeMemory(operation)) throw Broken{"No operation of a pickle has the number " + std::to_string(operation) + "."};
        }
        pickle_.root = popped();
        return std::move(pickle_);
    }
    std::size_t operationAt() const { return operation_; }

private:
    using Id = Pickle::Id;
    static constexpr Id noneId = 0, falseId = 1, trueId = 2;
    static constexpr std::size_t mostValues = 100'000'000;

    // Bytes.
    std::string_view take(std::uint64_t count) {
        if (count > bytes_.size() - at_) throw Broken{"The pickle is cut off."};
        const std::string_view taken = bytes_.substr(at_, static_cast<std::size_t>(count));
        at_ += static_cast<std::size_t>(count);
        return taken;
    }
    unsigned char byte() { return static_cast<unsigned char>(take(1).front()); }
    std::uint64_t number(std::size_t count) {
        const std::string_view taken = take(count);
        std::uint64_t value = 0;
        for (std::size_t i = count; i-- > 0;) value = value << 8U | static_cast<unsigned char>(taken[i]);
        return value;
    }
    std::string_view line() {
        const std::size_t end = bytes_.find('\n', at_);
        if (end == std::string_view::npos) throw Broken{"The pickle is cut off."};
        const std::string_view text = bytes_.substr(at_, end - at_);
        at_ = end + 1;
        return text;
    }

    // The stack, with marks on it.
    Id popped() {
        if (stack_.size() <= (marks_.empty() ? 0 : marks_.back())) throw Broken{"It takes a value where there is none."};
        const Id id = stack_.back();
        stack_.pop_back();
        return id;
    }
    Id top() {
        const Id id = popped();
        stack_.push_back(id);
        return id;
    }
    std::vector<Id> poppedToMark() {
        if (marks_.empty()) throw Broken{"It ends a list that never began."};
        const auto begin = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
        std::vector<Id> items(begin, stack_.end());
        stack_.erase(begin, stack_.end());
        marks_.pop_back();
        return items;
    }
    void push(const Pickle::Value& value) {
        if (pickle_.values.size() >= mostValues) throw Broken{"It holds more than " + std::to_string(mostValues) + " values."};
        stack_.push_back(static_cast<Id>(pickle_.values.size()));
        pickle_.values.push_back(value);
    }
    void pushWhole(std::int64_t value) { push({Pickle::Kind::whole, value, 0, {}}); }
    void pushReal(double value) { push({Pickle::Kind::real, 0, value, {}}); }
    void pushText(std::string_view text) { push({Pickle::Kind::text, 0, 0, text}); }
    void pushItems(Pickle::Kind kind, std::vector<Id> items) {
        if (kind == Pickle::Kind::dict && items.size() % 2 != 0) throw Broken{"A dict has a key without a value."};
        push({kind, static_cast<std::int64_t>(pickle_.lists.size()), 0, {}});
        pickle_.lists.push_back(std::move(items));
    }
    void addTo(Id collection, Pickle::Kind kind, const std::vector<Id>& items) {
        const Pickle::Value& value = pickle_.values[collection];
        if (value.kind != kind) throw Broken{"It adds to a value that holds none."};
        if (kind == Pickle::Kind::dict && items.size() % 2 != 0) throw Broken{"A dict has a key without a value."};
        std::vector<Id>& list = pickle_.lists[static_cast<std::size_t>(value.whole)];
        list.insert(list.end(), items.begin(), items.end());
    }

    /// Little-endian two's complement of any length; beyond 64 bits as near as a double comes.
    void pushLong(std::string_view digits) {
        constexpr std::size_t most = 8;
        const bool negative = !digits.empty() && (static_cast<unsigned char>(digits.back()) & 0x80U) != 0;
        if (digits.size() <= most) {
            std::uint64_t value = negative ? std::numeric_limits<std::uint64_t>::max() : 0;
            for (std::size_t i = digits.size(); i-- > 0;) value = value << 8U | static_cast<unsigned char>(digits[i]);
            pushWhole(static_cast<std::int64_t>(value));
            return;
        }
        double value = 0;
        constexpr double base = 256;
        for (std::size_t i = digits.size(); i-- > 0;) {
            const double digit = static_cast<unsigned char>(digits[i]);
            value = value * base + (i + 1 == digits.size() && negative ? digit - base : digit);
        }
        pushReal(value);
    }
    void pushWritten(std::string_view digits) {
        if (digits.ends_with('L')) digits.remove_suffix(1);
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (error == std::errc() && end == digits.data() + digits.size()) pushWhole(value);
        else pushWrittenReal(digits);
    }
    void pushWrittenReal(std::string_view digits) {
        double value = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (error != std::errc() || end != digits.data() + digits.size()) throw Broken{"It has a number that is none."};
        pushReal(value);
    }

    bool takeScalar(unsigned char operation) {
        switch (operation) {
        case op_none: stack_.push_back(noneId); return true;
        case op_newtrue: stack_.push_back(trueId); return true;
        case op_newfalse: stack_.push_back(falseId); return true;
        case op_binint: pushWhole(static_cast<std::int32_t>(static_cast<std::uint32_t>(number(4)))); return true;
        case op_binint1: pushWhole(static_cast<std::int64_t>(number(1))); return true;
        case op_binint2: pushWhole(static_cast<std::int64_t>(number(2))); return true;
        case op_long1: pushLong(take(number(1))); return true;
        case op_long4: pushLong(take(number(4))); return true;
        case op_binfloat: {
            std::uint64_t bits = 0;
            for (const char c : take(8)) bits = bits << 8U | static_cast<unsigned char>(c); // big-endian, unlike all others
            pushReal(std::bit_cast<double>(bits));
            return true;
        }
        case op_int: {
            const std::string_view digits = line();
            if (digits == "00" || digits == "01") stack_.push_back(digits == "01" ? trueId : falseId);
            else pushWritten(digits);
            return true;
        }
        case op_long: pushWritten(line()); return true;
        case op_float: pushWrittenReal(line()); return true;
        case op_proto: byte(); return true;
        case op_frame: number(8); return true;
        default: return false;
        }
    }

    bool takeText(unsigned char operation) {
        switch (operation) {
        case op_string: {
            std::string_view quoted = line();
            if (quoted.size() < 2) throw Broken{"A text has no quotes."};
            pushText(quoted.substr(1, quoted.size() - 2));
            return true;
        }
        case op_unicode: pushText(line()); return true;
        case op_binstring:
        case op_binunicode:
        case op_binbytes: pushText(take(number(4))); return true;
        case op_short_binstring:
        case op_short_binbytes:
        case op_short_binunicode: pushText(take(number(1))); return true;
        case op_binunicode8:
        case op_binbytes8:
        case op_bytearray8: pushText(take(number(8))); return true;
        default: return false;
        }
    }

    void pushTuple(std::size_t count) {
        std::vector<Id> items(count);
        for (std::size_t i = count; i-- > 0;) items[i] = popped();
        pushItems(Pickle::Kind::list, std::move(items));
    }

    bool takeCollection(unsigned char operation) {
        switch (operation) {
        case op_mark: marks_.push_back(stack_.size()); return true;
        case op_pop_mark: poppedToMark(); return true;
        case op_empty_list:
        case op_empty_tuple:
        case op_empty_set: pushItems(Pickle::Kind::list, {}); return true;
        case op_empty_dict: pushItems(Pickle::Kind::dict, {}); return true;
        case op_list:
        case op_tuple:
        case op_frozenset: pushItems(Pickle::Kind::list, poppedToMark()); return true;
        case op_dict: pushItems(Pickle::Kind::dict, poppedToMark()); return true;
        case op_tuple1: pushTuple(1); return true;
        case op_tuple2: pushTuple(2); return true;
        case op_tuple3: pushTuple(3); return true;
        case op_append: {
            const Id item = popped();
            addTo(top(), Pickle::Kind::list, {item});
            return true;
        }
        case op_appends:
        case op_additems: {
            const std::vector<Id> items = poppedToMark();
            addTo(top(), Pickle::Kind::list, items);
            return true;
        }
        case op_setitem: {
            const Id value = popped(), key = popped();
            addTo(top(), Pickle::Kind::dict, {key, value});
            return true;
        }
        case op_setitems: {
            const std::vector<Id> items = poppedToMark();
            addTo(top(), Pickle::Kind::dict, items);
            return true;
        }
        default: return false;
        }
    }

    void remember(std::uint64_t place) { memory_[place] = top(); }
    void recall(std::uint64_t place) {
        const auto found = memory_.find(place);
        if (found == memory_.end()) throw Broken{"It recalls a value that it never kept."};
        stack_.push_back(found->second);
    }
    std::uint64_t writtenPlace() {
        const std::string_view digits = line();
        std::uint64_t place = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), place);
        if (error != std::errc() || end != digits.data() + digits.size()) throw Broken{"It has a number that is none."};
        return place;
    }

    bool takeMemory(unsigned char operation) {
        switch (operation) {
        case op_pop:
            if (!marks_.empty() && stack_.size() == marks_.back()) marks_.pop_back();
            else popped();
            return true;
        case op_dup: stack_.push_back(top()); return true;
        case op_put: remember(writtenPlace()); return true;
        case op_binput: remember(number(1)); return true;
        case op_long_binput: remember(number(4)); return true;
        case op_memoize: remember(memory_.size()); return true;
        case op_get: recall(writtenPlace()); return true;
        case op_binget: recall(number(1)); return true;
        case op_long_binget: recall(number(4)); return true;
        default: return false;
        }
    }

    std::string_view bytes_;
    std::size_t at_ = 0, operation_ = 0;
    Pickle pickle_;
    std::vector<Id> stack_;
    std::vector<std::size_t> marks_;
    std::unordered_map<std::uint64_t, Id> memory_;
};

} // namespace

const std::vector<Pickle::Id>& Pickle::items(Id id) const {
    static const std::vector<Id> nothing;
    const Value& value = values[id];
    return value.kind == Kind::list ? lists[static_cast<std::size_t>(value.whole)] : nothing;
}

const std::vector<Pickle::Id>& Pickle::pairs(Id id) const {
    static const std::vector<Id> nothing;
    const Value& value = values[id];
    return value.kind == Kind::dict ? lists[static_cast<std::size_t>(value.whole)] : nothing;
}

std::optional<Pickle::Id> Pickle::member(Id dict, std::string_view key) const {
    const Value& value = values[dict];
    if (value.kind != Kind::dict) return std::nullopt;
    const std::vector<Id>& entries = lists[static_cast<std::size_t>(value.whole)];
    for (std::size_t i = entries.size(); i >= 2; i -= 2) // of equal keys the last counts
        if (values[entries[i - 2]].kind == Kind::text && values[entries[i - 2]].text == key) return entries[i - 1];
    return std::nullopt;
}

std::int64_t Pickle::wholeMember(Id dict, std::string_view key, std::int64_t fallback) const {
    const auto found = member(dict, key);
    return found && values[*found].kind == Kind::whole ? values[*found].whole : fallback;
}

std::string_view Pickle::textMember(Id dict, std::string_view key) const {
    const auto found = member(dict, key);
    return found && values[*found].kind == Kind::text ? values[*found].text : std::string_view();
}

bool looksLikePickle(std::string_view bytes) { return bytes.size() > 2 && static_cast<unsigned char>(bytes[0]) == op_proto && bytes[1] >= 2 && bytes[1] <= 5; }

std::optional<Pickle> readPickle(std::string_view bytes, PickleFault& fault) {
    PickleMachine machine(bytes);
    try {
        return machine.run();
    } catch (const Broken& broken) {
        fault = {machine.operationAt(), broken.message};
        return std::nullopt;
    }
}

} // namespace orrery
