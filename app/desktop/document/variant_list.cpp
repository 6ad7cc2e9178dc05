// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/document/variant_list.hpp"

#include "app/desktop/document/document.hpp"
#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"
#include "core/scenario/document/variants.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <string_view>

namespace orrery {
namespace {

Json listOf(const Json& document) {
    const Json* list = valueAt(document, "/variants");
    return list && list->is_array() ? *list : Json::array();
}

Json variantOf(const std::string& name, Json edits) { return Json{{"name", name}, {"edits", std::move(edits)}}; }

constexpr std::array sharedByVariants{"variants", "measures", "notes", "search", "view", "format"};

/// The scenario without what its variants share.
Json alone(Json document) {
    for (const char* key : sharedByVariants) document.erase(key);
    return document;
}

/// Whether two documents are equal but for what variants share; without a copy, for this is asked at each edit.
bool sameScenario(const Json& a, const Json& b) {
    const auto own = [](const Json& document) {
        std::map<std::string_view, const Json*> members;
        for (const auto& [key, value] : document.items())
            if (std::find(sharedByVariants.begin(), sharedByVariants.end(), key) == sharedByVariants.end()) members.emplace(key, &value);
        return members;
    };
    const auto ofA = own(a), ofB = own(b);
    return std::equal(ofA.begin(), ofA.end(), ofB.begin(), ofB.end(), [](const auto& x, const auto& y) { return x.first == y.first && *x.second == *y.second; });
}

/// The words of the places, "tensor 4, precision fp8", as a name.
std::string nameOf(const std::vector<ScenarioEdit>& edits) {
    std::string name;
    for (const ScenarioEdit& edit : edits) {
        const std::vector<std::string> parts = pointerParts(edit.pointer);
        const Json& value = *edit.value;
        std::string words = parts.empty() ? std::string() : parts.back();
        std::replace(words.begin(), words.end(), '_', ' ');
        if (value.is_string()) words += " " + value.get<std::string>();
        else if (value.is_primitive() && !value.is_null()) words += " " + value.dump();
        name += (name.empty() ? "" : ", ") + words;
        constexpr std::size_t longest = 40;
        if (name.size() > longest) break;
    }
    return name;
}

} // namespace

QStringList VariantList::names() const {
    QStringList names;
    for (const ScenarioVariant& variant : variantsOf(document_.json())) names << QString::fromStdString(variant.name);
    return names;
}

/// Among all that stand in the file, so that what is badly written there does not move the others.
int VariantList::indexOf(const QString& name) const {
    const Json list = listOf(document_.json());
    for (std::size_t i = 0; i < list.size(); ++i)
        if (list[i].is_object() && list[i].contains("name") && list[i]["name"] == name.toStdString()) return static_cast<int>(i);
    return -1;
}

std::vector<ScenarioEdit> VariantList::editsOf(const QString& name) const {
    for (ScenarioVariant& variant : variantsOf(document_.json()))
        if (variant.name == name.toStdString()) return std::move(variant.edits);
    return {};
}

bool VariantList::hasUnsavedChanges() const { return document_.isModified() && !sameScenario(document_.savedJson(), document_.json()); }

void VariantList::duplicate(const QString& name) {
    Json list = listOf(document_.json());
    const int from = indexOf(name);
    const std::string copy = freeVariantName(document_.json(), from < 0 ? tr("variant %1").arg(list.size() + 1).toStdString() : tr("%1 copy").arg(name).toStdString());
    list.insert(from < 0 ? list.end() : list.begin() + from + 1, variantOf(copy, editsObject(editsOf(name))));
    document_.editFile(tr("New variant %1").arg(QString::fromStdString(copy)), {{"/variants", std::move(list)}}, QString::fromStdString(copy));
}

void VariantList::keepChanges() {
    if (!document_.openVariant().isEmpty()) return duplicate(document_.openVariant());
    const std::vector<ScenarioEdit> changes = differences(alone(document_.savedJson()), alone(document_.json()));
    if (changes.empty()) return duplicate({});
    Json list = listOf(document_.json());
    const std::string name = freeVariantName(document_.json(), nameOf(changes));
    list.push_back(variantOf(name, editsObject(changes)));
    std::vector<ScenarioEdit> edits = differences(alone(document_.json()), alone(document_.savedJson()));
    edits.push_back({"/variants", std::move(list)});
    document_.editFile(tr("Keep %1 as a variant").arg(QString::fromStdString(name)), edits, QString::fromStdString(name));
}

bool VariantList::rename(const QString& name, const QString& to) {
    const QString plain = to.trimmed();
    const int index = indexOf(name);
    if (index < 0 || plain.isEmpty() || (plain != name && indexOf(plain) >= 0)) return false;
    const QString open = document_.openVariant() == name ? plain : document_.openVariant();
    return document_.editFile(tr("Rename %1").arg(name), {{"/variants/" + std::to_string(index) + "/name", plain.toStdString()}}, open);
}

void VariantList::move(const QString& name, int by) {
    Json list = listOf(document_.json());
    const int from = indexOf(name), to = std::clamp(from + by, 0, std::max(0, static_cast<int>(list.size()) - 1));
    if (from < 0 || to == from) return;
    Json moved = list[static_cast<std::size_t>(from)];
    list.erase(list.begin() + from);
    list.insert(list.begin() + to, std::move(moved));
    document_.editFile(tr("Move %1").arg(name), {{"/variants", std::move(list)}}, document_.openVariant());
}

void VariantList::remove(const QString& name) {
    Json list = listOf(document_.json());
    const int index = indexOf(name);
    if (index < 0) return;
    list.erase(list.begin() + index);
    document_.editFile(tr("Delete %1").arg(name), {{"/variants", list.empty() ? Json() : std::move(list)}}, document_.openVariant() == name ? QString() : document_.openVariant());
}

} // namespace orrery
