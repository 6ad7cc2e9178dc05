// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/desktop/background/explore_worker.hpp"
#include "core/answers/explore/sensitivity.hpp"

#include <QWidget>

#include <vector>

class QDoubleSpinBox;

namespace orrery {

class ExploreContext;
class MeasureBox;
class RunBar;
class TornadoChart;

/// "What does this figure hang on?": every number that the scenario stands on a little less and a little more.
class SensitivityPage : public QWidget {
    Q_OBJECT
public:
    explicit SensitivityPage(ExploreContext& context, QWidget* parent = nullptr);
    ~SensitivityPage() override;

    void refreshMeasures();
    void run();

    MeasureBox* measureBox() const { return measure_; }
    QDoubleSpinBox* byPercent() const { return by_; }
    RunBar* bar() const { return bar_; }
    TornadoChart* chart() const { return chart_; }

signals:
    void finished();
    /// A bar was clicked: values of the input around what it is.
    void sweepRequested(const orrery::SensitivityInput& input, const QString& values, const std::string& measure);

private:
    void build();
    void askSweep(std::size_t row);

    ExploreContext& context_;
    MeasureBox* measure_ = nullptr;
    QDoubleSpinBox* by_ = nullptr;
    RunBar* bar_ = nullptr;
    TornadoChart* chart_ = nullptr;
    std::vector<SensitivityInput> inputs_; ///< of what is shown
    QString problem_;
    ExploreWorker worker_;
};

} // namespace orrery
