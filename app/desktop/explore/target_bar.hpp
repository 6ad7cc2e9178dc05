// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/search/search_question.hpp"

#include <QWidget>

#include <optional>

class QComboBox;
class QLabel;
class QLineEdit;

namespace orrery {

/// How the plans of a search are shown, and what is read off at a target of the second objective: "tokens/s per user ≥ 50".
class TargetBar : public QWidget {
    Q_OBJECT
public:
    explicit TargetBar(QWidget* parent = nullptr);

    QComboBox* viewBox() const { return view_; }
    QLineEdit* edit() const { return edit_; }
    QLabel* readout() const { return readout_; }

    void setObjective(const Objective& second);
    std::optional<double> target() const;         ///< nothing: none is asked for, or it is no figure
    void setTarget(std::optional<double> target); ///< says nothing of it
    void setReadout(const QString& text);

signals:
    void viewChanged(int view);
    void targetChanged();

private:
    QComboBox* view_;
    QLabel* name_;
    QLineEdit* edit_;
    QLabel* readout_;
    std::string figure_; ///< pointer
};

} // namespace orrery
