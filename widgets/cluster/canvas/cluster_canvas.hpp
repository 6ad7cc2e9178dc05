// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/results/report/result.hpp"
#include "widgets/cluster/editing/canvas_actions.hpp"
#include "widgets/cluster/editing/cluster_editing.hpp"
#include "widgets/cluster/editing/gestures.hpp"
#include "widgets/cluster/editing/what_if_actions.hpp"
#include "widgets/cluster/scene/canvas_legend.hpp"
#include "widgets/cluster/scene/canvas_scene.hpp"
#include "widgets/cluster/scene/cluster_description.hpp"
#include "widgets/cluster/scene/rank_stages.hpp"
#include "widgets/cluster/scene/traffic_overlay.hpp"
#include "widgets/cluster/scene/what_if_overlay.hpp"
#include "widgets/common/exportable.hpp"
#include "widgets/common/key_help.hpp"

#include <QPixmap>
#include <QWidget>
#include <memory>
#include <vector>

namespace orrery {

/// What the canvas is made of, one concern each. Later ones use earlier ones.
struct CanvasParts {
    CanvasParts(CanvasScene& scene, const Theme& theme, Selection& shared, const Catalog& catalog, CanvasActions& actions, QWidget& canvas)
        : stages(theme, shared), traffic(scene), whatIfs(scene, canvas), description(scene, catalog, stages, traffic, whatIfs),
          legend(scene, theme, stages, traffic), editing(scene, catalog, shared, actions), nudge(scene, editing, actions),
          whatIfActions(scene, whatIfs, actions, canvas), link(scene, editing, actions), placement(scene, catalog) {}

    RankStages stages;
    TrafficOverlay traffic;
    WhatIfOverlay whatIfs;
    ClusterDescription description;
    CanvasLegend legend;
    ClusterEditing editing;
    Nudge nudge;
    WhatIfActions whatIfActions;
    LinkDrawing link;
    PendingPlacement placement;
};

} // namespace orrery

class QMenu;
class QToolButton;

namespace orrery {

class CanvasGesture;
class Catalog; // core/catalog
class NetworkTraffic;
class PanelHeader;
class Selection;
class Theme;
class WhatIfActions;

/// What a mouse button does on the canvas.
enum class ClusterTool { select,
                         connect,
                         place };

/// The drawing of the cluster, where it is edited by mouse and keyboard.
///
/// The canvas never changes the document: an edit is asked for with `editRequested`, and what comes back through
/// `setDocument` is shown. Selection and view survive that as long as the nodes do.
///
/// The canvas itself takes events and passes on who is told what. What is shown over the drawing, what is said about it and how it
/// is edited are its parts.
class ClusterCanvas : public QWidget, public Exportable, private CanvasActions {
    Q_OBJECT
public:
    ClusterCanvas(const Theme& theme, Selection& shared, const Catalog& catalog, QWidget* parent = nullptr);
    ~ClusterCanvas() override;
    static std::vector<KeyHelp> keyHelp();

    const ClusterDocument& document() const { return scene_.document; }
    const ClusterSelection& selection() const { return scene_.look.selection; }
    ClusterTool tool() const { return tool_; }
    const CanvasView& view() const { return scene_.view; }
    QRectF drawingArea() const; ///< the widget below its header
    bool hasClipboard() const;  ///< the clipboard holds a piece of a cluster
    const ClusterLook& look() const { return scene_.look; }
    const std::vector<WhatIf>& whatIfs() const;  ///< as the list on the canvas has them
    WhatIfActions& whatIfActions();              ///< suppose something of what is selected
    void fillMenu(QMenu& menu);                  ///< what can be done to what is selected
    std::vector<int> chosenReported() const;     ///< links of the traffic's report that are selected, or inside selected hosts
    QString describe(QPointF widgetPoint) const; ///< as the tooltip says it, rich text

    /// Colours and widens links by their load, and lights the path of the chosen operator; null: neither. Not owned.
    void setTraffic(NetworkTraffic* traffic);

    QString exportName() const override;
    const Theme& chartTheme() const override { return theme_; }
    ChartHeading heading() const override;
    void renderBody(QPainter& painter, const QRectF& area) const override;
    QString whyNothing() const override;
    QByteArray csv() const override;
    QSize sizeHint() const override { return {900, 340}; }
    QSize minimumSizeHint() const override { return {240, 160}; }

public slots:
    void setDocument(const Json& scenario);
    void setProblems(const Problems& problems);
    void setResult(const ResultPtr& result); ///< colours ranks by pipeline stage; null: none known
    /// Colour of each rank's square, by rank; an empty vector gives them back to the result's stages.
    void setRankColours(const std::vector<QColor>& colours);
    void chooseReported(int link); ///< selects and shows a link of the traffic's report; -1: none
    void setSelection(const ClusterSelection& selection) override;

    void setTool(ClusterTool tool);
    /// The next click puts the fragment there; with Shift held the one after too.
    void armPlacement(const Json& fragment, const QString& label);
    void placeAt(const Json& fragment, const QString& label, QPointF scene);
    void cancelTool();

    void copySelection();
    void cutSelection();
    void paste();
    void deleteSelection();
    void duplicate();
    void selectAll();
    void fit();
    void zoomIn();
    void zoomOut();
    void goTo(const std::string& pointer); ///< selects and centres what a problem points at

    void degradeSelection(double factor); ///< links and switches to this share of their bandwidth
    void takeSelectionDown();
    void restoreEverything();

signals:
    void editRequested(const QString& undoText, const std::vector<ScenarioEdit>& edits);
    void selectionChanged(const ClusterSelection& selection);
    void toolChanged(ClusterTool tool);
    void placementEnded();

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void keyReleaseEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragMoveEvent(QDragMoveEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void request(const QString& undoText, std::vector<ScenarioEdit> edits) override;
    void showMarked();
    void moveView(QPointF by) override;
    void relayout() override;
    void repaintOverlay() override { update(); }

    CanvasActions& asActions() { return *this; } ///< for parts: to all others the canvas is none
    void buildHeader();
    void buildWhatIfList();
    void redraw();
    void changed();        ///< selection or look
    void fitUnlessUsers(); ///< the room for the drawing is another
    void zoom(QPointF fixed, double factor);
    void reveal(const CanvasScene::Marked& marked); ///< selects it and brings it in sight
    void begin(std::unique_ptr<CanvasGesture> gesture);
    void pressToSelect(Qt::KeyboardModifiers modifiers);
    void selectForMenu(QPointF widgetPoint);
    void hover(QPointF widgetPoint);
    int handleAt(QPointF widgetPoint) const; ///< node whose connect handle is there; -1: none
    void updateCursor();
    bool stepNode(int direction); ///< false: there is none further on
    void paintDrawing();
    void paintOverlay(QPainter& painter) const;

    const Theme& theme_;
    Selection& shared_;
    const Catalog& catalog_;
    CanvasScene scene_;
    std::unique_ptr<CanvasParts> parts_;
    PanelHeader* header_ = nullptr;
    QToolButton* connectButton_ = nullptr;

    bool viewIsUsers_ = false; ///< zoomed or scrolled by hand: a resize no longer fits the drawing
    QPixmap drawing_;          ///< all but the overlay at the present view; null: to be painted
    ClusterTool tool_ = ClusterTool::select;
    std::unique_ptr<CanvasGesture> gesture_; ///< null: none
    bool spaceHeld_ = false;
    bool focusByKey_ = false; ///< only then the focus is framed: a click shows where it went by itself
};

} // namespace orrery

Q_DECLARE_METATYPE(orrery::ClusterSelection)
