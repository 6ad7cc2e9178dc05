// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/headline/headline_strip.hpp"

#include "widgets/common/own_markup.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/headline/figure_tile.hpp"

#include <QPainter>

#include <algorithm>
#include <numeric>

namespace orrery {
namespace {

constexpr int figureCount = 7;
constexpr double numberSizes[] = {21, 19, 17};

/// First tile of a row: four above three when there are two rows, and so on.
int rowStart(int row, int rows) { return (figureCount * row + rows - 1) / rows; }

} // namespace

HeadlineStrip::HeadlineStrip(const Theme& theme, QWidget* parent) : QWidget(parent), theme_(theme) {
    // Not fixed: a layout would hold it to the one row of its size hint, however many rows the width asks for.
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    for (int i = 0; i < figureCount; ++i) {
        auto* tile = new FigureTile(theme_, this);
        connect(tile, &FigureTile::clicked, this, [this, tile] { emit askedWhy(tile->figure().pointer); });
        tiles_.push_back(tile);
    }
    refresh();
    connect(&theme_, &Theme::changed, this, [this] {
        updateGeometry();
        place();
        update();
    });
}

void HeadlineStrip::setExplainers(Explainer ofResult, Explainer ofEstimate) {
    explainer_ = std::move(ofResult);
    estimateExplainer_ = std::move(ofEstimate);
    refresh();
}

void HeadlineStrip::setResult(const ResultPtr& result) {
    result_ = result;
    estimate_.reset();
    refresh();
}

void HeadlineStrip::setEstimate(const ResultPtr& estimate) {
    if (estimate == estimate_) return;
    estimate_ = estimate;
    refresh();
}

void HeadlineStrip::setBaseline(const ResultPtr& baseline, const QString& name) {
    baseline_ = baseline;
    baselineName_ = name.isEmpty() && baseline ? QString::fromStdString(baseline->name) : name;
    refresh();
}

void HeadlineStrip::setBusy(bool busy) {
    busy_ = busy;
    dim();
}

void HeadlineStrip::dim() {
    for (FigureTile* tile : tiles_) tile->setDimmed((busy_ || stale_) && !tile->figure().estimated);
}

void HeadlineStrip::setStale(bool stale) {
    if (stale == stale_) return;
    stale_ = stale;
    refresh();
}

void HeadlineStrip::refresh() {
    std::vector<Figure> figures = headlineFigures(result_.get(), baseline_.get(), baselineName_);
    if (estimate_) showEstimate(figures, *estimate_, baseline_.get(), baselineName_);
    for (std::size_t i = 0; i < tiles_.size(); ++i) {
        tiles_[i]->setFigure(figures[i]);
        tiles_[i]->setToolTip(toolTipFor(*tiles_[i]));
    }
    dim();
    updateGeometry();
    place();
}

QString HeadlineStrip::toolTipFor(const FigureTile& tile) const {
    const Figure& figure = tile.figure();
    QString tip = QStringLiteral("<p><b>%1</b><br>%2</p>").arg(figure.title.toHtmlEscaped(), figure.meaning.toHtmlEscaped());
    if (stale_ && !figure.estimated) tip += QStringLiteral("<p>%1</p>").arg(tr("From before the last change: the scenario cannot run now.").toHtmlEscaped());
    if (!figure.change.isEmpty())
        tip += QStringLiteral("<p>%1</p>").arg((tr("%1 against %2").arg(figure.change, baselineName_) + (figure.changeMeaning.isEmpty() ? QString() : QStringLiteral(". ") + figure.changeMeaning)).toHtmlEscaped());
    const ResultPtr& told = figure.estimated ? estimate_ : result_;
    if (const Explainer& explainer = figure.estimated ? estimateExplainer_ : explainer_; told && explainer) {
        if (const std::optional<Quantity> quantity = explainer(*told, figure.pointer.toStdString()))
            tip += derivationTip(*quantity);
    }
    return ownMarkup(tip);
}

/// Formula and source in a line each; the inputs are a click away.
QString HeadlineStrip::derivationTip(const Quantity& quantity) {
    QStringList lines;
    if (!quantity.formula.empty()) lines << QStringLiteral("= ") + QString::fromStdString(quantity.formula).toHtmlEscaped();
    if (!quantity.reference.empty()) lines << QString::fromStdString(quantity.reference).toHtmlEscaped();
    lines << tr("Click for its inputs and where they come from.");
    return QStringLiteral("<p>%1</p>").arg(lines.join(QStringLiteral("<br>")));
}

HeadlineStrip::Fit HeadlineStrip::fitFor(int width) const {
    for (int rows = 1; rows <= figureCount; ++rows) {
        for (const double pixels : numberSizes) {
            bool fits = true;
            for (int row = 0; row < rows && fits; ++row) {
                int needed = 0;
                for (int i = rowStart(row, rows); i < rowStart(row + 1, rows); ++i) needed += tiles_[static_cast<std::size_t>(i)]->neededWidth(pixels);
                fits = needed <= width;
            }
            if (fits) return {rows, pixels};
        }
    }
    return {figureCount, numberSizes[2]};
}

int HeadlineStrip::heightForWidth(int width) const { return fitFor(width).rows * (tiles_.front()->lineHeights() + 1); }

QSize HeadlineStrip::sizeHint() const {
    int width = 0;
    for (const FigureTile* tile : tiles_) width += tile->neededWidth(numberSizes[0]);
    return {width, tiles_.front()->lineHeights() + 1};
}

QSize HeadlineStrip::minimumSizeHint() const {
    const auto widest = std::max_element(tiles_.begin(), tiles_.end(), [](const FigureTile* a, const FigureTile* b) {
        return a->neededWidth(numberSizes[2]) < b->neededWidth(numberSizes[2]);
    });
    return {(*widest)->neededWidth(numberSizes[2]), tiles_.front()->lineHeights() + 1};
}

/// Equal widths where every text fits them; else each tile what it needs and an equal part of what is left.
void HeadlineStrip::place() {
    const Fit fit = fitFor(width());
    if (rows_ != fit.rows) updateGeometry();
    rows_ = fit.rows;
    const int tileHeight = tiles_.front()->lineHeights();
    for (int row = 0; row < fit.rows; ++row) {
        const int first = rowStart(row, fit.rows), last = rowStart(row + 1, fit.rows), count = last - first;
        std::vector<int> widths;
        for (int i = first; i < last; ++i) widths.push_back(tiles_[static_cast<std::size_t>(i)]->neededWidth(fit.numberPixels));
        const int equal = width() / count;
        const bool even = std::all_of(widths.begin(), widths.end(), [equal](int needed) { return needed <= equal; });
        const int spare = std::max(0, width() - std::accumulate(widths.begin(), widths.end(), 0));
        int x = 0;
        for (int i = 0; i < count; ++i) {
            const auto at = static_cast<std::size_t>(i);
            int tileWidth = even ? equal : widths[at] + spare / count;
            if (i == count - 1) tileWidth = width() - x;
            FigureTile* tile = tiles_[static_cast<std::size_t>(first) + at];
            tile->setNumberSize(fit.numberPixels);
            // One pixel less on the right is where the strip's hairline shows.
            tile->setGeometry(x, row * (tileHeight + 1), i == count - 1 ? tileWidth : tileWidth - 1, tileHeight);
            x += tileWidth;
        }
    }
    update();
}

void HeadlineStrip::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    place();
}

void HeadlineStrip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme_.colors().line); // seen only between the tiles, as hairlines
}

} // namespace orrery
