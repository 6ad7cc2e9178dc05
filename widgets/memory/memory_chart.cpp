// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/memory/memory_chart.hpp"

#include "core/base/units.hpp"
#include "widgets/common/empty_state.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/selection.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/memory/memory_bars.hpp"
#include "widgets/memory/memory_kinds.hpp"

#include <QChartView>
#include <QGraphicsLayout>
#include <QGraphicsScene>
#include <QMouseEvent>
#include <QStackedLayout>
#include <QToolTip>

namespace orrery {
namespace {

constexpr double dimmed = 0.4;

} // namespace

MemoryChart::MemoryChart(const Theme& theme, Selection& selection, QWidget* parent)
    : QWidget(parent), theme_(theme), selection_(selection), bars_(new MemoryBars(theme)), view_(new QChartView(bars_, this)),
      empty_(new EmptyState(theme, tr("Memory of every pipeline stage, by kind, under the accelerator's capacity."),
                            tr("Choose a model and a cluster; the chart follows the first run."), this)) {
    view_->setFrameShape(QFrame::NoFrame);
    view_->setRenderHint(QPainter::Antialiasing);
    view_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    view_->viewport()->setMouseTracking(true);
    view_->viewport()->installEventFilter(this);
    auto* stack = new QStackedLayout(this);
    stack->addWidget(empty_);
    stack->addWidget(view_);
    applyTheme();
    connect(&theme_, &Theme::changed, this, &MemoryChart::applyTheme);
    connect(&selection_, &Selection::stageChanged, bars_, &MemoryBars::setSelectedStage);
    bars_->setSelectedStage(selection_.stage());
}

void MemoryChart::applyTheme() {
    view_->setBackgroundBrush(theme_.colors().panel);
    bars_->applyTheme();
}

void MemoryChart::setResult(ResultPtr result) {
    result_ = std::move(result);
    bars_->setResult(result_);
    const bool some = result_ != nullptr && !result_->memory.stages.empty();
    static_cast<QStackedLayout*>(layout())->setCurrentWidget(some ? static_cast<QWidget*>(view_) : empty_);
    setBusy(false);
}

void MemoryChart::setBaseline(const ResultPtr& baseline) { bars_->setBaseline(baseline); }

void MemoryChart::setBusy(bool busy) { bars_->setOpacity(busy ? dimmed : 1.0); }

QString MemoryChart::describe(std::size_t index, std::optional<MemoryKind> kind) const {
    const StageMemory& stage = result_->memory.stages[index];
    const double capacity = result_->memory.capacityBytes;
    const QString title = tr("Stage %1").arg(stage.stage);
    if (!kind) {
        const double left = capacity - stage.peakBytes;
        const QString room = left >= 0 ? tr("%1 left").arg(readableBytes(left).text()) : tr("over by %1").arg(readableBytes(-left).text());
        return tr("%1 · peak %2 at %3 · %4").arg(title, readableBytes(stage.peakBytes).text(), readableTime(stage.peakTime).text(), room);
    }
    const double bytes = stage.bytes[static_cast<std::size_t>(*kind)];
    return tr("%1 · %2 · %3 · %4 of its peak\n%5")
        .arg(title, memoryKindName(*kind), readableBytes(bytes).text(), readablePercent(stage.peakBytes > 0 ? bytes / stage.peakBytes : 0).text(),
             memoryKindExplanation(*kind));
}

bool MemoryChart::eventFilter(QObject* watched, QEvent* event) {
    if (watched != view_->viewport() || result_ == nullptr) return QWidget::eventFilter(watched, event);
    if (event->type() == QEvent::Leave) selection_.setHint({});
    if (event->type() == QEvent::MouseMove || event->type() == QEvent::MouseButtonPress) {
        const auto* mouse = static_cast<QMouseEvent*>(event);
        const auto hit = bars_->hitTest(bars_->mapFromScene(view_->mapToScene(mouse->pos())));
        if (event->type() == QEvent::MouseButtonPress) {
            if (mouse->button() != Qt::LeftButton) return false;
            const int stage = hit ? result_->memory.stages[hit->stage].stage : -1;
            selection_.setStage(stage == selection_.stage() ? -1 : stage); // a second click lets go again
            return true;
        }
        const QString text = hit ? describe(hit->stage, hit->kind) : QString();
        if (text.isEmpty()) QToolTip::hideText();
        else QToolTip::showText(mouse->globalPosition().toPoint(), text, view_);
        selection_.setHint(text.section(QLatin1Char('\n'), 0, 0));
    }
    return QWidget::eventFilter(watched, event);
}

QString MemoryChart::exportName() const { return QStringLiteral("memory"); }

ChartHeading MemoryChart::heading() const { return {tr("Memory"), tr("by stage, at its peak")}; }

QString MemoryChart::whyNothing() const {
    if (result_ != nullptr && !result_->memory.stages.empty()) return {};
    return tr("It shows the memory of every pipeline stage. Choose a model and a cluster; the chart follows the first run.");
}

void MemoryChart::renderBody(QPainter& painter, const QRectF& body) const {
    if (result_ == nullptr || result_->memory.stages.empty()) return drawEmptyState(painter, body, theme_, tr("No result yet."), {});
    QGraphicsScene scene;
    auto* drawing = new MemoryBars(theme_); // the scene owns it
    scene.addItem(drawing);
    drawing->resize(body.size());
    drawing->setResult(result_);
    drawing->setSelectedStage(selection_.stage());
    drawing->layout()->activate();
    scene.render(&painter, body, QRectF({0, 0}, body.size()), Qt::IgnoreAspectRatio);
}

ChartPlot MemoryChart::asPlot() const {
    ChartPlot plot;
    plot.mark = ChartPlot::Mark::stacked_bars;
    for (int kind = 0; kind < static_cast<int>(memoryKindCount); ++kind) plot.y.push_back(1 + kind);
    plot.xTitle = tr("stage");
    plot.yTitle = tr("GiB");
    plot.yUnit = units::gibibyte;
    return plot;
}

QByteArray MemoryChart::csv() const {
    QByteArray text("stage");
    for (std::size_t i = 0; i < memoryKindCount; ++i) {
        const std::string_view name = toString(static_cast<MemoryKind>(i));
        text += ',' + QByteArray(name.data(), static_cast<qsizetype>(name.size())) + "_bytes";
    }
    text += ",peak_bytes,capacity_bytes\n";
    if (result_ == nullptr) return text;
    for (const StageMemory& stage : result_->memory.stages) {
        text += QByteArray::number(stage.stage);
        for (const double bytes : stage.bytes) text += ',' + QByteArray::number(bytes, 'g', 17);
        text += ',' + QByteArray::number(stage.peakBytes, 'g', 17) + ',' + QByteArray::number(result_->memory.capacityBytes, 'g', 17) + '\n';
    }
    return text;
}

} // namespace orrery
