// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/forms/scenario_form.hpp"

#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"
#include "widgets/cluster/fields/cluster_fields.hpp"
#include "widgets/common/core_words.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/key_words.hpp"
#include "widgets/common/section.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/forms/catalog_choices.hpp"
#include "widgets/forms/field_problems.hpp"
#include "widgets/forms/field_row.hpp"
#include "widgets/forms/filled_values.hpp"
#include "widgets/forms/form_controls.hpp"
#include "widgets/forms/form_edits.hpp"
#include "widgets/forms/pass_switch.hpp"
#include "widgets/forms/value_edit.hpp"
#include "widgets/forms/value_text.hpp"

#include <QApplication>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>
#include <string_view>

namespace orrery {
namespace {

/// True when `pointer` is `top` or lies below it.
bool isWithin(std::string_view pointer, std::string_view top) {
    return pointer.substr(0, top.size()) == top && (pointer.size() == top.size() || pointer[top.size()] == '/');
}

} // namespace

ScenarioForm::ScenarioForm(const Catalog& catalog, const Theme& theme, QWidget* parent) : QWidget(parent), catalog_(catalog), theme_(theme) {
    build();
    setDocument(Json::object());
}

ScenarioForm::~ScenarioForm() = default;

void ScenarioForm::setDocument(const Json& scenarioDocument) {
    document_ = scenarioDocument;
    facts_ = planFacts(document_, catalog_);
    cluster_ = std::make_unique<ClusterFields>(document_, catalog_);
    showFields();
    showSummaries();
    foldEmpty();
}

void ScenarioForm::setProblems(const Problems& problems) {
    const bool held = !hasErrors(problems_);
    problems_ = problems;
    if (held != !hasErrors(problems_)) showFields(); // with errors, what the last result derived no longer holds
    showProblems();
    showSummaries();
}

void ScenarioForm::setAssumed(const std::vector<Assumption>& assumed) {
    assumed_ = assumed;
    showFields();
}

void ScenarioForm::setResult(const ResultPtr& result) {
    result_ = result;
    if (result_) assumed_ = result_->assumed;
    showFields();
    showSummaries();
}

void ScenarioForm::setPassNotes(const std::vector<PassNote>& notes) {
    for (const Field& field : fields_) {
        if (field.spec.kind != FieldKind::pass) continue;
        const std::string_view name = std::string_view(field.spec.pointer).substr(std::string_view("/execution/passes/").size());
        const auto found = std::find_if(notes.begin(), notes.end(), [name](const PassNote& note) { return note.pass == name; });
        static_cast<PassSwitch*>(field.control)->setNote(found != notes.end() ? *found : PassNote{});
    }
}

void ScenarioForm::askFor(const FieldSpec& spec, const Json& value) {
    QString undoText;
    if (value.is_null()) {
        undoText = tr("Use the default for %1").arg(spec.label);
    } else if (spec.kind == FieldKind::platform || spec.kind == FieldKind::accelerator) {
        const std::vector<ChoiceEntry> entries = spec.kind == FieldKind::platform ? platformChoices(catalog_) : acceleratorChoices(catalog_);
        const auto chosen = std::find_if(entries.begin(), entries.end(), [&value](const ChoiceEntry& entry) { return entry.stands(value); });
        undoText = tr("Set %1 to %2").arg(spec.label, chosen != entries.end() ? chosen->text : describeAccelerator(value));
    } else if (spec.kind == FieldKind::model) {
        undoText = tr("Set %1 to %2").arg(spec.label, describeModel(value));
    } else if (value.is_boolean()) {
        undoText = value.get<bool>() ? tr("Switch %1 on").arg(spec.label) : tr("Switch %1 off").arg(spec.label);
    } else if (value.is_object() && spec.choices.size() == 1) {
        undoText = tr("Set %1 to %2").arg(spec.label, spec.choices.front().text);
    } else {
        const QString text = value.is_string() ? QString::fromStdString(value.get<std::string>()) : valueText(spec.kind, value);
        undoText = tr("Set %1 to %2").arg(spec.label, text);
    }
    if (ClusterFields::has(spec.pointer)) {
        if (const std::vector<ScenarioEdit> edits = cluster_->edits(spec.pointer, value); !edits.empty()) emit editRequested(undoText, edits);
        return;
    }
    if (spec.pointer == std::string_view("/workload/kind") && value.is_string()) {
        if (const std::vector<ScenarioEdit> edits = kindEdits(document_, value.get<std::string>(), catalog_); !edits.empty()) emit editRequested(undoText, edits);
        return;
    }
    if (spec.pointer == std::string_view("/workload/requests/arrival/process") && value.is_string()) {
        emit editRequested(undoText, arrivalEdits(document_, value.get<std::string>()));
        return;
    }
    const ScenarioEdit wanted{spec.pointer, value};
    if (isLengthDistribution(spec.pointer)) {
        if (const std::vector<ScenarioEdit> edits = lengthEdits(document_, wanted); !edits.empty()) emit editRequested(undoText, edits);
        return;
    }
    if (isServedChoice(spec.pointer)) {
        if (const std::vector<ScenarioEdit> edits = servedEdits(document_, wanted, catalog_); !edits.empty()) emit editRequested(undoText, edits);
        return;
    }
    emit editRequested(undoText, isJitterField(spec.pointer) ? jitterEdits(document_, wanted) : std::vector{wanted});
}

std::optional<Json> ScenarioForm::givenAt(const char* pointer) const {
    if (ClusterFields::has(pointer)) return cluster_->given(pointer);
    const Json::json_pointer place{std::string(pointer)};
    if (!document_.contains(place) || document_.at(place).is_null()) return std::nullopt;
    return document_.at(place);
}

/// An assumption may name the field itself or an object above it, `/execution/overlap` say.
const Assumption* ScenarioForm::assumptionFor(const std::string& pointer, Json& value) const {
    for (const Assumption& assumption : assumed_) {
        if (!isWithin(pointer, assumption.pointer)) continue;
        const Json::json_pointer rest{pointer.substr(assumption.pointer.size())};
        if (!assumption.value->contains(rest)) continue;
        value = assumption.value->at(rest);
        return &assumption;
    }
    return nullptr;
}

bool ScenarioForm::appliesTo(const FieldSpec& spec) const { return (spec.kinds & kindNamed(facts_.kind)) != 0; }

/// Profiles of software that does not run this kind of workload; they are not offered.
std::vector<std::pair<Json, NotApplicable>> ScenarioForm::foreignFrameworks() const {
    std::vector<std::pair<Json, NotApplicable>> foreign;
    const char* use = facts_.kind == "training" || facts_.kind == "rl" ? "training" : "inference";
    for (const FrameworkProfile& profile : catalog_.frameworks())
        if (std::find(profile.use.begin(), profile.use.end(), use) == profile.use.end())
            foreign.emplace_back(profile.id, NotApplicable{tr("This software does not run this kind of workload."), {}});
    return foreign;
}

void ScenarioForm::setTouchable(std::optional<std::vector<std::string>> pointers, const QString& reason) {
    touchable_ = std::move(pointers);
    lockReason_ = reason;
    openConfig_->setEnabled(mayTouch("/model"));
    showFields();
}

/// A key that may be touched opens the fields of its parts too, and a part the field that edits the whole.
bool ScenarioForm::mayTouch(std::string_view pointer) const {
    const auto isPartOf = [](std::string_view part, std::string_view whole) { return part == whole || (part.starts_with(whole) && part[whole.size()] == '/'); };
    return !touchable_ || std::any_of(touchable_->begin(), touchable_->end(), [&](const std::string& open) { return isPartOf(pointer, open) || (pointer != ClusterFields::platform && isPartOf(open, pointer)); });
}

void ScenarioForm::showFields() {
    const bool derivedHolds = result_ && !hasErrors(problems_);
    for (Field& field : fields_) {
        FieldState state;
        state.given = givenAt(field.spec.pointer);
        if (field.spec.kind == FieldKind::model && state.given && state.given->is_string()) state.given = Json{{"preset", *state.given}};
        if (field.spec.kind == FieldKind::model && state.given && state.given->is_object() && state.given->contains("preset"))
            state.given = Json{{"preset", (*state.given)["preset"]}};
        Json value;
        if (const Assumption* assumption = assumptionFor(field.spec.pointer, value)) {
            state.assumed = value;
            state.why = coreWords(assumption->why);
        } else if (const std::optional<Json> filled = derivedHolds ? filledValue(result_->scenario, field.spec.pointer) : std::nullopt) {
            state.assumed = filled;
        } else if (!field.spec.contractDefault.is_null()) {
            state.assumed = field.spec.contractDefault;
        } else if (field.spec.section == FieldSection::cluster) {
            state.assumed = cluster_->assumed(field.spec.pointer);
        }
        if (field.spec.kind == FieldKind::derived) {
            state.given.reset();
            if (!derivedHolds) state.assumed.reset();
        }
        if (field.spec.step == FieldStep::batch)
            field.control->setBatchMultiple(
                derivedHolds && result_->scenario.isTraining() ? static_cast<std::int64_t>(result_->scenario.training().microBatch) * result_->scenario.parallelism.data : 0);
        if (field.spec.section == FieldSection::cluster && cluster_->differ(field.spec.pointer)) state.assumed = tr("several").toStdString();
        const bool applies = appliesTo(field.spec);
        state.idle = applies ? whyFieldIsIdle(field.spec.pointer, facts_) : whyKindIsOther(facts_);
        if (cluster_->isDrawn() && field.spec.pointer == std::string_view("/cluster/scale_up/domain_size")) state.idle = {tr("In a drawing each host says which domain it is of."), tr("as drawn")};
        if (!mayTouch(field.spec.pointer)) state.locked = lockReason_;
        if (field.spec.kind == FieldKind::framework) state.idleChoices = foreignFrameworks();
        for (const FieldChoice& choice : field.spec.choices)
            if (NotApplicable idle = whyChoiceIsIdle(field.spec.pointer, choice.value, facts_)) state.idleChoices.emplace_back(choice.value, std::move(idle));
        field.control->show(state);
        const bool inParts = field.spec.plainOnly && state.given && state.given->is_object();
        const bool shown = !inParts && (state.given.has_value() || (applies && !field.spec.partOfChoice));
        if (field.spec.group.isEmpty()) field.row->setVisible(shown);
        else field.control->widget()->setVisible(shown);
        if (field.spec.group.isEmpty()) field.row->problems().setNote(state.given ? state.idle.reason : QString());
        field.row->arrange();
    }
    openConfig_->setText(tr("config.json…"));
    if (const std::optional<Json> model = givenAt("/model"); model && model->is_object() && !model->contains("preset"))
        openConfig_->setText(tr("another config.json…"));
}

const ScenarioForm::Field* ScenarioForm::fieldFor(const std::string& pointer) const {
    const Field* best = nullptr;
    for (const Field& field : fields_) {
        if (!isWithin(pointer, field.spec.pointer)) continue;
        if (best == nullptr || std::string_view(field.spec.pointer).size() > std::string_view(best->spec.pointer).size()) best = &field;
    }
    return best;
}

void ScenarioForm::showProblems() {
    std::map<FieldProblems*, Problems> lists;
    for (FieldRow* row : rows_) lists[&row->problems()];
    for (const auto& entry : sectionProblems_) lists[entry.second];
    lists[general_];
    for (const Problem& problem : problems_) {
        FieldProblems* list = nullptr;
        if (const Field* field = fieldFor(problem.pointer)) {
            list = &field->row->problems();
        } else {
            // Passes lie inside execution: the longest prefix that fits is the right section.
            std::size_t longest = 0;
            for (const FieldSection section : allFieldSections) {
                const std::string_view prefix = sectionPrefix(section);
                if (isWithin(problem.pointer, prefix) && prefix.size() > longest) {
                    longest = prefix.size();
                    list = sectionProblems_[section];
                }
            }
        }
        lists[list != nullptr ? list : general_].push_back(problem);
    }
    for (const auto& [list, problems] : lists) list->setProblems(problems);
    foldEmpty();
}

bool ScenarioForm::isEmpty(FieldSection section) const {
    return std::none_of(fields_.begin(), fields_.end(), [this, section](const Field& field) {
        const bool needed = field.spec.required && !field.spec.partOfChoice && appliesTo(field.spec); // what belongs to a choice is needed with it only
        return field.spec.section == section && (needed || givenAt(field.spec.pointer));
    });
}

void ScenarioForm::foldEmpty() {
    for (const auto& [section, panel] : sections_) {
        const QList<FieldProblems*> lists = panel->findChildren<FieldProblems*>();
        const bool wrong = std::any_of(lists.begin(), lists.end(), [](const FieldProblems* list) { return !list->isEmpty(); });
        const auto byHand = foldedByHand_.find(section);
        const bool folded = byHand != foldedByHand_.end() ? byHand->second : isEmpty(section);
        // Nothing folds over what is wrong, nor under the hands of who is typing.
        if (wrong) panel->setFolded(false);
        else if (!panel->isAncestorOf(QApplication::focusWidget()) || !folded) panel->setFolded(folded);
    }
}

void ScenarioForm::showSummaries() {
    const bool holds = result_ && !hasErrors(problems_);
    QString parameters, ranks, cost;
    if (holds) {
        parameters = result_->scenario.model.toy ? tr("stated times") : tr("%1 parameters").arg(readableCount(result_->parameters).text());
        const Parallelism& plan = result_->scenario.parallelism;
        const QString context = plan.context > 1 ? tr(" × %1").arg(grouped(plan.context)) : QString();
        ranks = tr("%1%2 × %3 × %4 = %5")
                    .arg(grouped(plan.tensor), context, grouped(plan.pipeline), grouped(plan.data), grouped(plan.ranks()));
        if (result_->training() && result_->training()->run) {
            const RunEstimate& run = *result_->training()->run;
            if (run.days) cost = tr("%1 days").arg(grouped(*run.days, *run.days < 10 ? 1 : 0));
            if (run.days && run.cost) cost += tr(" · $ %1").arg(readableCount(*run.cost).text());
        }
    }
    sections_[FieldSection::model]->setSecondary(parameters);
    const int accelerators = cluster_->accelerators();
    sections_[FieldSection::cluster]->setSecondary(accelerators == 0 ? QString() : accelerators == 1 ? tr("1 accelerator")
                                                                                                     : tr("%1 accelerators").arg(grouped(accelerators)));
    sections_[FieldSection::parallelism]->setSecondary(ranks);
    if (cost.isEmpty() && isEmpty(FieldSection::cost)) cost = tr("not set");
    sections_[FieldSection::cost]->setSecondary(cost);
    const std::optional<Json> kind = givenAt("/workload/kind");
    sections_[FieldSection::workload]->setSecondary(keyWords(kind && kind->is_string() ? QString::fromStdString(kind->get<std::string>()) : QStringLiteral("training")));
    int on = 0;
    for (const Field& field : fields_) {
        if (field.spec.section != FieldSection::passes || !appliesTo(field.spec)) continue;
        const std::optional<Json> value = givenAt(field.spec.pointer);
        on += !(value && value->is_boolean() && !value->get<bool>());
    }
    sections_[FieldSection::passes]->setSecondary(tr("%n on", nullptr, on));
}

void ScenarioForm::focusField(const QString& pointer) {
    const Field* field = fieldFor(pointer.toStdString());
    if (field == nullptr) return;
    sections_[field->spec.section]->setFolded(false);
    field->control->widget()->setFocus(Qt::OtherFocusReason);
    scroll_->ensureWidgetVisible(field->row, 0, 24);
}

} // namespace orrery
