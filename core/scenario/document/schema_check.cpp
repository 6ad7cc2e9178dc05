// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/document/schema_check.hpp"

#include "core/base/json.hpp"
#include "core/base/text.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace orrery {

std::string below(const std::string& pointer, const std::string& key) {
    std::string text = pointer + "/";
    for (const char c : key) {
        if (c == '~') text += "~0";
        else if (c == '/') text += "~1";
        else text += c;
    }
    return text;
}

std::string shown(const Json& value) {
    if (value.is_object()) return value.empty() ? "an empty object" : "an object";
    if (value.is_array()) return value.empty() ? "an empty list" : "a list";
    if (value.is_number()) return formatNumber(value.get<double>());
    constexpr std::size_t longest = 60;
    std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (text.size() > longest) text = text.substr(0, longest) + "…\"";
    return text;
}

namespace {

using Kind = Shape::Kind;

std::string lastKey(const std::string& pointer) {
    const std::size_t slash = pointer.rfind('/');
    return slash == std::string::npos ? "The document" : pointer.substr(slash + 1);
}

/// How messages call the value at a pointer: its key, or for a list's element "entry 2 of links".
std::string nameOf(const std::string& pointer) {
    const std::string key = lastKey(pointer);
    if (key.empty() || !std::all_of(key.begin(), key.end(), [](char c) { return c >= '0' && c <= '9'; })) return key;
    return "Entry " + key + " of " + lastKey(pointer.substr(0, pointer.rfind('/')));
}

void add(Problems& problems, std::string code, const std::string& pointer, std::string message, std::string mend,
         std::vector<ScenarioEdit> edits = {}) {
    Problem problem;
    problem.code = std::move(code);
    problem.pointer = pointer;
    problem.message = std::move(message);
    problem.mend = std::move(mend);
    problem.edits = std::move(edits);
    problems.push_back(std::move(problem));
}

std::string kindInWords(const Shape& shape) {
    switch (shape.kind) {
    case Kind::object: return "an object";
    case Kind::map: return "an object";
    case Kind::list: return "a list";
    case Kind::text: return shape.words.empty() ? "a text" : "one of " + joinWords(shape.words, "or");
    case Kind::integer: return "a whole number";
    case Kind::number: return "a number";
    case Kind::boolean: return "true or false";
    case Kind::choice: {
        std::vector<std::string> kinds;
        for (const Shape& alternative : shape.alternatives) {
            std::string words = kindInWords(alternative);
            if (alternative.kind == Kind::object && !alternative.fields.empty() && alternative.fields.front().required)
                words = "an object with \"" + alternative.fields.front().key + "\"";
            kinds.push_back(std::move(words));
        }
        return joinWords(kinds, "or");
    }
    case Kind::free: break;
    }
    return "any value";
}

/// Whether a value has the JSON type of the shape, whatever its content.
bool hasType(const Json& value, const Shape& shape) {
    switch (shape.kind) {
    case Kind::object:
    case Kind::map: return value.is_object();
    case Kind::list: return value.is_array();
    case Kind::text: return value.is_string();
    case Kind::integer:
    case Kind::number: return value.is_number();
    case Kind::boolean: return value.is_boolean();
    case Kind::free: return true;
    case Kind::choice:
        return std::any_of(shape.alternatives.begin(), shape.alternatives.end(),
                           [&](const Shape& alternative) { return hasType(value, alternative); });
    }
    return false;
}

/// The value as the right type where a quick edit can give it: "8" for 8, 1 for true.
std::optional<Json> converted(const Json& value, const Shape& shape) {
    const bool numeric = shape.kind == Kind::integer || shape.kind == Kind::number;
    if (numeric && value.is_string()) {
        const std::string& text = value.get_ref<const std::string&>();
        const Json number = Json::parse(text, nullptr, false);
        if (!number.is_number() || !std::isfinite(number.get<double>())) return std::nullopt;
        Problems problems;
        checkShape(number, shape, "", problems);
        if (problems.empty()) return number;
    }
    if (shape.kind == Kind::boolean) {
        if (value == Json("true") || value == Json(1)) return Json(true);
        if (value == Json("false") || value == Json(0)) return Json(false);
    }
    return std::nullopt;
}

void checkNumber(const Json& value, const Shape& shape, const std::string& pointer, Problems& problems) {
    const double number = value.get<double>();
    const std::string name = nameOf(pointer);
    if (!std::isfinite(number)) {
        add(problems, "not-a-number", pointer, name + " must be a finite number.", "Write a number, for example 1.");
        return;
    }
    const bool whole = shape.kind == Kind::integer;
    if (number < shape.least) {
        const std::string bound = formatNumber(shape.least);
        const std::string wanted = shape.least == leastPositive && number <= 0 ? "greater than 0" : "at least " + bound;
        std::vector<ScenarioEdit> edits;
        if (whole) edits.push_back({pointer, static_cast<std::int64_t>(shape.least)});
        add(problems, "out-of-range", pointer, name + " must be " + wanted + ", but is " + shown(value) + ".",
            whole ? "Use " + bound + " or more." : "Use a number " + wanted + ".", std::move(edits));
        return;
    }
    if (number > shape.most) {
        add(problems, "out-of-range", pointer,
            name + " must be at most " + formatNumber(shape.most) + ", but is " + shown(value) + ".",
            "Use a number up to " + formatNumber(shape.most) + ".");
        return;
    }
    if (whole && number != std::trunc(number)) {
        const double rounded = std::max(shape.least, std::round(number));
        add(problems, "not-a-whole-number", pointer, name + " must be a whole number, but is " + shown(value) + ".",
            "Use " + formatNumber(rounded) + ".", {{pointer, static_cast<std::int64_t>(rounded)}});
    }
}

void checkWord(const Json& value, const Shape& shape, const std::string& pointer, Problems& problems) {
    const std::string& given = value.get_ref<const std::string&>();
    if (shape.words.empty() || std::find(shape.words.begin(), shape.words.end(), given) != shape.words.end()) return;
    const auto nearest = nearestWord(given, shape.words);
    std::string mend = shape.words.size() == 1 ? "Write \"" + shape.words.front() + "\"." : "Use " + joinWords(quoted(shape.words), "or") + ".";
    std::vector<ScenarioEdit> edits;
    if (nearest && (nearest->likely || shape.words.size() == 1)) {
        if (shape.words.size() > 1) mend = "Did you mean \"" + nearest->word + "\"? " + mend;
        edits.push_back({pointer, nearest->word});
    }
    add(problems, "unknown-value", pointer, nameOf(pointer) + " cannot be " + shown(value) + ".", std::move(mend), std::move(edits));
}

/// Where else in the document a key belongs, when it is a key of another section.
std::optional<std::string> homeOf(const std::string& key, const Shape& shape, const std::string& pointer, int depth) {
    if (shape.kind != Kind::object || depth > 2) return std::nullopt;
    const auto search = [&](const std::vector<Field>& fields) -> std::optional<std::string> {
        for (const Field& field : fields)
            if (field.key == key) return pointer.empty() ? "the document itself" : pointer;
        return std::nullopt;
    };
    if (auto home = search(shape.fields)) return home;
    for (const Variant& variant : shape.variants)
        if (auto home = search(variant.fields)) return *home + " of kind \"" + variant.word + "\"";
    for (const Field& field : shape.fields)
        if (auto home = homeOf(key, field.shape, below(pointer, field.key), depth + 1)) return home;
    return std::nullopt;
}

void addUnknownKey(const Json& object, const Shape& shape, const std::string& pointer, const std::string& key, Problems& problems) {
    const std::string at = below(pointer, key);
    const auto nearest = nearestWord(key, knownKeys(shape, object));
    std::string message = "There is no key \"" + key + "\" in " + (pointer.empty() ? std::string("a scenario") : pointer);
    message += nearest ? "; the nearest known key is \"" + nearest->word + "\"." : ".";
    std::string mend = "Remove it; free text can go into \"notes\".";
    std::vector<ScenarioEdit> edits{{at, nullptr}};
    if (const auto home = homeOf(key, scenarioShape(), "", 0); home && *home != pointer) {
        mend = "Move it: \"" + key + "\" belongs to " + *home + ".";
        edits.clear();
    } else if (nearest && nearest->likely) {
        if (object.contains(nearest->word)) {
            mend = "Remove it: \"" + nearest->word + "\" is given already.";
        } else {
            mend = "Rename it to \"" + nearest->word + "\".";
            edits.push_back({below(pointer, nearest->word), object.at(key)});
        }
    }
    add(problems, "unknown-key", at, std::move(message), std::move(mend), std::move(edits));
}

void addMissing(const Field& field, const std::string& pointer, Problems& problems) {
    std::string mend = "Add \"" + field.key + "\"";
    if (!field.shape.words.empty()) mend += ": " + joinWords(quoted(field.shape.words), "or");
    else if (field.shape.kind != Kind::free) mend += ", " + kindInWords(field.shape);
    std::vector<ScenarioEdit> edits;
    if (field.shape.words.size() == 1) edits.push_back({below(pointer, field.key), field.shape.words.front()});
    add(problems, "missing-key", below(pointer, field.key),
        (pointer.empty() ? std::string("The scenario") : pointer) + " needs \"" + field.key + "\".", mend + ".", std::move(edits));
}

void checkForms(const Json& object, const Shape& shape, const std::string& pointer, Problems& problems) {
    std::vector<const Form*> chosen;
    std::vector<std::string> marks;
    for (const Form& form : shape.forms) {
        marks.push_back("\"" + form.required.front() + "\"");
        if (object.contains(form.required.front())) chosen.push_back(&form);
    }
    const std::string where = pointer.empty() ? "the scenario" : pointer;
    if (chosen.empty()) {
        add(problems, "missing-key", below(pointer, shape.forms.front().required.front()),
            where + " needs one of " + joinWords(marks, "and") + ".", "Add " + joinWords(marks, "or") + ".");
        return;
    }
    if (chosen.size() > 1) {
        const std::string& second = chosen[1]->required.front();
        add(problems, "conflicting-keys", below(pointer, second),
            "\"" + chosen[0]->required.front() + "\" and \"" + second + "\" exclude each other in " + where + ".",
            "Keep one of " + joinWords(marks, "and") + ".", {{below(pointer, second), nullptr}});
        return;
    }
    for (const std::string& key : chosen.front()->required)
        if (!object.contains(key))
            if (const Field* field = findField(shape, object, key)) addMissing(*field, pointer, problems);
    for (const std::string& key : chosen.front()->forbidden)
        if (object.contains(key))
            add(problems, "conflicting-keys", below(pointer, key),
                "\"" + key + "\" and \"" + chosen.front()->required.front() + "\" exclude each other in " + where + ".",
                "Remove \"" + key + "\".", {{below(pointer, key), nullptr}});
}

void checkObject(const Json& object, const Shape& shape, const std::string& pointer, Problems& problems) {
    const bool variantOpen = !shape.variants.empty() && knownKeys(shape, object).size() == shape.fields.size();
    for (const auto& [key, value] : object.items()) {
        if (const Field* field = findField(shape, object, key)) {
            checkShape(value, field->shape, below(pointer, key), problems);
        } else if (!shape.open && !variantOpen) {
            addUnknownKey(object, shape, pointer, key, problems); // with no valid `kind` nobody can say what is known
        }
    }
    const auto requireAll = [&](const std::vector<Field>& fields) {
        for (const Field& field : fields)
            if (field.required && !object.contains(field.key)) addMissing(field, pointer, problems);
    };
    requireAll(shape.fields);
    for (const Variant& variant : shape.variants)
        if (object.contains("kind") && object.at("kind") == Json(variant.word)) requireAll(variant.fields);
    if (!shape.forms.empty()) checkForms(object, shape, pointer, problems);
}

/// The alternative of a choice that the value was meant as: the one of its type (among several objects, the one whose
/// first key it has).
const Shape* intended(const Json& value, const Shape& shape) {
    const Shape* typed = nullptr;
    for (const Shape& alternative : shape.alternatives) {
        if (!hasType(value, alternative)) continue;
        const bool marked = value.is_object() && !alternative.fields.empty() && value.contains(alternative.fields.front().key);
        if (marked) return &alternative;
        if (!typed) typed = &alternative;
    }
    return typed;
}

} // namespace

void checkShape(const Json& value, const Shape& shape, const std::string& pointer, Problems& problems) {
    if (shape.kind == Kind::free || (shape.nullable && value.is_null())) return;
    if (!hasType(value, shape)) {
        std::string mend = "Write " + kindInWords(shape) + ".";
        std::vector<ScenarioEdit> edits;
        if (const auto right = converted(value, shape)) {
            mend = "Write " + right->dump() + ".";
            edits.push_back({pointer, *right});
        }
        add(problems, "wrong-type", pointer, nameOf(pointer) + " must be " + kindInWords(shape) + ", but is " + shown(value) + ".",
            std::move(mend), std::move(edits));
        return;
    }
    switch (shape.kind) {
    case Kind::object: checkObject(value, shape, pointer, problems); break;
    case Kind::map:
        for (const auto& [key, element] : value.items()) checkShape(element, shape.element.front(), below(pointer, key), problems);
        break;
    case Kind::list: {
        if (value.size() < shape.minItems)
            add(problems, "out-of-range", pointer, nameOf(pointer) + " is an empty list.", "Add at least one entry.");
        std::size_t index = 0;
        for (const Json& element : value) checkShape(element, shape.element.front(), below(pointer, std::to_string(index++)), problems);
        break;
    }
    case Kind::text: checkWord(value, shape, pointer, problems); break;
    case Kind::integer:
    case Kind::number: checkNumber(value, shape, pointer, problems); break;
    case Kind::choice:
        if (const Shape* alternative = intended(value, shape)) checkShape(value, *alternative, pointer, problems);
        break;
    case Kind::boolean:
    case Kind::free: break;
    }
}

} // namespace orrery
