// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/records/views/span_sums.hpp"
#include "widgets/common/selection.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/recorded/shown_records.hpp"

#include <QMap>
#include <QWidget>

#include <optional>

QT_BEGIN_NAMESPACE
class QComboBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QStackedWidget;
class QTabWidget;
class QToolButton;
QT_END_NAMESPACE

namespace orrery {

class PanelHeader;
class RecordTable;
class TimelineView;
class WaitMatrix;

/// Recorded ranks: their timeline, what any stretch of it consists of, the ranks, who waits for whom, the critical path; and what a record does not say.
class RecordPanel : public QWidget {
    Q_OBJECT
public:
    explicit RecordPanel(const Theme& theme, QWidget* parent = nullptr);

    void setRecords(const ShownRecordsPtr& records); ///< null: nothing is open
    const ShownRecordsPtr& records() const { return records_; }
    /// Shows that files are read; what was shown before stays.
    void setProgress(const QString& what, double fraction);
    void setIdle();
    bool isReading() const;

    Selection& selection() { return selection_; }
    TimelineView* timeline() const { return timeline_; }
    RecordTable* sums() const { return sums_; }
    RecordTable* ranks() const { return ranks_; }
    RecordTable* path() const { return path_; }
    WaitMatrix* waits() const { return waits_; }
    QTabWidget* tabs() const { return tabs_; }
    QComboBox* sumBy() const { return by_; }
    QComboBox* sumOf() const { return of_; }
    QPushButton* cancelButton() const { return cancel_; }
    QPushButton* openButton() const { return open_; } ///< of the empty panel
    QToolButton* pathButton() const { return showPath_; }
    QToolButton* foldButton() const { return fold_; }
    QToolButton* classButton() const { return byClass_; } ///< shows one rank of each class
    QToolButton* besideButton() const { return besideButton_; }
    QPushButton* calibrationButton() const { return calibrate_; } ///< takes the rate that was found over into the scenario
    RecordTable* beside() const { return beside_; }
    void setScenarioReady(bool ready); ///< whether there is a simulated training to stand beside
    QString figuresText() const;       ///< "16.03 ms · computes 61.0 % · …"
    QString lacksText() const;         ///< what the record does not say; empty: nothing is missing

signals:
    void openRequested();
    void cancelRequested();
    void rankRequested(int place);                    ///< the user says which rank a file is of
    void besideRequested(int place);                  ///< the scenario beside a rank; -1: without it again
    void calibrationRequested(double gemmRateOfPeak); ///< to be taken over into the scenario
    void hintChanged(const QString& text);

private:
    void build();
    void applyTheme();
    void showTexts();
    void updateSums();
    void showRanks();
    void showWaits();
    void showBeside();
    void showPath(bool shown);
    void showClasses(bool folded);
    void chooseRank(int place);
    void showArrows();
    QString rankName(int place) const;

    const Theme& theme_;
    Selection selection_;
    ShownRecordsPtr records_;
    PanelHeader* header_;
    QLabel* figures_;
    QLabel* lacks_;
    QWidget* reading_;
    QLabel* readingText_;
    QProgressBar* bar_;
    QPushButton* cancel_;
    QPushButton* open_;
    QToolButton* fold_;
    QToolButton* byClass_;
    QToolButton* showPath_;
    QToolButton* besideButton_;
    QPushButton* calibrate_;
    QStackedWidget* stack_;
    QWidget* empty_;
    QWidget* content_;
    TimelineView* timeline_;
    QTabWidget* tabs_;
    RecordTable* sums_;
    QComboBox* by_;
    QComboBox* of_;
    RecordTable* ranks_;
    WaitMatrix* waits_;
    QLabel* waitWords_;
    RecordTable* path_;
    RecordTable* beside_;
    RecordTable* facts_;
    bool scenarioReady_ = false;
};

} // namespace orrery
