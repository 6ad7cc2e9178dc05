// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.hpp"

#include <QWidget>

#include <vector>

QT_BEGIN_NAMESPACE
class QPushButton;
class QStackedWidget;
QT_END_NAMESPACE

namespace orrery {

class LinkTable;
class ProblemModel;
class Theme;

/// Problems and warnings with their place and mend. "Go to", Enter or a double click leads to the place.
class ProblemList : public QWidget {
    Q_OBJECT
public:
    explicit ProblemList(const Theme& theme, QWidget* parent = nullptr);

    ProblemModel* model() const { return model_; }
    LinkTable* view() const { return view_; }

public slots:
    void setProblems(const orrery::Problems& problems);

signals:
    void goTo(const QString& pointer);
    void editRequested(const QString& undoText, const std::vector<orrery::ScenarioEdit>& edits);

private:
    void open(int row);

    ProblemModel* model_;
    LinkTable* view_;
    QPushButton* goToButton_;
    QStackedWidget* stack_;
};

} // namespace orrery
