// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/result.hpp"

#include <QWidget>

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace orrery {

class FigureTile;
class Theme;

/// "How good is it" in seven figures. They share one row while their texts fit, with smaller numbers where it is tight, and
/// take two rows below that; nothing is cut.
class HeadlineStrip : public QWidget {
    Q_OBJECT
public:
    using Explainer = std::function<std::optional<Quantity>(const Result&, std::string_view pointer)>;

    explicit HeadlineStrip(const Theme& theme, QWidget* parent = nullptr);

    void setExplainers(Explainer ofResult, Explainer ofEstimate); ///< where a figure's tooltip has its formula from
    void setResult(const ResultPtr& result);
    /// Figures that stand in the result's place until the next one is there (core/answers/simulation/estimated_result.hpp); null: none.
    void setEstimate(const ResultPtr& estimate);
    void setBaseline(const ResultPtr& baseline, const QString& name = {}); ///< the variant compared with; null: none
    QString baselineName() const { return baselineName_; }
    void setBusy(bool busy);   ///< a simulation runs: the numbers are dimmed
    void setStale(bool stale); ///< the scenario cannot run: these are the last numbers it had

    const std::vector<FigureTile*>& tiles() const { return tiles_; }
    int rowCount() const { return rows_; }

    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    void askedWhy(const QString& pointer); ///< into the result document; into the scenario for a price that is not set

protected:
    void resizeEvent(QResizeEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    struct Fit {
        int rows = 1;
        double numberPixels = 21;
    };
    Fit fitFor(int width) const;
    void refresh();
    void dim();
    void place();
    QString toolTipFor(const FigureTile& tile) const;
    static QString derivationTip(const Quantity& quantity);

    const Theme& theme_;
    Explainer explainer_, estimateExplainer_;
    ResultPtr result_;
    ResultPtr estimate_;
    ResultPtr baseline_;
    QString baselineName_;
    bool busy_ = false;
    bool stale_ = false;
    int rows_ = 1;
    std::vector<FigureTile*> tiles_;
};

} // namespace orrery
