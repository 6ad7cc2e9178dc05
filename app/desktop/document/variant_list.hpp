// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.hpp"

#include <QCoreApplication>
#include <QString>
#include <QStringList>

#include <vector>

namespace orrery {

class ScenarioDocument;

/// The variants of a document as a user changes them: each call is one undo step.
class VariantList {
    Q_DECLARE_TR_FUNCTIONS(VariantList)
public:
    explicit VariantList(ScenarioDocument& document) : document_(document) {}

    QStringList names() const;
    int indexOf(const QString& name) const;                       ///< -1: none is called so
    std::vector<ScenarioEdit> editsOf(const QString& name) const; ///< none for the scenario itself
    bool hasUnsavedChanges() const;                               ///< of the scenario itself, which `keepChanges` makes a variant

    /// A copy of a variant, or of the scenario itself for an empty name, which stands behind it and is opened.
    void duplicate(const QString& name);
    /// What was changed of the scenario since it was read or saved becomes a variant, and the scenario what it was. A variant that is open is
    /// copied.
    void keepChanges();
    /// False: the name is empty or another one's.
    bool rename(const QString& name, const QString& to);
    void move(const QString& name, int by); ///< places to the right
    void remove(const QString& name);

private:
    ScenarioDocument& document_;
};

} // namespace orrery
