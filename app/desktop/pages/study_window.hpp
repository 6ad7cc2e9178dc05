// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/desktop/background/study_worker.hpp"
#include "app/desktop/manners/dialogs.hpp"
#include "core/base/json_forward.hpp"

#include <QWidget>

QT_BEGIN_NAMESPACE
class QComboBox;
class QLabel;
class QPushButton;
class QTableView;
class QToolButton;
QT_END_NAMESPACE

namespace orrery {

class Catalog; // core/catalog
class SortedRows;
class StudyChart;
class StudyModel;
class Theme;

/// A study in a window of its own: what is plotted, as grouped bars and as a table, filled while its scenarios are simulated.
class StudyWindow : public QWidget {
    Q_OBJECT
public:
    StudyWindow(const Catalog& catalog, const Theme& theme, const Dialogs& dialogs, QWidget* parent = nullptr);
    ~StudyWindow() override;

    void bringToFront(); ///< above the window it was opened from, also when a menu or the start of the program still holds that in front
    void show(const Study& study, FileReader readFile, const QString& folder);
    using QWidget::show;

    StudyChart* chart() const { return chart_; }
    QTableView* table() const { return table_; }
    QComboBox* plotBox() const { return plotBox_; }
    QString statusText() const;
    StudyResultPtr result() const { return result_; }

signals:
    void exportAsked();                               ///< with the choice of size, letters and colours
    void openRequested(const orrery::Json& scenario); ///< a bar's scenario, to be looked at in the main window
    void finished();

private:
    void build();
    void applyTheme();
    void takeResult(const StudyResultPtr& result);
    void showStatus(double seconds);
    void choosePlot(int plot);
    void followRow();
    void openPoint(int point);
    void exportAs(const QString& ending);
    void fitColumns();
    bool opensPoints() const; ///< its bars are scenarios

    const Theme& theme_;
    const Dialogs& dialogs_;
    QString folder_; ///< where exports go
    StudyResultPtr result_;
    StudyWorker worker_;
    QLabel* title_ = nullptr;
    QLabel* notes_ = nullptr;
    QLabel* status_ = nullptr;
    QComboBox* plotBox_ = nullptr;
    QToolButton* shares_ = nullptr;
    QPushButton* open_ = nullptr;
    StudyChart* chart_ = nullptr;
    StudyModel* model_ = nullptr;
    SortedRows* sorted_ = nullptr;
    QTableView* table_ = nullptr;
    bool following_ = false;
};

} // namespace orrery
