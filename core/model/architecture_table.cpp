// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/architecture_table.hpp"

#include "core/base/json.hpp"

#include <cstddef>
#include <stdexcept>

namespace orrery {

namespace embedded {

extern const char architecture_rows[];
extern const std::size_t architecture_rows_size;

} // namespace embedded

namespace {

constexpr const char* tableFormat = "orrery-architectures/1";

[[noreturn]] void refuseTable(const std::string& where, const std::string& why) {
    throw std::runtime_error("catalogue architectures.json, " + where + ": " + why);
}

std::vector<std::string> namesIn(const Json& list) {
    std::vector<std::string> names;
    for (const Json& name : list) names.push_back(name.get<std::string>());
    return names;
}

/// A row laid over the one that it is like, property by property; elders may have elders.
Json wholeRow(const std::map<std::string, Json>& plain, const std::string& type, int depth = 0) {
    constexpr int deepest = 16; // no line of elders is longer; a circle is
    const auto found = plain.find(type);
    if (found == plain.end()) refuseTable(type, "is no row");
    if (depth > deepest) refuseTable(type, "is like itself");
    const auto elder = found->second.find("like");
    if (elder == found->second.end()) return found->second;
    Json whole = wholeRow(plain, elder->get<std::string>(), depth + 1);
    whole.erase("class"); // an elder's class is its own
    whole.erase("also");
    whole.erase("shape_only");
    for (const auto& [key, value] : found->second.items()) whole[key] = value;
    return whole;
}

} // namespace

namespace {

using Rows = std::map<std::string, BoxedJson, std::less<>>;

/// Rows by type and by what else goes by them, each with its elders' properties.
template <class Visit> void readRows(const Json& list, Rows& rows, Visit visit) {
    std::map<std::string, Json> plain;
    for (const Json& row : list) {
        const std::string type = row.at("type").get<std::string>();
        if (!plain.emplace(type, row).second) refuseTable(type, "stands twice");
    }
    for (const auto& [type, row] : plain) {
        const Json whole = wholeRow(plain, type);
        visit(type, whole);
        if (const auto also = whole.find("also"); also != whole.end())
            for (const std::string& other : namesIn(*also)) rows.emplace(other, BoxedJson(whole));
        if (!whole.value("shape_only", false)) rows.emplace(type, BoxedJson(whole));
    }
}

} // namespace

ArchitectureTable ArchitectureTable::fromText(std::string_view text) {
    ArchitectureTable table;
    Json document;
    try {
        document = Json::parse(text);
        if (document.at("format") != tableFormat) refuseTable("/format", std::string("must be ") + tableFormat);
        readRows(document.at("types"), table.rows_, [&](const std::string& type, const Json& whole) {
            if (const auto name = whole.find("class"); name != whole.end()) table.classes_.emplace(name->get<std::string>(), type);
        });
        if (document.contains("towers")) readRows(document.at("towers"), table.towers_, [](const std::string&, const Json&) {});
        if (document.contains("defaults"))
            for (const auto& [type, fields] : document.at("defaults").items()) table.defaults_.emplace(type, BoxedJson(fields));
        for (const auto& [type, what] : document.at("refused").items()) table.refusals_.emplace(type, what.get<std::string>());
        for (const auto& [field, what] : document.at("structural").items()) table.structural_.push_back({field, what.get<std::string>()});
        table.structuralWords_ = document.at("structural_words").get<std::vector<std::string>>();
        table.harmless_ = document.at("harmless").get<std::set<std::string>>();
        for (const Json& like : document.at("likenesses")) table.likenesses_.push_back({namesIn(like.at("fields")), like.at("type").get<std::string>()});
        table.wrapperKeys_ = namesIn(document.at("wrapper_keys"));
    } catch (const Json::exception& error) {
        refuseTable("", error.what());
    }
    for (const Likeness& likeness : table.likenesses_)
        if (!table.row(likeness.type)) refuseTable("/likenesses", likeness.type + " is no row");
    return table;
}

std::string_view ArchitectureTable::shippedText() { return {embedded::architecture_rows, embedded::architecture_rows_size}; }

const ArchitectureTable& ArchitectureTable::shipped() {
    static const ArchitectureTable table = fromText(shippedText());
    return table;
}

const Json* ArchitectureTable::row(std::string_view type) const {
    const auto found = rows_.find(type);
    return found == rows_.end() ? nullptr : &*found->second;
}

const Json* ArchitectureTable::tower(std::string_view type) const {
    const auto found = towers_.find(type);
    return found == towers_.end() ? nullptr : &*found->second;
}

const Json* ArchitectureTable::defaults(std::string_view type) const {
    const auto found = defaults_.find(type);
    return found == defaults_.end() ? nullptr : &*found->second;
}

const std::string* ArchitectureTable::typeOfClass(std::string_view className) const {
    const auto found = classes_.find(className);
    return found == classes_.end() ? nullptr : &found->second;
}

const std::string* ArchitectureTable::refusal(std::string_view type) const {
    const auto found = refusals_.find(type);
    return found == refusals_.end() ? nullptr : &found->second;
}

std::vector<std::string> ArchitectureTable::types() const {
    std::vector<std::string> names;
    for (const auto& [type, row] : rows_) names.push_back(type);
    return names;
}

} // namespace orrery
