// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.hpp"

#include <QWidget>

#include <vector>

class QVBoxLayout;

namespace orrery {

class Theme;

/// Problems in words, one below the other, in the colour of their severity. A mend that has edits is a link.
class FieldProblems : public QWidget {
    Q_OBJECT
public:
    explicit FieldProblems(const Theme& theme, QWidget* parent = nullptr);

    void setProblems(const Problems& problems); ///< hides itself when there are none
    void setMistyped(const QString& sentence);  ///< about what was typed and not sent; comes first
    void setNote(const QString& sentence);      ///< why what is given has no effect; comes last
    bool isEmpty() const { return problems_.empty() && mistyped_.isEmpty() && note_.isEmpty(); }

signals:
    void mendChosen(const QString& text, const std::vector<ScenarioEdit>& edits);

private:
    void rebuild();
    void addLine(const QString& html, const char* role, const std::vector<ScenarioEdit>& edits, const QString& mend);

    const Theme& theme_;
    Problems problems_;
    QString mistyped_;
    QString note_;
    QVBoxLayout* column_;
};

} // namespace orrery
