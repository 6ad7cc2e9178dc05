// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/compare/compared.hpp"

#include <QWidget>

#include <vector>

namespace orrery {

class Theme;

/// Memory of several scenarios at the peak of the stage that holds most, stacked by kind under the capacity, with how much the last of them holds
/// more of each kind than the first.
class CompareMemory : public QWidget {
    Q_OBJECT
public:
    explicit CompareMemory(const Theme& theme, QWidget* parent = nullptr);

    void setCompared(std::vector<ComparedScenario> scenarios, std::size_t shown); ///< `shown`: the one told against the first
    QSize sizeHint() const override { return {260, 200}; }
    QSize minimumSizeHint() const override { return {200, 150}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    static const StageMemory* peakOf(const Result& result);

    const Theme& theme_;
    std::vector<ComparedScenario> scenarios_;
    std::size_t shown_ = 0;
};

} // namespace orrery
