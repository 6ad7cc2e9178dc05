// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/evidence/error_tables.hpp"
#include "core/base/json_forward.hpp"
#include "core/results/report/result.hpp"

#include <QWidget>
#include <memory>

QT_BEGIN_NAMESPACE
class QComboBox;
class QHBoxLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QStackedWidget;
class QTableView;
QT_END_NAMESPACE

namespace orrery {

class Catalog; // core/catalog
class ErrorBarSummary;
class ErrorCasesModel;
class ErrorGroupsModel;
class ErrorHistogram;
class SortedErrors;
class Theme;

/// How right the program is: errors of its predictions by accelerator, model, framework or collection with the measured runs behind
/// each number, worst first; what nobody measured; and how sure the scenario at hand is. A row of the groups narrows the runs; Enter
/// or a double click opens a run as a scenario.
class AccuracyPage : public QWidget {
    Q_OBJECT
public:
    /// The catalogue must outlive the page.
    AccuracyPage(const Theme& theme, const Catalog& catalog, QWidget* parent = nullptr);

    void setEvidence(std::shared_ptr<const Evidence> evidence);

    QHBoxLayout* headerTools() const { return tools_; }
    QComboBox* groupingBox() const { return groupingBox_; }
    QComboBox* whatBox() const { return whatBox_; }
    QTableView* groups() const { return groups_; }
    QTableView* cases() const { return cases_; }
    QLineEdit* filter() const { return filter_; }
    ErrorHistogram* histogram() const { return histogram_; }
    ErrorBarSummary* summary() const { return summary_; }
    QString scopeText() const;    ///< "h100-sxm5-80gb: 101 runs, worst first"
    QByteArray groupsCsv() const; ///< the table of errors as it stands, all numbers plain
    QByteArray casesCsv() const;  ///< the runs shown

public slots:
    void setResult(const orrery::ResultPtr& result);
    void chooseRun(const QString& id); ///< shows it in the list whatever is filtered

signals:
    void openRequested(const orrery::Json& scenario); ///< a measured run's

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void buildHead(QWidget& head);
    void buildTables();
    void applyTheme();
    void regroup();
    void narrow();
    void openCurrent();
    void fit(QTableView& view);
    ErrorGrouping grouping() const;
    ErrorOf what() const;

    const Theme& theme_;
    const Catalog& catalog_;
    std::shared_ptr<const Evidence> evidence_ = std::make_shared<const Evidence>();
    QLabel* title_;
    QLabel* subtitle_;
    QHBoxLayout* tools_ = nullptr;
    QComboBox* groupingBox_;
    QComboBox* whatBox_;
    QPushButton* open_;
    ErrorBarSummary* summary_;
    ErrorGroupsModel* groupsModel_;
    ErrorCasesModel* casesModel_;
    SortedErrors* sortedGroups_;
    SortedErrors* sortedCases_;
    QTableView* groups_;
    QTableView* cases_;
    QStackedWidget* casesStack_;
    ErrorHistogram* histogram_;
    QLabel* scope_;
    QLineEdit* filter_;
    bool trains_ = true; ///< the result that is shown; before there is one, the page opens on training
};

} // namespace orrery
