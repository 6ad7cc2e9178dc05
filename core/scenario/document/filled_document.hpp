// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.hpp"
#include "core/scenario/document/schema_table.hpp"
#include "core/scenario/scenario.hpp"
#include "core/scenario/scenario_words.hpp"

#include <string>
#include <vector>

namespace orrery {

/// A scenario document while its gaps are being filled: every value put in is also an assumption of the result.
class FilledDocument {
public:
    explicit FilledDocument(Json document) : document_(std::move(document)) {}

    const Json& json() const { return document_; }
    bool has(const std::string& pointer) const { return find(pointer) != nullptr; }
    /// The value at a pointer, or null when nothing is there.
    const Json* find(const std::string& pointer) const;

    /// Puts a value where there is none, makes the objects on the way, and notes why. Nothing happens where one is.
    void fill(const std::string& pointer, Json value, std::string why);
    /// Fills every key below a fragment ({"overlap": {"data": true}}) that the document leaves out.
    void fillFragment(const std::string& pointer, const Json& fragment, const std::string& why);
    /// Fills the fallbacks that the schema table states for an object.
    void fillFallbacks(const std::string& pointer, const std::vector<Field>& fields);
    /// Puts another value where one is, and notes nothing.
    void replace(const std::string& pointer, Json value);
    /// Notes a value that was decided elsewhere without putting it into the document.
    void assume(std::string pointer, Json value, std::string why);

    std::vector<Assumption> takeAssumptions() { return std::move(assumptions_); }

    /// Typed access to what the shape check has passed; the fallback stands for a key that has no default.
    int integer(const std::string& pointer, int fallback = 0) const;
    double number(const std::string& pointer, double fallback = 0) const;
    bool boolean(const std::string& pointer, bool fallback = false) const;
    std::string text(const std::string& pointer, const std::string& fallback = {}) const;
    /// The value of an enum whose word stands there.
    template <class Enum> Enum word(const std::string& pointer, Enum fallback) const { return fromText<Enum>(text(pointer)).value_or(fallback); }
    /// Whether that word stands there.
    template <class Enum> bool says(const std::string& pointer, Enum value) const { return fromText<Enum>(text(pointer)) == value; }

private:
    Json document_;
    std::vector<Assumption> assumptions_;
};

} // namespace orrery
