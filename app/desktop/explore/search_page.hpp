// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/desktop/explore/point_batches.hpp"
#include "app/desktop/explore/search_pictures.hpp"
#include "core/answers/search/search.hpp"
#include "core/base/boxed_json.hpp"

#include <QWidget>

#include <optional>

class QLabel;
class QPushButton;
class QStackedWidget;

namespace orrery {

class ExploreContext;
class FrontChart;
class ParallelChart;
class PointsTable;
class RunBar;
class SearchSpaceEdit;
class TargetBar;

/// The best plans of a space: what is varied, the Pareto front with the plan written on each point or all plans across all keys and figures,
/// what a target of the second objective leaves, runners-up, and what was not simulated and why.
class SearchPage : public QWidget {
    Q_OBJECT
public:
    explicit SearchPage(ExploreContext& context, QWidget* parent = nullptr);
    ~SearchPage() override;

    /// Shows the scenario's search, or proposes a usual one, unless somebody changed what stands there.
    void showSearch();
    void refreshMeasures();
    void run();

    SearchSpaceEdit* space() const { return space_; }
    RunBar* bar() const { return bar_; }
    FrontChart* chart() const { return chart_; }
    ParallelChart* parallel() const { return parallel_; }
    TargetBar* target() const { return target_; }
    PointsTable* table() const { return table_; }
    QPushButton* keepButton() const { return keep_; }
    QPushButton* openButton() const { return open_; }
    QPushButton* launchButton() const { return launch_; }
    QPushButton* saveButton() const { return save_; }
    QString prunedText() const;
    const std::optional<SearchRun>& result() const { return result_; }
    void copyLaunch(const std::string& tool); ///< of the chosen plan, into the clipboard

signals:
    void finished();

private:
    void build();
    std::optional<SearchQuestion> readQuestion(QString& why);
    void checkQuestion();
    void take(const std::vector<FoundPoint>& found);
    void showPlans();
    void showPruned();
    void showActions();
    void showEnd(double seconds, bool cancelled);
    void choose(std::optional<std::size_t> plan);
    void readAtTarget();
    void showWithin(); ///< what lies within the limits of the axes: rows, words, and the best of them chosen
    /// Says what the limits leave; gives the best of it.
    std::optional<std::size_t> showReadout();
    void showRows();
    bool isLimited() const;                        ///< by a brush
    std::optional<std::size_t> targetAxis() const; ///< of the second objective

    ExploreContext& context_;
    SearchSpaceEdit* space_ = nullptr;
    QPushButton* keep_ = nullptr;
    RunBar* bar_ = nullptr;
    TargetBar* target_ = nullptr;
    QStackedWidget* charts_ = nullptr;
    FrontChart* chart_ = nullptr;
    ParallelChart* parallel_ = nullptr;
    PointsTable* table_ = nullptr;
    QLabel* pruned_ = nullptr;
    QPushButton* open_ = nullptr;
    QPushButton* variant_ = nullptr;
    QPushButton* launch_ = nullptr;
    QPushButton* save_ = nullptr;

    BoxedJson shownSearch_; ///< what the lines were set to last
    std::string shownKind_;
    bool edited_ = false;
    std::optional<SearchQuestion> question_; ///< of what is shown
    FoundPlans found_;
    SearchPictures pictures_; ///< of `found_`
    std::optional<SearchRun> result_;
    std::optional<std::size_t> chosen_;
    quint64 ranEdition_ = 0;
    SearchMemory memory_; ///< of the searches before; the worker's, whose searches come one after the other
    ExploreWorker worker_;
};

} // namespace orrery
