// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/desktop/background/explore_worker.hpp"
#include "core/answers/explore/solve.hpp"

#include <QWidget>

#include <optional>

class QLabel;
class QLineEdit;
class QPushButton;

namespace orrery {

class ExploreContext;
class KeyEdit;
class LineChart;
class MeasureBox;
class RunBar;

/// "Which value of this key makes that figure so much?", with the curve of all that was tried.
class SolvePage : public QWidget {
    Q_OBJECT
public:
    explicit SolvePage(ExploreContext& context, QWidget* parent = nullptr);
    ~SolvePage() override;

    void propose(const QString& pointer, const QString& range);
    void refreshMeasures();
    void run();

    KeyEdit* key() const { return key_; }
    MeasureBox* measureBox() const { return measure_; }
    QLineEdit* target() const { return target_; }
    RunBar* bar() const { return bar_; }
    LineChart* chart() const { return chart_; }
    QPushButton* openButton() const { return open_; }
    QString answer() const;
    const std::optional<Solution>& solution() const { return solution_; }

signals:
    void finished();

private:
    void build();
    std::optional<SolveQuestion> readQuestion();
    void checkQuestion();
    void take(const SolveRun& run);
    void showEnd(double seconds, bool cancelled);
    std::vector<ScenarioEdit> changes() const;

    ExploreContext& context_;
    KeyEdit* key_ = nullptr;
    MeasureBox* measure_ = nullptr;
    QLineEdit* target_ = nullptr;
    RunBar* bar_ = nullptr;
    QLabel* answer_ = nullptr;
    LineChart* chart_ = nullptr;
    QPushButton* open_ = nullptr;
    SolveQuestion question_; ///< of what is shown
    std::optional<Solution> solution_;
    ExploreWorker worker_;
};

} // namespace orrery
