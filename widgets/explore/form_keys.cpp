// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/explore/form_keys.hpp"

#include "core/base/json.hpp"
#include "widgets/common/place_words.hpp"
#include "widgets/forms/field_table.hpp"

#include <QStringList>

#include <algorithm>
#include <map>
#include <utility>

namespace orrery {
namespace {

std::vector<FormKey> madeFormKeys() {
    std::vector<FormKey> keys;
    std::map<QString, int> uses;
    for (const FieldSpec& spec : scenarioFields()) {
        const bool known = std::any_of(keys.begin(), keys.end(), [&spec](const FormKey& key) { return key.pointer == spec.pointer; });
        if (spec.kind == FieldKind::derived || known) continue; // one key, another field for each kind of workload
        const QString group = spec.group.trimmed();
        // A box of a row is called by both: "Overlap data".
        QString label = spec.label;
        if (!group.isEmpty() && !label.isEmpty()) label = group + u' ' + label;
        keys.push_back({spec.pointer, label});
        ++uses[label.toLower()];
    }
    // Of several fields of one label (of training, of pools) the later ones are told apart by their place.
    std::map<QString, int> seen;
    for (FormKey& key : keys) {
        const QString label = key.name.toLower();
        if (uses[label] < 2 || seen[label]++ == 0) continue;
        const QStringList steps = placeWords(key.pointer).split(QStringLiteral(" › "));
        if (steps.size() > 1) key.name += QStringLiteral(" (") + steps.mid(0, steps.size() - 1).join(u' ') + u')';
    }
    return keys;
}

} // namespace

const std::vector<FormKey>& formKeys() {
    static const std::vector<FormKey> keys = madeFormKeys();
    return keys;
}

QString formKeyName(const std::string& pointer) {
    const std::vector<FormKey>& keys = formKeys();
    const auto found = std::find_if(keys.begin(), keys.end(), [&pointer](const FormKey& key) { return key.pointer == pointer; });
    return found == keys.end() ? QString() : found->name;
}

QString pointerOfKey(const QString& text) {
    const QString wanted = text.trimmed();
    if (wanted.startsWith(u'/')) return wanted;
    for (const FormKey& key : formKeys())
        if (key.name.compare(wanted, Qt::CaseInsensitive) == 0) return QString::fromStdString(key.pointer);
    return {};
}

} // namespace orrery
