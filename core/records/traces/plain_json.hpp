// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/records/traces/json_letters.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// Walks through JSON text (RFC 8259) and tells a handler of it, several times as fast as a parser that keeps what it reads. It takes nothing that a
/// full parser refuses; where a text is wrong, or a number may be larger than any number is, it stops and leaves the words to the full parser.
///
/// The handler has `bool beginObject()`, `endObject(const char* place)`, `beginArray()`, `endArray()`, `member(std::string_view name)` and
/// `value(std::string_view text, bool isText, bool isWhole)`; false stops the walk. Texts live until the next call.
template <typename Handler>
class PlainJson {
public:
    PlainJson(std::string_view text, Handler& handler) : at_(text.data()), end_(text.data() + text.size()), handler_(handler) {
        if (text.starts_with("\xEF\xBB\xBF")) at_ += 3;
    }

    /// False: it stopped before the end.
    bool walk() {
        if (!value()) return false;
        while (!objects_.empty())
            if (!(objects_.back() ? nextMember() : nextEntry())) return false;
        skipBlanks();
        return at_ == end_;
    }

private:
    void skipBlanks() {
        while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
    }
    bool take(char wanted) {
        if (at_ == end_ || *at_ != wanted) return false;
        ++at_;
        return true;
    }

    bool nextMember() {
        skipBlanks();
        if (take('}')) {
            objects_.pop_back();
            isFirst_ = false;
            return handler_.endObject(at_);
        }
        if (!isFirst_ && !take(',')) return false;
        skipBlanks();
        std::string_view name;
        if (!text(name) || !handler_.member(name)) return false;
        skipBlanks();
        return take(':') && value();
    }

    bool nextEntry() {
        skipBlanks();
        if (take(']')) {
            objects_.pop_back();
            isFirst_ = false;
            return handler_.endArray();
        }
        return (isFirst_ || take(',')) && value();
    }

    bool value() {
        skipBlanks();
        if (at_ == end_) return false;
        isFirst_ = false;
        switch (*at_) {
        case '{':
        case '[': {
            const bool isObject = *at_++ == '{';
            objects_.push_back(isObject);
            isFirst_ = true;
            return isObject ? handler_.beginObject() : handler_.beginArray();
        }
        case '"': {
            std::string_view read;
            return text(read) && handler_.value(read, true, false);
        }
        case 't': return word("true") && handler_.value("true", false, false);
        case 'f': return word("false") && handler_.value("false", false, false);
        case 'n': return word("null") && handler_.value({}, false, false);
        default: return number();
        }
    }

    bool word(std::string_view wanted) {
        if (std::string_view(at_, static_cast<std::size_t>(end_ - at_)).substr(0, wanted.size()) != wanted) return false;
        at_ += wanted.size();
        return true;
    }

    bool digits() {
        const char* const from = at_;
        while (at_ != end_ && *at_ >= '0' && *at_ <= '9') ++at_;
        return at_ != from;
    }

    bool number() {
        constexpr std::ptrdiff_t longest = 100, longestPower = 2; // digits that no number of a computer is too small for
        const char* const from = at_;
        take('-');
        if (!take('0') && !digits()) return false;
        bool isWhole = true;
        if (take('.')) {
            isWhole = false;
            if (!digits()) return false;
        }
        if (at_ != end_ && (*at_ == 'e' || *at_ == 'E')) {
            isWhole = false;
            ++at_;
            if (!take('+')) take('-');
            const char* const power = at_;
            if (!digits() || at_ - power > longestPower) return false;
        }
        if (at_ - from > longest) return false;
        return handler_.value({from, static_cast<std::size_t>(at_ - from)}, false, isWhole);
    }

    /// What stands between quotes; without escapes it is a part of the text itself.
    bool text(std::string_view& read) {
        if (!take('"')) return false;
        const char* from = at_;
        bool hasEscapes = false;
        while (at_ != end_) {
            switch (kinds()[static_cast<unsigned char>(*at_)]) {
            case plain: ++at_; break;
            case control: return false;
            case beyondAscii:
                if (!skipLetter()) return false;
                break;
            case backslash:
                if (!hasEscapes) unescaped_.clear();
                hasEscapes = true;
                unescaped_.append(from, at_);
                if (!escape()) return false;
                from = at_;
                break;
            case quote:
                if (hasEscapes) {
                    unescaped_.append(from, at_);
                    read = unescaped_;
                } else {
                    read = {from, static_cast<std::size_t>(at_ - from)};
                }
                ++at_;
                return true;
            }
        }
        return false;
    }

    bool escape() {
        ++at_; // the backslash
        if (at_ == end_) return false;
        switch (*at_++) {
        case '"': unescaped_ += '"'; return true;
        case '\\': unescaped_ += '\\'; return true;
        case '/': unescaped_ += '/'; return true;
        case 'b': unescaped_ += '\b'; return true;
        case 'f': unescaped_ += '\f'; return true;
        case 'n': unescaped_ += '\n'; return true;
        case 'r': unescaped_ += '\r'; return true;
        case 't': unescaped_ += '\t'; return true;
        case 'u': return numbered();
        default: return false;
        }
    }

    /// A letter by its number, as UTF-8; letters beyond 16 bits come in two halves.
    bool numbered() {
        const std::optional<std::uint32_t> number = fourHex();
        if (!number || isSecondHalf(*number)) return false;
        std::uint32_t letter = *number;
        if (isFirstHalf(letter)) {
            if (!take('\\') || !take('u')) return false;
            const std::optional<std::uint32_t> second = fourHex();
            if (!second || !isSecondHalf(*second)) return false;
            letter = joinedHalves(letter, *second);
        }
        addLetter(unescaped_, letter);
        return true;
    }

    std::optional<std::uint32_t> fourHex() {
        const std::optional<std::uint32_t> number = fourHexDigits(at_, end_);
        if (number) at_ += 4;
        return number;
    }

    /// Past a letter of several bytes (RFC 3629, section 4): no longer form than it needs, no halves of pairs, none beyond U+10FFFF.
    bool skipLetter() {
        const auto first = static_cast<unsigned char>(*at_++);
        unsigned char low = 0x80, high = 0xBF;
        int more = 0;
        if (first >= 0xC2 && first <= 0xDF) more = 1;
        else if (first >= 0xE0 && first <= 0xEF) {
            more = 2;
            if (first == 0xE0) low = 0xA0;
            if (first == 0xED) high = 0x9F;
        } else if (first >= 0xF0 && first <= 0xF4) {
            more = 3;
            if (first == 0xF0) low = 0x90;
            if (first == 0xF4) high = 0x8F;
        } else {
            return false;
        }
        for (; more > 0; --more) {
            if (at_ == end_) return false;
            const auto byte = static_cast<unsigned char>(*at_++);
            if (byte < low || byte > high) return false;
            low = 0x80;
            high = 0xBF;
        }
        return true;
    }

    enum Kind : std::uint8_t { plain,
                               quote,
                               backslash,
                               control,
                               beyondAscii };
    static const std::array<Kind, 256>& kinds() {
        static constexpr std::array<Kind, 256> table = [] {
            std::array<Kind, 256> made{};
            for (std::size_t byte = 0; byte < made.size(); ++byte) made[byte] = byte < 0x20 ? control : byte < 0x80 ? plain
                                                                                                                    : beyondAscii;
            made['"'] = quote;
            made['\\'] = backslash;
            return made;
        }();
        return table;
    }

    const char* at_;
    const char* end_;
    Handler& handler_;
    std::vector<bool> objects_; ///< what is open, outermost first: an object, or a list
    bool isFirst_ = false;      ///< nothing stood yet in what was opened last
    std::string unescaped_;
};

} // namespace orrery
