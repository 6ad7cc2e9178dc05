// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/explore/measures.hpp"

#include <QComboBox>

#include <string>
#include <vector>

namespace orrery {

/// A choice among figures of the result and measures that the scenario names; a pointer into the result can be typed too.
class MeasureBox : public QComboBox {
    Q_OBJECT
public:
    explicit MeasureBox(const QString& accessibleName, QWidget* parent = nullptr);

    /// The choices in their order. What is chosen stays, if it is still one of them or was typed; else the first is.
    void setMeasures(const std::vector<Measure>& measures);
    std::string asked() const; ///< a measure's name or a pointer
    void ask(const std::string& nameOrPointer);

signals:
    void askedChanged();

private:
    int rowOf(const std::string& name) const;
};

/// What can be asked of a result: its headline figures, what the scenario names, then every number that it has outside lists.
std::vector<Measure> measuresOf(const Json& document, const Json& result);

} // namespace orrery
