// SPDX-License-Identifier: GPL-3.0-or-later
// What the form asks to be swept.

#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"
#include "widgets/cluster/fields/cluster_fields.hpp"
#include "widgets/forms/catalog_choices.hpp"
#include "widgets/forms/choice_box.hpp"
#include "widgets/forms/filled_values.hpp"
#include "widgets/forms/proposed_values.hpp"
#include "widgets/forms/scenario_form.hpp"

namespace orrery {

Json ScenarioForm::presentValue(const FieldSpec& spec) const {
    if (const std::optional<Json> given = givenAt(spec.pointer)) return *given;
    Json value;
    if (assumptionFor(spec.pointer, value)) return value;
    if (result_)
        if (const std::optional<Json> filled = filledValue(result_->scenario, spec.pointer)) return *filled;
    return spec.contractDefault;
}

void ScenarioForm::askSweep(const FieldSpec& spec) {
    std::vector<Json> choices;
    const std::vector<ChoiceEntry> entries = spec.kind == FieldKind::accelerator ? acceleratorChoices(catalog_) : spec.kind == FieldKind::framework ? frameworkChoices(catalog_)
                                                                                                                                                    : std::vector<ChoiceEntry>();
    choices.reserve(entries.size());
    for (const ChoiceEntry& entry : entries) choices.push_back(entry.value);
    emit sweepRequested(QString::fromLatin1(spec.pointer), proposedValues(spec, presentValue(spec), choices));
}

bool ScenarioForm::askSweepOf(const QWidget* widget) {
    for (const Field& field : fields_) {
        const QWidget* editor = field.control->widget();
        if (!widget || (widget != editor && !editor->isAncestorOf(widget))) continue;
        if (!isSweepable(field.spec)) return false;
        askSweep(field.spec);
        return true;
    }
    return false;
}

} // namespace orrery
