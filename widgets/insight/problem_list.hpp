// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.hpp"

#include <QAbstractTableModel>
#include <QWidget>
#include <vector>

namespace orrery {

class Theme;

/// Problems as rows, the worst first; the mend is a link (Qt::UserRole is true) when it can be done by edits.
class ProblemModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { severityColumn,
                  whereColumn,
                  messageColumn,
                  mendColumn,
                  columnTotal };

    explicit ProblemModel(const Theme& theme, QObject* parent = nullptr);

    void setProblems(Problems problems);
    const Problem& problem(int row) const { return problems_[static_cast<std::size_t>(row)]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    const Theme& theme_;
    Problems problems_;
};

} // namespace orrery

QT_BEGIN_NAMESPACE
class QPushButton;
class QStackedWidget;
QT_END_NAMESPACE

namespace orrery {

class LinkTable;
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
