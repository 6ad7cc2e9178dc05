// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"
#include "widgets/cluster/fields/cluster_fields.hpp"
#include "widgets/common/section.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/forms/catalog_choices.hpp"
#include "widgets/forms/field_problems.hpp"
#include "widgets/forms/field_row.hpp"
#include "widgets/forms/filled_values.hpp"
#include "widgets/forms/flow_layout.hpp"
#include "widgets/forms/form_controls.hpp"
#include "widgets/forms/pass_switch.hpp"
#include "widgets/forms/scenario_form.hpp"
#include "widgets/forms/value_edit.hpp"

#include <QAction>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>

namespace orrery {

// The form's assembly from the field table.

void ScenarioForm::build() {
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    scroll_ = new QScrollArea(this);
    scroll_->setWidgetResizable(true);
    scroll_->setFrameShape(QFrame::NoFrame);
    scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll_->setFocusPolicy(Qt::NoFocus);
    outer->addWidget(scroll_);
    auto* body = new QWidget(scroll_);
    setRole(*body, "panel");
    scroll_->setWidget(body);
    column_ = new QVBoxLayout(body);
    column_->setContentsMargins(0, 2, 0, 12);
    column_->setSpacing(0);

    general_ = new FieldProblems(theme_, body);
    general_->setContentsMargins(12, 8, 12, 4);
    general_->setObjectName(QStringLiteral("general_problems"));
    column_->addWidget(general_);
    for (const FieldSection section : allFieldSections) {
        if (section != FieldSection::model) column_->addWidget(new Hairline(body));
        auto* panel = new Section(sectionTitle(section), theme_, body);
        panel->setFoldable();
        connect(panel, &Section::foldedByHand, this, [this, section](bool folded) { foldedByHand_[section] = folded; });
        sections_[section] = panel;
        auto* problems = new FieldProblems(theme_, panel);
        panel->content()->addWidget(problems);
        sectionProblems_[section] = problems;
        column_->addWidget(panel);
    }
    for (const FieldSpec& spec : scenarioFields()) {
        addField(spec);
        if (spec.kind == FieldKind::model && spec.section == FieldSection::model) addConfigRow();
    }
    column_->addStretch(1);

    for (FieldProblems* list : body->findChildren<FieldProblems*>())
        connect(list, &FieldProblems::mendChosen, this, &ScenarioForm::editRequested);
    alignLabels();
    connect(&theme_, &Theme::changed, this, &ScenarioForm::alignLabels);
}

FieldControl* ScenarioForm::makeControl(const FieldSpec& spec, QWidget* parent) {
    switch (spec.kind) {
    case FieldKind::model: {
        auto* box = new ChoiceBox(spec, modelChoices(catalog_), theme_, parent);
        box->describeUnknown = describeModel;
        return box;
    }
    case FieldKind::platform: {
        auto* box = new ChoiceBox(spec, platformChoices(catalog_), theme_, parent);
        box->describeUnknown = customHostText;
        return box;
    }
    case FieldKind::accelerator: {
        auto* box = new ChoiceBox(spec, acceleratorChoices(catalog_), theme_, parent);
        box->describeUnknown = describeAccelerator;
        return box;
    }
    case FieldKind::framework: return new ChoiceBox(spec, frameworkChoices(catalog_), theme_, parent);
    case FieldKind::choice: {
        std::vector<ChoiceEntry> entries;
        for (const FieldChoice& choice : spec.choices)
            entries.push_back({.value = choice.value, .text = choice.text, .tooltip = choice.tooltip, .byKey = choice.value.is_object()});
        return new ChoiceBox(spec, std::move(entries), theme_, parent);
    }
    case FieldKind::check_list: return new CheckList(spec, theme_, parent);
    case FieldKind::pass: return new PassSwitch(spec, theme_, parent);
    case FieldKind::toggle: return new ToggleBox(spec, theme_, parent);
    case FieldKind::integer:
    case FieldKind::number:
    case FieldKind::data_rate:
    case FieldKind::integer_list:
    case FieldKind::number_list:
    case FieldKind::text:
    case FieldKind::derived: break;
    }
    return new ValueEdit(spec, theme_, parent);
}

void ScenarioForm::addField(const FieldSpec& spec) {
    Section* section = sections_[spec.section];
    const bool grouped = !spec.group.isEmpty();
    FieldRow* row = grouped ? groupRows_[{spec.section, spec.group}] : nullptr;
    const bool firstOfRow = row == nullptr;
    if (firstOfRow) {
        row = new FieldRow(spec.kind == FieldKind::pass ? QString() : grouped ? spec.group.trimmed()
                                                                              : spec.label,
                           theme_, section);
        rows_.push_back(row);
        section->content()->addWidget(row);
    }
    if (grouped && firstOfRow) {
        groupRows_[{spec.section, spec.group}] = row;
        auto* boxes = new QWidget(row);
        boxes->setLayout(new FlowLayout);
        // Boxes are less high than a field; beside a label they stand on its line.
        if (!spec.group.trimmed().isEmpty()) boxes->layout()->setContentsMargins(0, 3, 0, 0);
        row->setEditor(boxes, nullptr);
    }
    QWidget* parent = grouped ? row->editor() : row;
    FieldControl* control = makeControl(spec, parent);
    if (grouped) parent->layout()->addWidget(control->widget());
    else row->setEditor(control->widget(), control);
    control->edited = [this, spec](const Json& value) { askFor(spec, value); };
    control->mistyped = [row](const QString& sentence) { row->problems().setMistyped(sentence); };
    if (isSweepable(spec)) {
        // A pass's switch stands inside its line, and takes the right click.
        QWidget* box = control->widget()->findChild<ToggleBox*>();
        QWidget* host = box != nullptr ? box : control->widget();
        auto* sweep = new QAction(tr("Sweep this…"), host);
        sweep->setObjectName(QStringLiteral("sweep_this"));
        connect(sweep, &QAction::triggered, this, [this, spec] { askSweep(spec); });
        host->addAction(sweep);
    }
    fields_.push_back({spec, control, row});
}

void ScenarioForm::addConfigRow() {
    auto* row = new FieldRow(tr("From file"), theme_, sections_[FieldSection::model]);
    openConfig_ = new QPushButton(row);
    openConfig_->setObjectName(QStringLiteral("open_config"));
    openConfig_->setAccessibleName(tr("Model from a config.json file"));
    openConfig_->setToolTip(tr("Opens a Hugging Face config.json as the model."));
    openConfig_->setFont(theme_.bodyFont());
    openConfig_->setText(tr("config.json…"));
    openConfig_->setStyleSheet(QStringLiteral("text-align: left; padding-left: 9px;")); // where the other fields begin
    openConfig_->setMinimumHeight(26);
    connect(openConfig_, &QPushButton::clicked, this, &ScenarioForm::openConfigRequested);
    connect(&theme_, &Theme::changed, openConfig_, [this] { openConfig_->setFont(theme_.bodyFont()); });
    row->setEditor(openConfig_, nullptr);
    rows_.push_back(row);
    sections_[FieldSection::model]->content()->addWidget(row);
}

void ScenarioForm::alignLabels() {
    int widest = 0;
    for (const FieldRow* row : rows_) widest = std::max(widest, row->labelWidth());
    for (FieldRow* row : rows_) row->setLabelWidth(row->labelWidth() == 0 ? 0 : widest);
}

// What the form asks to be swept.

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
