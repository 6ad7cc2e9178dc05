// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/memory/memory_holders.hpp"

#include <QWidget>

QT_BEGIN_NAMESPACE
class QHBoxLayout;
class QLabel;
class QLineEdit;
class QStackedWidget;
class QTableView;
class QToolButton;
QT_END_NAMESPACE

namespace orrery {

class EmptyState;
class HolderModel;
class SortedRows;
class Theme;

/// What holds a stage's memory at the moment looked at, a row a tensor, largest first; sortable, with a filter, and narrowed to
/// what is chosen in the treemap. A row chosen here is chosen there.
class HolderTable : public QWidget {
    Q_OBJECT
public:
    HolderTable(const Theme& theme, MemoryHolders& holders, QWidget* parent = nullptr);

    QTableView* view() const { return view_; }
    HolderModel* model() const { return model_; }
    QHBoxLayout* headerTools() const { return tools_; } ///< right end of the first line
    QString scopeText() const;                          ///< "Memory of stage 0 at 3.2 s: 67.9 GiB"

public slots:
    void setBusy(bool busy);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void buildHeader();
    void applyTheme();
    void updateRows();
    void followChosen();
    void fitColumns();
    void showScope();
    void chooseCurrent();

    const Theme& theme_;
    MemoryHolders& holders_;
    HolderModel* model_;
    SortedRows* sorted_;
    QLabel* scope_;
    QToolButton* everything_;
    QLineEdit* filter_;
    QHBoxLayout* tools_ = nullptr;
    QTableView* view_;
    EmptyState* empty_;
    QStackedWidget* stack_;
    int shownNode_ = -1;     ///< what the rows lie in
    bool following_ = false; ///< the row is being set from the treemap, not by the user
};

} // namespace orrery
