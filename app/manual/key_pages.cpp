// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/manual/key_pages.hpp"

#include "core/base/json.hpp"
#include "core/scenario/document/schema_table.hpp"

#include <array>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

namespace orrery {
namespace {

/// Sections with a page of their own; the others share one.
constexpr std::array<std::string_view, 6> sections{"model", "cluster", "workload", "parallelism", "execution", "search"};

std::string numberText(double number) {
    if (std::abs(number) >= 1e15) return "any";
    return Json(number == std::floor(number) && std::abs(number) < 1e12 ? Json(static_cast<long long>(number)) : Json(number)).dump();
}

std::string rangeText(const Shape& shape) {
    const std::string least = numberText(shape.least), most = numberText(shape.most);
    if (least == "any" && most == "any") return "";
    return ", from " + least + (most == "any" ? "" : " to " + most);
}

std::string kindText(const Shape& shape) {
    switch (shape.kind) {
    case Shape::Kind::free: return "anything";
    case Shape::Kind::object: return "an object";
    case Shape::Kind::map: return "an object with names of your own; each is " + kindText(shape.element.front());
    case Shape::Kind::list: return "a list; each entry is " + kindText(shape.element.front());
    case Shape::Kind::text: break;
    case Shape::Kind::integer: return "a whole number" + rangeText(shape);
    case Shape::Kind::number: return "a number" + rangeText(shape);
    case Shape::Kind::boolean: return "true or false";
    case Shape::Kind::choice: {
        std::string text;
        for (const Shape& one : shape.alternatives) text += (text.empty() ? "" : "; or ") + kindText(one);
        return text;
    }
    }
    if (shape.words.empty()) return "text";
    std::string text = shape.words.size() == 1 ? "" : "one of ";
    for (const std::string& word : shape.words) text += (&word == &shape.words.front() ? "`" : ", `") + word + "`";
    return text;
}

class KeyWalk {
public:
    void walk(const Shape& shape, const std::string& at) {
        for (const Field& field : shape.fields) enter(field, at, "");
        for (const Variant& variant : shape.variants)
            for (const Field& field : variant.fields) enter(field, at, variant.word);
        if (shape.kind == Shape::Kind::list) walk(shape.element.front(), at + "/*");
        if (shape.kind == Shape::Kind::map) walk(shape.element.front(), at + "/NAME");
        for (const Shape& one : shape.alternatives) walk(one, at);
        describeKinds(shape, at);
    }
    std::vector<KeyEntry> entries;

private:
    void enter(const Field& field, const std::string& at, const std::string& kind) {
        const std::string pointer = at + "/" + field.key;
        // A key of several kinds of an object is said where it comes first.
        if (seen_.insert(pointer).second) {
            std::string text = field.description + "\n\n*Is* " + kindText(field.shape) + (field.shape.nullable ? ", or null" : "") + ".";
            if (field.required) text += " *Must be there.*";
            if (!field.fallback->is_null()) text += " *Left out:* `" + field.fallback->dump() + "`.";
            if (!kind.empty()) text += " *Where `kind` is* `" + kind + "`.";
            entries.push_back({pointer, text});
        }
        walk(field.shape, pointer);
    }

    /// What chooses between sets of keys is a key itself.
    void describeKinds(const Shape& shape, const std::string& at) {
        if (shape.variants.empty() || !seen_.insert(at + "/kind").second) return;
        std::string text = "What it is: which other keys there are follows from it.\n";
        for (const Variant& variant : shape.variants) text += "\n- `" + variant.word + "`: " + variant.description;
        entries.push_back({at + "/kind", text});
    }

    std::set<std::string> seen_;
};

std::string sectionOf(const std::string& pointer) {
    const std::string first = pointer.substr(1, pointer.find('/', 1) - 1);
    for (const std::string_view section : sections)
        if (first == section) return first;
    return "others";
}

std::string titleOf(const std::string& section) { return section == "others" ? "Keys of a scenario: what else there is" : "Keys of a scenario: " + section; }

} // namespace

std::vector<KeyEntry> keyEntries() {
    KeyWalk keys;
    keys.walk(scenarioShape(), "");
    return std::move(keys.entries);
}

std::string keyPageOf(const std::string& pointer) { return "keys-" + sectionOf(pointer); }

std::vector<ManualPage> keyPages() {
    std::vector<ManualPage> pages;
    const auto add = [&](const std::string& section) {
        pages.push_back({"keys-" + section, titleOf(section), "# " + titleOf(section) + "\n\nEach heading is a pointer into the scenario: `*` stands for an entry of a list, `NAME` for a name of your own. `orrery-cli schema` prints the same as a JSON Schema.\n"});
    };
    for (const std::string_view section : sections) add(std::string(section));
    add("others");
    for (const KeyEntry& entry : keyEntries()) {
        const std::string name = keyPageOf(entry.pointer);
        for (ManualPage& page : pages)
            if (page.name == name) page.text += "\n## `" + entry.pointer + "`\n\n" + entry.text + "\n";
    }
    return pages;
}

} // namespace orrery
