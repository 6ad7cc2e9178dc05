// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/forms/field_control.hpp"
#include "widgets/common/own_markup.hpp"

#include <QAction>
#include <QCoreApplication>

namespace orrery {
namespace {
struct FieldText {
    Q_DECLARE_TR_FUNCTIONS(FieldText)
};
} // namespace

void describeField(QWidget& widget, const FieldSpec& spec) {
    widget.setObjectName(QLatin1String(spec.pointer));
    const QString group = spec.group.trimmed();
    const QString section = sectionTitle(spec.section);
    // Check boxes of a row say only "data": a screen reader needs the row's or the section's name before it.
    const QString name = spec.group.isEmpty() ? spec.label : FieldText::tr("%1: %2").arg(group.isEmpty() ? section : group, spec.label);
    widget.setAccessibleName(name);
    widget.setAccessibleDescription(spec.tooltip);
    widget.setToolTip(spec.tooltip);
}

void sayOfField(QWidget& widget, const QString& toolTip, const QString& description) {
    if (widget.toolTip() != toolTip) widget.setToolTip(toolTip);
    if (widget.accessibleDescription() != description) widget.setAccessibleDescription(description);
}

QString fieldToolTip(const FieldSpec& spec, const FieldState& state, const QString& assumedText) {
    QString tip = QStringLiteral("<p>%1</p>").arg(spec.tooltip.toHtmlEscaped());
    if (!state.locked.isEmpty()) tip += QStringLiteral("<p>%1</p>").arg(state.locked.toHtmlEscaped());
    if (state.idle) tip += QStringLiteral("<p>%1</p>").arg(state.idle.reason.toHtmlEscaped());
    else if (!state.given && !assumedText.isEmpty()) {
        const QString said = state.why.isEmpty() ? FieldText::tr("Assumed: %1").arg(assumedText)
                                                 : FieldText::tr("Assumed: %1. %2").arg(assumedText, state.why);
        tip += QStringLiteral("<p>%1</p>").arg(said.toHtmlEscaped());
    }
    return ownMarkup(tip);
}

void offerDefault(QWidget& widget, const FieldSpec& spec, FieldControl& control, const FieldState& state) {
    const QString name = QStringLiteral("use_default");
    QAction* action = widget.findChild<QAction*>(name, Qt::FindDirectChildrenOnly);
    if (action == nullptr) {
        if (spec.required || spec.kind == FieldKind::derived) return;
        action = new QAction(FieldText::tr("Use the default"), &widget);
        action->setObjectName(name);
        QObject::connect(action, &QAction::triggered, &widget, [&control] {
            if (control.edited) control.edited(nullptr);
        });
        widget.addAction(action);
    }
    action->setEnabled(state.given.has_value());
}

} // namespace orrery
