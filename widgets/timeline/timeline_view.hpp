// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/result.hpp"
#include "widgets/common/exportable.hpp"
#include "widgets/common/key_help.hpp"
#include "widgets/common/panel_header.hpp"
#include "widgets/common/selection.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/timeline/composer.hpp"
#include "widgets/timeline/lanes.hpp"
#include "widgets/timeline/overview.hpp"
#include "widgets/timeline/timeline_legend.hpp"

#include <QLineEdit>
#include <QScrollBar>
#include <QWidget>

#include <map>
#include <optional>

namespace orrery {

/// A bar by its place in the rows.
struct BarReference {
    int stage = 0; ///< position in TimelineRows::stages
    int row = 0;   ///< index into StageRows::streams
    std::size_t bar = 0;
    bool operator==(const BarReference&) const = default;
};

/// A span by its place in the Timeline.
struct SpanPlace {
    int stage = 0;            ///< position in Timeline::stages
    std::uint32_t stream = 0; ///< index into StageTimeline::streams
    std::uint32_t span = 0;   ///< index into Stream::spans
    bool operator==(const SpanPlace&) const = default;
};

/// What leads from one moment of a row to one of another: a launch to its kernel, the last to come to a collective to those who wait.
struct TimelineArrow {
    int fromStage = 0;
    std::uint32_t fromStream = 0; ///< index into StageTimeline::streams
    double fromTime = 0;          ///< s
    int toStage = 0;
    std::uint32_t toStream = 0;
    double toTime = 0;
};

/// A stretch of a row that is underlined: a step of the critical path.
struct MarkedStretch {
    int stage = 0;
    std::uint32_t stream = 0; ///< index into StageTimeline::streams
    double from = 0;          ///< s
    double to = 0;
};

/// An operator instance that the view shows, whole, even where the view's edge cuts it.
struct VisibleInterval {
    double start = 0; ///< s
    double end = 0;
    std::uint32_t op = 0;   ///< index into Timeline::operators
    std::uint32_t span = 0; ///< index into the spans of the row's stream
};

/// The Gantt view of one iteration.
///
/// The lanes are composed into one image (TimelineComposer) when what they show changes; hovering, the cursor and the range
/// are painted over it. Times that leave the view go through Selection, in seconds into the iteration.
class TimelineView : public QWidget, public Exportable {
    Q_OBJECT
public:
    TimelineView(const Theme& theme, Selection& selection, QWidget* parent = nullptr);

    /// Shows a result; `rows` come from buildRows(result->timeline), made off this thread. A null result empties the view.
    /// The range in view stays where it was, unless all of the former iteration was in view.
    void setTimeline(const ResultPtr& result, TimelineRowsPtr rows);
    /// The same for a timeline that is of no result, such as a record's.
    void showTimeline(std::shared_ptr<const Timeline> timeline, TimelineRowsPtr rows);
    /// Dims what is shown while its replacement is computed, or while the scenario cannot run.
    void setBusy(bool busy);
    bool isBusy() const { return busy_; }
    /// Ranks of a record fold into the lane that sums them up; the triangle beside their title does it as well. Nothing else folds.
    void setFolded(int stage, bool folded);
    bool isFolded(int stage) const { return static_cast<std::size_t>(stage) < folded_.size() && folded_[static_cast<std::size_t>(stage)]; }
    void setAllFolded(bool folded);
    /// Shows some ranks of a record alone, each for several like it: by stage, what stands under its title. Empty: all are shown.
    void showStandIns(std::map<int, QString> standIns);
    bool isHidden(int stage) const { return !standIns_.empty() && !standIns_.contains(stage); }
    QRect foldArea(int stage) const; ///< of the triangle; empty where nothing folds
    void setArrows(std::vector<TimelineArrow> arrows);
    const std::vector<TimelineArrow>& arrows() const { return arrows_; }
    void setMarkedStretches(std::vector<MarkedStretch> stretches);
    const std::vector<MarkedStretch>& markedStretches() const { return stretches_; }
    std::optional<SpanPlace> focusedSpan() const;
    void focusSpan(const SpanPlace& place); ///< brings it into view and chooses it; nothing where it has no bar
    /// What the view says while it is empty.
    void setEmptyTexts(const QString& title, const QString& how);
    /// Texts of the empty view.
    static QString emptyTitle();
    static QString emptyHow();
    static std::vector<KeyHelp> keyHelp();

    /// Shows the next bar, after the focused one, whose operator or pass ("B7") contains the text; starts over at the end.
    bool findNext(const QString& text);

    // What is in view. Stages by their position in Timeline::stages, positions in this widget's coordinates.
    const Viewport& viewport() const { return viewport_; } ///< its pixels start at lanesArea().left()
    void setVisibleRange(double from, double to);
    void fit();
    QRect lanesArea() const;
    QRect laneArea(int stage, StreamKind stream) const; ///< empty where there is no such lane; not clipped to the view
    QRect memoryArea(int stage) const;
    QRect legendArea() const; ///< what the colours mean, below the lanes
    QRect overviewArea() const { return overview_.area(); }
    /// The part of a lane that shows operators: all of it, or what is below the passes.
    QRect operatorArea(int stage, StreamKind stream) const;
    double xOf(double time) const;
    double timeAtX(double x) const;
    std::vector<VisibleInterval> visibleIntervals(int stage, StreamKind stream) const;
    std::optional<BarReference> barAt(const QPoint& position) const;
    int composedFrames() const { return composedFrames_; } ///< how often the lanes were composed: hovering must not
    std::optional<BarReference> focusedBar() const { return focused_; }
    OperatorInstance instance(const BarReference& bar) const;
    QString describeAt(const QPoint& position) const; ///< empty outside the lanes

    QString exportName() const override;
    const Theme& chartTheme() const override { return theme_; }
    ChartHeading heading() const override;
    void renderBody(QPainter& painter, const QRectF& area) const override;
    QString whyNothing() const override;
    QByteArray csv() const override;
    ChartPlot asPlot() const override;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    void focusChanged(); ///< another bar was chosen, or none

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    enum class Drag { none,
                      pressed,
                      range,
                      pan,
                      overview_move,
                      overview_from,
                      overview_to };

    const Timeline& timeline() const { return *timeline_; }
    bool folds() const { return hasRows() && (rows_->kind == TimelineKind::recorded || rows_->kind == TimelineKind::iteration); }
    void foldsChanged();
    std::vector<StageShown> shownStages() const;
    QString subtitleOf(int stage) const;
    void toggleFold();
    std::optional<QPointF> pointOf(int stage, std::uint32_t stream, double time) const; ///< in the middle of the lane
    void paintArrows(QPainter& painter) const;
    bool hasRows() const { return timeline_ && rows_ && rows_->duration > 0 && rows_->barCount > 0; }
    BarReference firstBar() const; ///< of the topmost lane
    const StreamRow& rowOf(const BarReference& bar) const;
    QRect areaOf(const TimelineLane& lane) const;
    const TimelineLane* laneAtPosition(const QPoint& position) const;
    int stageTitleAt(const QPoint& position) const; ///< -1: none

    void updateGeometryOfParts();
    void updateTexts();
    void search(); ///< for what the field says; tells when nothing has it
    void showSearchFailed(bool failed);
    void setViewport(const Viewport& viewport);
    void markSelected();
    void recompose();
    void composeIfNeeded();
    void paintAxis(QPainter& painter) const;
    void paintTitles(QPainter& painter) const;
    void paintOverlays(QPainter& painter) const;
    void outline(QPainter& painter, const BarReference& bar, double width) const;

    void chooseOperator(const TimedOperator& timed, int stage); ///< `stage`: position in Timeline::stages
    void clickAt(const QPoint& position);
    void zoomToWhatIsAt(const QPoint& position);
    void hover(const QPoint& position);
    void updatePointer(const QPoint& position);
    void dragOverview(double x);
    double zoomCentre() const; ///< px of the viewport about which keys zoom
    void zoomBy(double factor, double pixel);
    void focusBar(const BarReference& bar, bool zoomIn);
    void stepBar(int direction);
    void stepRow(int direction);
    std::optional<BarReference> nearestBar(int stage, int row, double time) const;
    void ensureVisible(const BarReference& bar, bool zoomIn);
    bool handlesKey(const QKeyEvent& event) const;

    const Theme& theme_;
    Selection& selection_;
    std::shared_ptr<const Timeline> timeline_;
    std::vector<bool> folded_; ///< by stage
    std::map<int, QString> standIns_;
    std::vector<TimelineArrow> arrows_;
    std::vector<MarkedStretch> stretches_;
    TimelineRowsPtr rows_;
    LaneLayout layout_;
    MarkedOperators marked_;
    Viewport viewport_;
    TimelineComposer composer_;
    TimelineOverview overview_;
    QImage body_; ///< shares the composer's pixels
    bool stale_ = true;
    int composedFrames_ = 0;
    bool busy_ = false;
    int gutter_ = 92;
    std::vector<LegendEntry> legend_;

    PanelHeader* header_;
    QLineEdit* search_;
    QScrollBar* scroll_;
    QString emptyTitle_, emptyHow_;

    Drag drag_ = Drag::none;
    QPoint pressedAt_;
    Viewport pressedViewport_;
    double pressedTime_ = 0;
    std::optional<BarReference> hovered_;
    std::optional<BarReference> focused_;
    QPoint mouse_{-1, -1};
};

} // namespace orrery
