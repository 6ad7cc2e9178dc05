// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/explore/measure_box.hpp"

#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"
#include "widgets/explore/explore_words.hpp"

#include <QCompleter>
#include <QLineEdit>

#include <algorithm>

namespace orrery {
namespace {

constexpr std::size_t mostFigures = 120;

/// Numbers in objects in objects; what a result repeats of its scenario, and how sure it is, is no aim.
void collectFigures(const Json& value, const std::string& pointer, int depth, std::vector<Measure>& measures) {
    constexpr int deepest = 3;
    if (!value.is_object() || depth > deepest) return;
    for (const auto& [key, part] : value.items()) {
        if (depth == 0 && (key == "scenario" || key == "assumed" || key == "uncertainty" || key == "timeline")) continue;
        const std::string place = pointer + joinPointer({key});
        if (part.is_number() && measures.size() < mostFigures) {
            if (std::none_of(measures.begin(), measures.end(), [&](const Measure& known) { return known.pointer == place; })) measures.push_back({place, place});
        } else {
            collectFigures(part, place, depth + 1, measures);
        }
    }
}

} // namespace

MeasureBox::MeasureBox(const QString& accessibleName, QWidget* parent) : QComboBox(parent) {
    setEditable(true);
    setInsertPolicy(QComboBox::NoInsert);
    setAccessibleName(accessibleName);
    setToolTip(tr("A figure of the result, or a pointer to one, such as /memory/peak_bytes"));
    setMinimumHeight(26);
    setMinimumContentsLength(18);
    setMaxVisibleItems(24);
    completer()->setFilterMode(Qt::MatchContains);
    completer()->setCompletionMode(QCompleter::PopupCompletion);
    connect(this, &QComboBox::activated, this, &MeasureBox::askedChanged);
    connect(lineEdit(), &QLineEdit::editingFinished, this, &MeasureBox::askedChanged);
}

int MeasureBox::rowOf(const std::string& name) const {
    for (int i = 0; i < count(); ++i)
        if (itemData(i).toString().toStdString() == name) return i;
    return -1;
}

void MeasureBox::setMeasures(const std::vector<Measure>& measures) {
    const std::string before = count() > 0 ? asked() : std::string();
    const bool typed = before.starts_with('/') && rowOf(before) < 0;
    clear();
    for (const Measure& measure : measures) {
        addItem(measure.name == measure.pointer ? figureName(measure.pointer) : QString::fromStdString(measure.name), QString::fromStdString(measure.name));
        setItemData(count() - 1, QString::fromStdString(measure.pointer), Qt::ToolTipRole);
    }
    setCurrentIndex(typed ? -1 : std::max(rowOf(before), 0));
    if (typed) setEditText(QString::fromStdString(before));
    if (lineEdit()) lineEdit()->setCursorPosition(0);
}

std::string MeasureBox::asked() const {
    const QString text = currentText().trimmed();
    for (int i = 0; i < count(); ++i)
        if (itemText(i) == text) return itemData(i).toString().toStdString();
    return text.toStdString();
}

void MeasureBox::ask(const std::string& nameOrPointer) {
    const int row = rowOf(nameOrPointer);
    setCurrentIndex(row);
    if (row < 0) setEditText(QString::fromStdString(nameOrPointer));
    if (lineEdit()) lineEdit()->setCursorPosition(0);
    emit askedChanged();
}

std::vector<Measure> measuresOf(const Json& document, const Json& result) {
    Json unnamed = document;
    if (unnamed.is_object()) unnamed.erase("measures");
    std::vector<Measure> measures = measuresFor(unnamed, {}); // headlines
    for (const Measure& named : measuresFor(document, {}))
        if (std::none_of(measures.begin(), measures.end(), [&](const Measure& known) { return known.name == named.name; })) measures.push_back(named);
    collectFigures(result, {}, 0, measures);
    return measures;
}

} // namespace orrery
