#pragma once

#include "core/base/json_forward.hpp"
#include "core/report/result.hpp"
#include "widgets/cluster/canvas/drawn_traffic.hpp"
#include "widgets/cluster/document/cluster_document.hpp"
#include "widgets/cluster/document/node_names.hpp"
#include "widgets/cluster/painting/cluster_geometry.hpp"
#include "widgets/cluster/painting/cluster_painter.hpp"
#include "widgets/cluster/what_if/what_ifs.hpp"
#include "widgets/common/exportable.hpp"
#include "widgets/common/key_help.hpp"

#include <QPixmap>
#include <QTimer>
#include <QWidget>

#include <optional>
#include <vector>

class QMenu;
class QToolButton;

namespace orrery {

class Catalog; // core/catalog
class NetworkTraffic;
class PanelHeader;
class Selection;
class Theme;
class WhatIfList;

/// What a mouse button does on the canvas.
enum class ClusterTool { select, connect, place };

/// How a view maps scene units to widget pixels: pixel = origin + zoom * unit.
struct CanvasView {
    double zoom = 1;
    QPointF origin;

    QPointF toWidget(QPointF scene) const { return origin + zoom * scene; }
    QPointF toScene(QPointF widget) const { return (widget - origin) / zoom; }
    /// Zooms by `factor` with the scene point under `fixed` staying there.
    void zoomAbout(QPointF fixed, double factor);
};

/// The drawing of the cluster, where it is edited by mouse and keyboard.
///
/// The canvas never changes the document: an edit is asked for with `editRequested`, and what comes back through
/// `setDocument` is shown. Selection and view survive that as long as the nodes do.
class ClusterCanvas : public QWidget, public Exportable {
    Q_OBJECT
public:
    ClusterCanvas(const Theme& theme, Selection& shared, const Catalog& catalog, QWidget* parent = nullptr);
    ~ClusterCanvas() override;
    static std::vector<KeyHelp> keyHelp();

    const ClusterDocument& document() const { return document_; }
    const ClusterSelection& selection() const { return look_.selection; }
    ClusterTool tool() const { return tool_; }
    const CanvasView& view() const { return view_; }
    QRectF drawingArea() const; ///< the widget below its header
    bool hasClipboard() const;  ///< the clipboard holds a piece of a cluster
    const ClusterLook& look() const { return look_; }
    const std::vector<WhatIf>& whatIfs() const { return whatIfs_; } ///< as the list on the canvas has them
    ClusterSelection degradable() const; ///< links and switches of the selection
    void fillMenu(QMenu& menu);  ///< what can be done to what is selected
    std::vector<int> chosenReported() const; ///< links of the traffic's report that are selected, or inside selected hosts
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
    void setSelection(const ClusterSelection& selection);

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
    void restoreSelection();
    void restoreEverything();
    void askDegrade();
    void askStraggler();
    void askSlowNic();
    void askTraffic();
    void askJitter();

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
    enum class Gesture { none, pan, rubber_band, move, connect };

    void buildHeader();
    void request(const QString& undoText, std::vector<ScenarioEdit> edits);
    void relayout();
    void redraw();
    void changed(); ///< selection or look
    void selectOnly(const std::vector<std::string>& ids);
    void nudge(QPointF by);
    void commitNudge();
    void dragSelection(QPointF widgetPoint, bool freely);
    void finishDrag();
    void connectNodes(int from, int to);
    void hover(QPointF widgetPoint);
    int handleAt(QPointF widgetPoint) const; ///< node whose connect handle is there; -1: none
    std::vector<QPointF> handles(int node) const;
    void updateCursor();
    void resolveProblems();
    void stepNode(int direction);
    void reveal(const QRectF& scene);
    void fitTo(const QRectF& scene, double mostZoom);
    QString describeNode(const DrawnNode& node) const;
    QString describeLink(const DrawnLink& link) const;
    QStringList describeLoads(const std::vector<int>& reported, double part) const;
    QString stagesOf(int firstRank, int lastRank) const;
    QColor stageColour(int stage) const;
    void paintOverlay(QPainter& painter) const;
    void paintLegend(QPainter& painter, const QRectF& area) const;
    void paintStageLegend(QPainter& painter, const QRectF& row) const;
    double paintLoadLegend(QPainter& painter, const QRectF& row) const; ///< gives the width it took at the right end
    int linkNear(QPointF widgetPoint) const; ///< index into the document's links; -1: none
    void buildLoadMenu();
    void mapTraffic();
    void takeLoads();
    void takeLit();
    bool showsLoads() const;
    WhatIfEditor editor() const { return {scenario_, document_, names_}; }
    void readSuppositions();
    void addSuppositions(QMenu& menu);
    void addReplacements(QMenu& menu); ///< other platforms for the hosts that are marked
    void placeWhatIfList();
    double widthBesideWhatIfs(const QRectF& drawn) const; ///< px to leave free at the right so that the list covers nothing drawn
    void showWhatIf(int index);
    void takeBack(int index);
    bool isHost(const std::string& id) const;
    QString degradableText() const;
    std::vector<LinkKey> linksOfChosenHost() const;
    int stageCount() const;
    double legendHeight() const; ///< px

    const Theme& theme_;
    Selection& shared_;
    const Catalog& catalog_;
    PanelHeader* header_ = nullptr;
    QToolButton* connectButton_ = nullptr;
    QToolButton* loadButton_ = nullptr;
    WhatIfList* whatIfList_ = nullptr;
    bool wasLow_ = false; ///< too low for an open list

    Json scenario_;
    ClusterDocument document_;
    NodeNames names_;
    std::vector<WhatIf> whatIfs_;
    NetworkTraffic* traffic_ = nullptr;
    DrawnTraffic drawnTraffic_;
    bool loadsShown_ = true;
    ClusterGeometry geometry_;
    ClusterLook look_;
    Problems problems_;
    ResultPtr result_;
    std::vector<std::int16_t> stageOfRank_; ///< -1: none
    int stageSpan_ = 0; ///< stages of the result
    std::vector<QColor> rankColours_;

    CanvasView view_;
    bool viewIsUsers_ = false; ///< zoomed or scrolled by hand: a resize no longer fits the drawing
    QPixmap scene_;            ///< all but the overlay at the present view; null: to be painted

    ClusterTool tool_ = ClusterTool::select;
    Json armed_;
    QString armedLabel_;
    ClusterDocument ghost_;
    ClusterGeometry ghostGeometry_;
    std::optional<QPointF> ghostAt_;

    Gesture gesture_ = Gesture::none;
    QPointF pressedAt_;   ///< widget
    QPointF mouse_;       ///< widget
    QPointF dragOffset_;  ///< scene, of the nodes being moved
    QPointF nudgeOffset_; ///< scene, not asked for yet
    QTimer nudgeTimer_;
    bool spaceHeld_ = false;
    bool focusByKey_ = false; ///< only then the focus is framed: a click shows where it went by itself
    int connectFrom_ = -1;
    ClusterSelection beforeBand_;
    std::vector<QLineF> guides_; ///< alignment with other nodes, scene
};

} // namespace orrery

Q_DECLARE_METATYPE(orrery::ClusterSelection)
