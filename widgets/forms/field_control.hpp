// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.hpp"
#include "widgets/forms/field_rules.hpp"
#include "widgets/forms/field_table.hpp"

#include <QString>
#include <QWidget>

#include <functional>
#include <optional>

namespace orrery {

/// What a field has to show.
struct FieldState {
    std::optional<Json> given;                               ///< the document's value; nothing: the key is absent
    std::optional<Json> assumed;                             ///< the value that the simulation took for an absent key
    QString why;                                             ///< why it was assumed
    NotApplicable idle;                                      ///< the field does not apply; one that is given can still be changed
    std::vector<std::pair<Json, NotApplicable>> idleChoices; ///< choices that do not
    QString locked;                                          ///< why it may be read and not touched; empty: it may
    bool isGreyed() const { return idle && !given; }
    bool takesEdits() const { return !isGreyed() && locked.isEmpty(); }
};

/// A field's editor. It never keeps a value of its own: it asks for a change by `edited` and shows what comes back.
class FieldControl {
public:
    virtual ~FieldControl() = default;
    virtual QWidget* widget() = 0;
    virtual void show(const FieldState& state) = 0;
    virtual int textWidth() const = 0;             ///< px that the value takes at least, with what stands beside it
    virtual void setBatchMultiple(std::int64_t) {} ///< what FieldStep::batch steps by

    std::function<void(const Json&)> edited;      ///< null: remove the key
    std::function<void(const QString&)> mistyped; ///< a sentence on what was typed, or empty: all is well
};

/// Name, tooltip and accessibility of an editor, from its row of the table.
void describeField(QWidget& widget, const FieldSpec& spec);

/// The tooltip with what is assumed, and why, below it.
QString fieldToolTip(const FieldSpec& spec, const FieldState& state, const QString& assumedText);

/// What a field says of itself now. A widget tells its window and every listener of words that it is given, though they are the same: for
/// all fields of a form that takes a third of the time to show them.
void sayOfField(QWidget& widget, const QString& toolTip, const QString& description);

/// A context menu's entry that removes the key, for a field that has a default and a value.
void offerDefault(QWidget& widget, const FieldSpec& spec, FieldControl& control, const FieldState& state);

} // namespace orrery
