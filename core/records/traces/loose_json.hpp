// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/records/traces/json_letters.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// What was wrong with a text that was read all the same.
struct TextRepairs {
    std::int64_t quotes = 0;      ///< within texts, with no backslash before them
    std::int64_t backslashes = 0; ///< that begin no escape
    std::int64_t controls = 0;    ///< control characters within texts
    std::int64_t letters = 0;     ///< bytes that are no UTF-8
    std::int64_t words = 0;       ///< values that are neither numbers nor texts: NaN, Infinity
    std::int64_t commas = 0;      ///< too many, or missing
    std::int64_t leftOut = 0;     ///< events that could not be repaired
    std::size_t first = 0;        ///< byte of the first of them all
    bool cut = false;             ///< the text ends before its outermost value does, or goes on behind it
    std::size_t cutAt = 0;        ///< where what is kept ends
    std::int64_t total() const { return quotes + backslashes + controls + letters + words + commas + leftOut; }
};

/// Walks through text that was meant to be JSON and tells a handler of it, as PlainJson does of sound text. Profilers write names as they find them: with quotes
/// and backslashes of source code, control characters, NaN; and they are killed before they close their lists. A quote ends a text where what follows it can only
/// follow a text; an event that can't be read is left out, and the walk goes on at the next one.
///
/// Beyond what PlainJson asks for, the handler has `bool leaveEvent(std::size_t& depth)`: forgets the event that is being read, gives how many objects and lists stay
/// open; false where none is being read.
template <typename Handler>
class LooseJson {
public:
    LooseJson(std::string_view text, Handler& handler) : begin_(text.data()), at_(text.data()), end_(text.data() + text.size()), handler_(handler) {
        if (text.starts_with("\xEF\xBB\xBF")) at_ += 3;
        // What is read again after each broken event must not add up to the square of the text.
        constexpr std::size_t timesReadAgain = 8, leastAgain = 1 << 20;
        budget_ = std::max(text.size() * timesReadAgain, leastAgain);
    }

    /// False: the handler refused, or the text breaks where no event is left out for it.
    bool walk() {
        bool sound = value();
        while (true) {
            while (sound && !open_.empty()) sound = open_.back().isObject ? nextMember() : nextEntry();
            if (refused_) return false;
            if (sound) break;
            if (!recover()) return repairs_.cut;
            sound = true;
        }
        skipBlanks();
        if (at_ != end_) cutHere();
        return true;
    }
    const TextRepairs& repairs() const { return repairs_; }

private:
    std::size_t place() const { return static_cast<std::size_t>(at_ - begin_); }
    static bool isBlank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
    void skipBlanks() {
        while (at_ != end_ && isBlank(*at_)) ++at_;
    }
    bool take(char wanted) {
        if (at_ == end_ || *at_ != wanted) return false;
        ++at_;
        return true;
    }
    void mend(std::int64_t TextRepairs::*kind, const char* where) {
        if (repairs_.total() == 0) repairs_.first = static_cast<std::size_t>(where - begin_);
        ++(repairs_.*kind);
    }
    void cutHere() {
        repairs_.cut = true;
        repairs_.cutAt = place();
    }
    bool told(bool accepted) {
        refused_ |= !accepted;
        return accepted;
    }

    /// Whether a comma stands before what comes next; those too many, and one before the first, are mended.
    bool takeCommas() {
        skipBlanks();
        bool comma = false;
        while (take(',')) {
            if (comma || isFirst_) mend(&TextRepairs::commas, at_ - 1);
            comma = true;
            skipBlanks();
        }
        return comma;
    }

    /// Whether the innermost object or list ends here; a comma before its end is mended.
    bool closes(char bracket, bool comma) {
        if (!take(bracket)) return false;
        if (comma && !isFirst_) mend(&TextRepairs::commas, at_ - 1);
        open_.pop_back();
        isFirst_ = false;
        return true;
    }

    bool nextMember() {
        const bool comma = takeCommas();
        if (closes('}', comma)) return told(handler_.endObject(at_));
        if (at_ == end_ || *at_ != '"') return false;
        if (!comma && !isFirst_) mend(&TextRepairs::commas, at_);
        std::string_view name;
        if (!text(name, Follows::colon)) return false;
        if (!told(handler_.member(name))) return false;
        skipBlanks();
        return take(':') && value();
    }

    bool nextEntry() {
        entryBegin_ = at_;
        const bool comma = takeCommas();
        if (closes(']', comma)) return told(handler_.endArray());
        if (at_ == end_) return false;
        if (*at_ == '"' && open_.size() == listOfEvents()) return false; // the rest of an event whose end was mistaken
        if (!comma && !isFirst_) mend(&TextRepairs::commas, at_);
        return value();
    }

    bool value() {
        skipBlanks();
        if (at_ == end_) return false;
        isFirst_ = false;
        switch (*at_) {
        case '{':
        case '[': {
            const bool isObject = *at_++ == '{';
            open_.push_back({isObject, at_ - 1});
            isFirst_ = true;
            return told(isObject ? handler_.beginObject() : handler_.beginArray());
        }
        case '"': {
            std::string_view read;
            return text(read, open_.empty() ? Follows::end : open_.back().isObject ? Follows::member
                                                                                   : Follows::entry) &&
                   told(handler_.value(read, true, false));
        }
        default: return plainWord();
        }
    }

    /// A number, or a word such as true, NaN or -inf.
    bool plainWord() {
        constexpr std::ptrdiff_t longest = 100;
        const char* const from = at_;
        const auto belongs = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '+' || c == '.' || c == '_'; };
        while (at_ != end_ && at_ - from < longest && belongs(*at_)) ++at_;
        if (at_ == from || at_ == end_ || belongs(*at_)) return false; // cut off within it: 10 of 1000
        const std::string_view word(from, static_cast<std::size_t>(at_ - from));
        if (word == "true" || word == "false") return told(handler_.value(word, false, false));
        if (word == "null") return told(handler_.value({}, false, false));
        std::size_t i = word.front() == '-' ? 1 : 0;
        const std::size_t digits = i;
        while (i < word.size() && word[i] >= '0' && word[i] <= '9') ++i;
        if (i > digits) {
            const bool isWhole = i == word.size();
            if (isWhole || word.find_first_not_of("0123456789.eE+-", i) == std::string_view::npos) return told(handler_.value(word, false, isWhole));
        }
        mend(&TextRepairs::words, from);
        return told(handler_.value({}, false, false));
    }

    enum class Follows : std::uint8_t { colon,
                                        member,
                                        entry,
                                        end };

    static const char* pastBlanks(const char* at, const char* end) {
        constexpr std::ptrdiff_t most = 256;
        const char* const last = end - at > most ? at + most : end;
        while (at != last && isBlank(*at)) ++at;
        return at;
    }
    /// Whether a key with its colon stands there.
    bool keyAt(const char* at) const {
        constexpr std::ptrdiff_t longest = 128;
        if (at == end_) return true;
        if (*at != '"') return false;
        const char* const last = end_ - at > longest ? at + longest : end_;
        for (++at; at != last && *at != '"'; ++at)
            if (*at == '\n' || *at == '\\') return false;
        if (at == end_) return true;
        if (at == last) return false;
        at = pastBlanks(at + 1, end_);
        return at == end_ || *at == ':';
    }
    /// Whether a member of an event stands there, or the end of the event: what may follow a text of source code, in which members of other objects may stand as well.
    bool eventMemberAt(const char* at) const {
        at = pastBlanks(at + 1, end_);
        const std::string_view rest(at, std::min<std::size_t>(16, static_cast<std::size_t>(end_ - at)));
        for (const std::string_view known : {"\"ph\"", "\"cat\"", "\"name\"", "\"pid\"", "\"tid\"", "\"ts\"", "\"dur\"", "\"args\"", "\"id\"", "\"bp\"", "\"s\"", "\"cname\"", "\"tts\"", "\"tdur\""})
            if (rest.starts_with(known)) return true;
        return rest.empty();
    }
    /// How many objects and lists are open in a list of events, which is the document or a member of it.
    std::size_t listOfEvents() const { return open_.empty() || open_.front().isObject ? 2 : 1; }
    bool inEvent() const { return open_.size() == listOfEvents() + 1 && open_.back().isObject && !open_[open_.size() - 2].isObject; }

    /// Whether a text may end before `at`, which is behind its quote.
    bool mayEnd(const char* at, Follows follows) const {
        at = pastBlanks(at, end_);
        if (at == end_) return true;
        switch (follows) {
        case Follows::colon: return *at == ':';
        case Follows::end: return false;
        case Follows::member:
            if (*at == '}') {
                at = pastBlanks(at + 1, end_);
                return at == end_ || *at == ',' || *at == '}' || *at == ']';
            }
            if (*at != ',') return false;
            at = pastBlanks(at + 1, end_);
            return at == end_ || *at == '}' || keyAt(at);
        case Follows::entry:
            if (*at == ']') {
                at = pastBlanks(at + 1, end_);
                return at == end_ || *at == ',' || *at == '}' || *at == ']';
            }
            if (*at != ',') return false;
            at = pastBlanks(at + 1, end_);
            return at == end_ || *at == '"' || *at == '{' || *at == '[' || *at == ']' || *at == '-' || (*at >= '0' && *at <= '9') || (*at >= 'a' && *at <= 'z') || *at == 'N' || *at == 'I';
        }
        return false;
    }

    /// What stands between quotes, repaired.
    bool text(std::string_view& read, Follows follows) {
        if (!take('"')) return false;
        read_.clear();
        bool doubtful = false; // it has quotes of its own
        while (at_ != end_) {
            const auto byte = static_cast<unsigned char>(*at_);
            if (byte == '"') {
                const char* const behind = pastBlanks(at_ + 1, end_);
                const bool stranger = doubtful && follows == Follows::member && inEvent() && behind != end_ && *behind == ',' && !eventMemberAt(behind);
                if (!stranger && mayEnd(at_ + 1, follows)) {
                    ++at_;
                    read = read_;
                    return true;
                }
                mend(&TextRepairs::quotes, at_);
                doubtful = true;
                read_ += *at_++;
            } else if (byte == '\\') {
                escape(follows);
            } else if (byte < 0x20) {
                mend(&TextRepairs::controls, at_);
                read_ += *at_++;
            } else if (byte < 0x80) {
                read_ += *at_++;
            } else {
                letter();
            }
        }
        return false;
    }

    void escape(Follows follows) {
        constexpr std::string_view escaped = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
        const char next = at_ + 1 == end_ ? '\0' : at_[1];
        const std::size_t known = escaped.find(next);
        // A path that ends with a backslash: the quote behind it closes the text where nothing else does.
        const bool closes = next == '"' && (follows == Follows::member || follows == Follows::colon) && at_ + 2 != end_ && mayEnd(at_ + 2, follows);
        const std::optional<std::uint32_t> number = next == 'u' ? fourHexDigits(at_ + 2, end_) : std::nullopt;
        if (number) {
            constexpr int escapeLength = 6;
            at_ += escapeLength;
            const bool goesOn = isFirstHalf(*number) && end_ - at_ >= escapeLength && at_[0] == '\\' && at_[1] == 'u';
            const std::optional<std::uint32_t> second = goesOn ? fourHexDigits(at_ + 2, end_) : std::nullopt;
            std::uint32_t letter = *number;
            if (second && isSecondHalf(*second)) {
                letter = joinedHalves(*number, *second);
                at_ += escapeLength;
            } else if (isFirstHalf(*number) || isSecondHalf(*number)) {
                mend(&TextRepairs::letters, at_ - escapeLength);
                letter = replacement;
            }
            addLetter(read_, letter);
        } else if (known != std::string_view::npos && next != '\0' && !closes) {
            read_ += meant[known];
            at_ += 2;
        } else {
            mend(&TextRepairs::backslashes, at_);
            read_ += *at_++;
        }
    }
    static constexpr std::uint32_t replacement = 0xFFFD; ///< Unicode's sign for what can't be said

    /// A letter of several bytes (RFC 3629, section 4), or one byte that is none.
    void letter() {
        const auto first = static_cast<unsigned char>(*at_);
        const int more = first >= 0xC2 && first <= 0xDF ? 1 : first >= 0xE0 && first <= 0xEF ? 2
                                                          : first >= 0xF0 && first <= 0xF4   ? 3
                                                                                             : 0;
        unsigned char low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90
                                                                 : 0x80;
        unsigned char high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F
                                                                  : 0xBF;
        bool sound = more > 0 && end_ - at_ > more;
        for (int i = 1; sound && i <= more; ++i) {
            const auto byte = static_cast<unsigned char>(at_[i]);
            sound = byte >= low && byte <= high;
            low = 0x80;
            high = 0xBF;
        }
        if (sound) {
            read_.append(at_, static_cast<std::size_t>(more) + 1);
            at_ += more + 1;
        } else {
            mend(&TextRepairs::letters, at_);
            addLetter(read_, replacement);
            ++at_;
        }
    }

    /// Leaves the broken event out and goes to the next one. False: there is none, or nothing to leave.
    bool recover() {
        std::size_t depth = 0;
        if (!handler_.leaveEvent(depth) || depth > open_.size()) {
            cutHere(); // behind the events, if there were any
            return false;
        }
        const char* const broken = at_;
        const char* const begin = open_.size() > depth ? open_[depth].begin : entryBegin_;
        open_.resize(depth);
        const char* const next = nextEvent(begin, begin);
        const auto again = next == nullptr || next > broken ? 0 : static_cast<std::size_t>(broken - next);
        at_ = begin;
        if (next == nullptr || again > budget_) {
            cutHere();
            return false;
        }
        budget_ -= again;
        mend(&TextRepairs::leftOut, begin);
        at_ = next;
        isFirst_ = true;
        return true;
    }

    /// The first object from there on that stands in a list and begins as an event does; none where `notThis` is the only one.
    const char* nextEvent(const char* from, const char* notThis) const {
        for (const char* at = from; at != end_; ++at) {
            if (*at != '{' || at == notThis) continue;
            const char* before = at;
            constexpr std::ptrdiff_t mostBlanks = 256;
            while (before != begin_ && at - before < mostBlanks && isBlank(before[-1])) --before;
            if (before == begin_ || std::string_view(",[}]").find(before[-1]) == std::string_view::npos) continue;
            const char* const key = pastBlanks(at + 1, end_);
            const std::string_view rest(key, std::min<std::size_t>(8, static_cast<std::size_t>(end_ - key)));
            for (const std::string_view known : {"\"ph\"", "\"name\"", "\"cat\"", "\"pid\"", "\"tid\"", "\"ts\""})
                if (rest.starts_with(known)) return at;
        }
        return nullptr;
    }

    struct Open {
        bool isObject = false;
        const char* begin = nullptr;
    };

    const char* begin_;
    const char* at_;
    const char* end_;
    Handler& handler_;
    std::vector<Open> open_;           ///< outermost first: an object, or a list
    const char* entryBegin_ = nullptr; ///< behind the entry before, of the list that was read last
    bool isFirst_ = false;             ///< nothing stood yet in what was opened last
    bool refused_ = false;
    std::string read_;
    TextRepairs repairs_;
    std::size_t budget_ = 0;
};

} // namespace orrery
