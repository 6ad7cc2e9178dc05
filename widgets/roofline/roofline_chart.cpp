// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/roofline/roofline_chart.hpp"

#include "core/base/units.hpp"
#include "widgets/common/dimming.hpp"
#include "widgets/common/empty_state.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/operator_words.hpp"
#include "widgets/common/panel_header.hpp"
#include "widgets/common/selection.hpp"
#include "widgets/roofline/roofline_plot.hpp"

#include <QPicture>
#include <QStackedWidget>
#include <QToolButton>
#include <QToolTip>
#include <QVBoxLayout>

namespace orrery {

RooflineChart::RooflineChart(const Theme& theme, Selection& selection, QWidget* parent)
    : QWidget(parent), theme_(theme), selection_(selection), header_(new PanelHeader(theme, tr("Roofline"), this)),
      plot_(new RooflinePlot(theme)), levels_(new QToolButton),
      empty_(new EmptyState(theme, tr("Every operator under the ceilings of compute and memory."),
                            tr("Choose a model and a cluster; the points follow the first run."))),
      stack_(new QStackedWidget(this)) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(header_);
    column->addWidget(stack_, 1);
    levels_->setText(tr("Caches"));
    levels_->setCheckable(true);
    levels_->setAutoRaise(true);
    levels_->setToolTip(tr("Ceilings of L2 and shared memory, and every product under them: what it computes for a byte that the level hands on, "
                           "by the tiles that the next level holds"));
    header_->tools()->addWidget(levels_);
    connect(levels_, &QToolButton::toggled, this, [this](bool shown) {
        plot_->setLevels(shown);
        plot_->replot(QCustomPlot::rpQueuedReplot);
    });
    stack_->addWidget(empty_);
    stack_->addWidget(plot_);
    plot_->setFocusPolicy(Qt::StrongFocus);
    plot_->setMouseTracking(true);
    plot_->installEventFilter(this);
    plot_->setAccessibleName(tr("Roofline"));
    connect(&theme_, &Theme::changed, this, &RooflineChart::applyTheme);
    connect(&selection_, &Selection::operatorChanged, this, &RooflineChart::followSelection);
}

void RooflineChart::applyTheme() {
    plot_->applyTheme();
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

QString RooflineChart::subtitle() const {
    const Roofs& roofs = plot_->data().roofs;
    return roofs.accelerator.isEmpty() ? QString() : roofs.accelerator + QStringLiteral(", ") + roofs.precision;
}

void RooflineChart::setResult(ResultPtr result) {
    result_ = std::move(result);
    plot_->setResult(result_);
    plot_->setSelected(selection_.operatorName(), selection_.operatorPhase());
    header_->setSubtitle(subtitle());
    if (result_ != nullptr) empty_->setHow(tr("Nothing runs: no operator has a place here."));
    stack_->setCurrentWidget(result_ != nullptr && !result_->operations.empty() ? static_cast<QWidget*>(plot_) : empty_);
    setBusy(false);
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

void RooflineChart::setBaseline(const ResultPtr& baseline) {
    plot_->setBaseline(baseline);
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

void RooflineChart::setBusy(bool busy) { setDimmed(*plot_, busy); }

void RooflineChart::followSelection() {
    plot_->setSelected(selection_.operatorName(), selection_.operatorPhase());
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

void RooflineChart::choose(std::optional<std::size_t> point) {
    if (!point) return selection_.setOperator({}, {});
    const OperationRow& row = plot_->data().points[*point].row;
    selection_.setOperator(QString::fromStdString(row.kind), QString::fromStdString(row.phase));
    selection_.setHint(describe(*point).section(QLatin1Char('\n'), 0, 1).replace(QLatin1Char('\n'), QStringLiteral(" · ")));
}

void RooflineChart::step(int by) {
    const auto count = static_cast<int>(plot_->data().points.size());
    if (count == 0) return;
    const int from = plot_->selected() ? static_cast<int>(*plot_->selected()) : (by > 0 ? -1 : 0);
    choose(static_cast<std::size_t>((from + by + count) % count));
}

QString RooflineChart::describe(std::size_t index) const {
    const RooflinePoint& point = plot_->data().points[index];
    const OperationRow& row = point.row;
    const double roof = plot_->data().roofs.at(point.intensity);
    const double count = row.count > 0 ? row.count : 1;
    QStringList lines;
    lines << tr("%1 · %2").arg(QString::fromStdString(row.kind), phaseText(row.phase));
    const bool trains = result_ == nullptr || result_->timeline.kind == TimelineKind::iteration;
    lines << (trains ? tr("%1 × %2 = %3 · %4 of the iteration") : tr("%1 × %2 = %3 · %4 of the run"))
                 .arg(readableCount(row.count).text(), readableTime(row.time / count).text(), readableTime(row.time).text(),
                      readablePercent(point.share).text());
    lines << tr("each %1 over %2 = %3 FLOP per byte")
                 .arg(readableRate(row.flops / count, QStringLiteral("FLOP")).text(), readableBytes(row.bytes / count).text(),
                      readableCount(point.intensity).text());
    lines << tr("reaches %1 = FLOPs/time").arg(readableRate(point.achieved, QStringLiteral("FLOP/s")).text());
    if (roof > 0)
        lines << tr("%1 of its roof, min(peak, intensity × bandwidth) = %2")
                     .arg(readablePercent(point.achieved / roof).text(), readableRate(roof, QStringLiteral("FLOP/s")).text());
    if (point.l2Intensity > 0 && plot_->showsLevels())
        lines << tr("%1 FLOP per byte from L2, %2 from shared memory").arg(readableCount(point.l2Intensity).text(), readableCount(point.sharedIntensity).text());
    lines << tr("bound by %1 · time: %2").arg(boundText(row.bound), sourceText(row.source));
    return lines.join(QLatin1Char('\n'));
}

bool RooflineChart::eventFilter(QObject* watched, QEvent* event) {
    if (watched != plot_ || result_ == nullptr) return QWidget::eventFilter(watched, event);
    switch (event->type()) {
    case QEvent::MouseMove: {
        const auto* mouse = static_cast<QMouseEvent*>(event);
        const auto point = plot_->pointAt(mouse->position());
        plot_->setCursor(point ? Qt::PointingHandCursor : Qt::ArrowCursor);
        if (point) QToolTip::showText(mouse->globalPosition().toPoint(), describe(*point), plot_);
        else QToolTip::hideText();
        selection_.setHint(point ? describe(*point).section(QLatin1Char('\n'), 0, 1).replace(QLatin1Char('\n'), QStringLiteral(" · ")) : QString());
        break;
    }
    case QEvent::Leave: selection_.setHint({}); break;
    case QEvent::MouseButtonPress: {
        const auto* mouse = static_cast<QMouseEvent*>(event);
        if (mouse->button() == Qt::LeftButton) choose(plot_->pointAt(mouse->position()));
        break;
    }
    case QEvent::KeyPress: {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Right || key == Qt::Key_Down) return step(1), true;
        if (key == Qt::Key_Left || key == Qt::Key_Up) return step(-1), true;
        if (key == Qt::Key_Escape && plot_->selected()) return choose(std::nullopt), true;
        break;
    }
    default: break;
    }
    return QWidget::eventFilter(watched, event);
}

QString RooflineChart::exportName() const { return QStringLiteral("roofline"); }

ChartHeading RooflineChart::heading() const { return {tr("Roofline"), subtitle()}; }

QString RooflineChart::whyNothing() const {
    if (result_ != nullptr && !result_->operations.empty()) return {};
    return tr("It shows every operator under the ceilings of compute and memory. Choose a model and a cluster; the points follow the first run.");
}

void RooflineChart::renderBody(QPainter& painter, const QRectF& body) const {
    if (result_ == nullptr || result_->operations.empty()) return drawEmptyState(painter, body, theme_, tr("No result yet."), {});
    RooflinePlot drawing(theme_);
    drawing.setLevels(plot_->showsLevels());
    drawing.setResult(result_);
    drawing.setSelected(selection_.operatorName(), selection_.operatorPhase());
    // QCustomPlot draws with its own kind of painter only: a picture carries the strokes over, still as vectors.
    QPicture picture;
    QCPPainter recorder;
    recorder.begin(&picture);
    recorder.setMode(QCPPainter::pmVectorized);
    recorder.setMode(QCPPainter::pmNoCaching);
    drawing.toPainter(&recorder, static_cast<int>(body.width()), static_cast<int>(body.height()));
    recorder.end();
    painter.drawPicture(body.topLeft(), picture);
}

ChartPlot RooflineChart::asPlot() const {
    ChartPlot plot;
    plot.mark = ChartPlot::Mark::points;
    plot.x = 6;
    plot.y = {7};
    plot.xTitle = tr("arithmetic intensity, FLOP per byte");
    plot.yTitle = tr("TFLOP/s");
    plot.series = 1;
    plot.logarithmic = true;
    plot.yUnit = units::tera;
    return plot;
}

QByteArray RooflineChart::csv() const {
    QByteArray text("operator,phase,count,time_s,flops,bytes,intensity_flop_per_byte,achieved_flop_per_s,bound,source\n");
    if (result_ == nullptr) return text;
    const auto quoted = [](const std::string& word) {
        return '"' + QByteArray::fromStdString(word).replace('"', "\"\"") + '"';
    };
    const auto number = [](double value) { return QByteArray::number(value, 'g', 17); };
    for (const OperationRow& row : result_->operations) {
        text += quoted(row.kind) + ',' + quoted(row.phase) + ',' + number(row.count) + ',' + number(row.time) + ',' + number(row.flops) + ',' +
                number(row.bytes) + ',' + (row.bytes > 0 ? number(row.flops / row.bytes) : QByteArray()) + ',' +
                (row.time > 0 ? number(row.flops / row.time) : QByteArray()) + ',' + QByteArray::fromStdString(std::string(toString(row.bound))) +
                ',' + QByteArray::fromStdString(std::string(toString(row.source))) + '\n';
    }
    return text;
}

} // namespace orrery
