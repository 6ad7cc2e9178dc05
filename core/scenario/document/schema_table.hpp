// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/boxed_json.hpp"

#include <string>
#include <utility>
#include <vector>

namespace orrery {

struct Field;
struct Variant;

/// A way to write an object whose keys come in sets: exactly one form's first key must be there.
struct Form {
    std::string name;                   ///< "short form"; for messages
    std::vector<std::string> required;  ///< the first one tells this form from the others
    std::vector<std::string> forbidden; ///< belong to another form
};

/// Least value of numbers that must be greater than zero: a link of a byte a second. What is closer to zero takes times and rates out of
/// the range of numbers.
inline constexpr double leastPositive = 1e-9;

/// What a value may be. One tree of these describes the whole scenario document; the check, the JSON Schema and the
/// contract's plain defaults all come from it, so that they cannot disagree.
struct Shape {
    enum class Kind { free,
                      object,
                      map,
                      list,
                      text,
                      integer,
                      number,
                      boolean,
                      choice };

    Kind kind = Kind::free;
    bool nullable = false;
    bool open = false;               ///< object: keys beyond `fields` are allowed
    std::vector<Field> fields;       ///< object
    std::vector<Form> forms;         ///< object: exactly one of them, when there are any
    std::vector<Variant> variants;   ///< object: further fields, chosen by the value of the key `kind`
    std::vector<Shape> element;      ///< list and map: exactly one
    std::vector<Shape> alternatives; ///< choice: the value fits one of them
    std::vector<std::string> words;  ///< text: the allowed ones; empty: any text
    double least = 0;                ///< integer and number, inclusive
    double most = 0;                 ///< integer and number, inclusive
    std::size_t minItems = 0;        ///< list
};

struct Field {
    std::string key;
    Shape shape;
    std::string description; ///< one sentence with the unit, for the JSON Schema and tooltips
    bool required = false;
    BoxedJson fallback; ///< the contract's default; null when it has none or computes it
};

struct Variant {
    std::string word; ///< the value of `kind`
    std::string description;
    std::vector<Field> fields;
};

/// The scenario document of the contract, section 1, whole: also the keys that this version reads but cannot run yet.
const Shape& scenarioShape();

/// The field below an object's shape, with the fields of the variant that `value` chooses; null when there is none.
const Field* findField(const Shape& shape, const Json& value, const std::string& key);

/// Keys an object of this shape may have, for naming the nearest one.
std::vector<std::string> knownKeys(const Shape& shape, const Json& value);

} // namespace orrery
