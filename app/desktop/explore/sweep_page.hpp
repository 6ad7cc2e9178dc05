// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/desktop/explore/point_batches.hpp"
#include "core/answers/explore/sensitivity.hpp"

#include <QWidget>

#include <optional>

class QComboBox;
class QPushButton;
class QStackedWidget;

namespace orrery {

class ExploreContext;
class HeatMap;
class KeyEdit;
class LineChart;
class MeasureBox;
class PointsTable;
class RunBar;

/// "What does this figure become when that key takes these values?": one key as a line, two as a map, each point as a row that opens.
class SweepPage : public QWidget {
    Q_OBJECT
public:
    explicit SweepPage(ExploreContext& context, QWidget* parent = nullptr);
    ~SweepPage() override;

    /// Proposes a sweep over a key. `input`: the key stands for all that changes with it.
    void propose(const QString& pointer, const QString& values, std::optional<SensitivityInput> input = {});
    void ask(const std::string& measure); ///< the figure that is shown
    void refreshMeasures();
    void run();

    KeyEdit* firstKey() const { return first_; }
    KeyEdit* secondKey() const { return second_; }
    QPushButton* addKeyButton() const { return addKey_; }
    MeasureBox* measureBox() const { return measure_; }
    QComboBox* viewBox() const { return view_; }
    RunBar* bar() const { return bar_; }
    LineChart* lines() const { return lines_; }
    HeatMap* map() const { return map_; }
    PointsTable* table() const { return table_; }
    QPushButton* openButton() const { return open_; }
    QPushButton* variantButton() const { return variant_; }
    QPushButton* saveButton() const { return save_; }
    const std::vector<std::shared_ptr<const SweptPoint>>& points() const { return points_; }

signals:
    void finished();

private:
    void build();
    void checkQuestion();
    std::optional<SweepQuestion> readQuestion();
    void take(const std::vector<FoundPoint>& found);
    void showAll();
    void showCharts();
    void showActions();
    void showEnd(double seconds, bool cancelled);
    void showMeasure();
    void chooseSecond(bool shown);
    void choose(std::optional<std::size_t> point);
    std::vector<ScenarioEdit> changesOf(std::size_t point) const;
    std::optional<std::size_t> shownMeasure() const; ///< into the question's
    void saveTable();

    ExploreContext& context_;
    KeyEdit* first_ = nullptr;
    KeyEdit* second_ = nullptr;
    QPushButton* addKey_ = nullptr;
    MeasureBox* measure_ = nullptr;
    QComboBox* view_ = nullptr;
    RunBar* bar_ = nullptr;
    QStackedWidget* charts_ = nullptr;
    LineChart* lines_ = nullptr;
    HeatMap* map_ = nullptr;
    PointsTable* table_ = nullptr;
    QPushButton* open_ = nullptr;
    QPushButton* variant_ = nullptr;
    QPushButton* save_ = nullptr;

    std::optional<SensitivityInput> input_; ///< of the first key, while that names it
    std::optional<SensitivityInput> ranInput_;
    SweepQuestion question_; ///< of what is shown
    std::vector<std::shared_ptr<const SweptPoint>> points_;
    std::optional<std::size_t> chosen_;
    quint64 ranEdition_ = 0;
    ExploreWorker worker_;
};

} // namespace orrery
