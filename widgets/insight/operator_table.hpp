// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/result.hpp"
#include "widgets/insight/operator_rows.hpp"

#include <QTimer>
#include <QWidget>

QT_BEGIN_NAMESPACE
class QHBoxLayout;
class QLabel;
class QLineEdit;
class QStackedWidget;
class QTableView;
QT_END_NAMESPACE

namespace orrery {

class OperatorRows;
class Selection;
class SortedRows;
class Theme;

/// Operators of the chosen stage and time range, longest first, sortable and with a filter. A row chosen here is chosen
/// everywhere, and the other way round.
class OperatorTable : public QWidget {
    Q_OBJECT
public:
    OperatorTable(const Theme& theme, Selection& selection, QWidget* parent = nullptr);

    QString scopeText() const; ///< "Selection 0.00–10.7 s, stage 0"
    OperatorRows* model() const { return model_; }
    QTableView* view() const { return view_; }
    QHBoxLayout* headerTools() const { return tools_; } ///< right end of the first line

public slots:
    void setResult(orrery::ResultPtr result);
    void setBusy(bool busy);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void buildHeader();
    void fitColumns();
    void applyTheme();
    void updateRows();
    void followOperator();
    void chooseCurrent();
    OperatorScope scope() const;

    const Theme& theme_;
    Selection& selection_;
    ResultPtr result_;
    OperatorRows* model_;
    SortedRows* sorted_;
    QLabel* scopeLabel_;
    QLineEdit* filter_;
    QHBoxLayout* tools_ = nullptr;
    QTableView* view_;
    QWidget* empty_;
    QStackedWidget* stack_;
    QTimer pending_;         ///< a dragged range changes at every mouse move: sums follow once it rests a frame long
    bool following_ = false; ///< the row is being set from the selection, not by the user
};

} // namespace orrery
