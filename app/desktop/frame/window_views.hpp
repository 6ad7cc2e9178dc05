// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/desktop/frame/view_turns.hpp"
#include "core/base/json_forward.hpp"
#include "core/results/report/result.hpp"
#include "widgets/timeline/columns.hpp"

#include <QObject>
#include <QString>

#include <vector>

class QStackedWidget;
class QTabWidget;
class QToolButton;
class QWidget;

namespace orrery {

class Catalog; // core/catalog
class AssumedList;
class ClusterCanvas;
class ClusterPalette;
class ClusterProperties;
class ComparePanel;
class Exportable;
class ExplorePanel;
class HeadlineStrip;
class HolderTable;
class JitterChart;
class LessonPanel;
class LinkLoadTable;
class LoadPanel;
class MemoryHolders;
class MemoryPanel;
class NetworkTraffic;
class OperatorTable;
class ProblemList;
class RecordPanel;
class RooflineChart;
class ScenarioForm;
class Selection;
class ServingPanel;
class Theme;
class TimelineView;
class WhyPanel;

/// How what is shown stands to the scenario: of it, of an older one while it is simulated, of an older one because it can't be.
enum class Freshness { current,
                       running,
                       stale };

/// Every view of a scenario, fed together. They show and ask; the window decides.
class WindowViews : public QObject {
    Q_OBJECT
public:
    /// A chart that can be exported.
    struct Chart {
        QString id;    ///< "timeline"
        QString title; ///< translated, for menus
        const Exportable* exportable = nullptr;
    };

    WindowViews(const Catalog& catalog, const Theme& theme, Selection& selection, QObject* parent = nullptr);

    void setDocument(const Json& document);
    void setProblems(const Problems& problems);
    void listProblems(const Problems& problems);                      ///< what the list of problems has, more than the fields and the drawing show
    void setResult(const ResultPtr& result);                          ///< the headline at once, every other view in its turn; null: all at once
    void setBaseline(const ResultPtr& baseline, const QString& name); ///< of the views below the headline; null: none
    ViewTurns& turns() { return turns_; }                             ///< what tells a view something of the result waits behind it here
    void setEstimate(const ResultPtr& estimate);                      ///< headline figures until the next result is there; null: none
    void setRows(const ResultPtr& result, const TimelineRowsPtr& rows);
    void setFreshness(Freshness freshness); ///< dims what is not of the present document
    void expectResult();                    ///< the next result is that of the present document

    const std::vector<Chart>& charts() const { return charts_; }

    HeadlineStrip* headline() const { return headline_; }
    ScenarioForm* form() const { return form_; }
    ClusterCanvas* cluster() const { return cluster_; }
    ClusterPalette* palette() const { return palette_; }
    TimelineView* timeline() const { return timeline_; }
    OperatorTable* operators() const { return operators_; }
    LinkLoadTable* links() const { return links_; }
    MemoryPanel* memory() const { return memory_; }
    MemoryHolders* holders() const { return holders_; }
    HolderTable* holderTable() const { return holderTable_; }
    RooflineChart* roofline() const { return roofline_; }
    JitterChart* jitter() const { return jitter_; }
    WhyPanel* why() const { return why_; }
    ServingPanel* serving() const { return serving_; }
    LoadPanel* load() const { return load_; }
    ExplorePanel* explore() const { return explore_; }
    ComparePanel* compare() const { return compare_; }
    RecordPanel* recorded() const { return recorded_; }
    LessonPanel* lesson() const { return lesson_; }

    QWidget* formPanel() const;
    QWidget* clusterPanel() const { return clusterPanel_; }
    QWidget* timelinePanel() const;
    QWidget* tablePanel() const; ///< operators, links, or memory by tensor
    QWidget* memoryPanel() const;
    QWidget* rooflinePanel() const;
    QWidget* jitterPanel() const;
    QWidget* servingPanel() const;
    QWidget* loadPanel() const;
    QWidget* explorePanel() const;
    QWidget* comparePanel() const;
    QWidget* recordedPanel() const;
    QWidget* lessonPanel() const;
    QWidget* whyPanel() const;
    QWidget* findingsPanel() const;
    bool isDrawing() const;
    void setDrawing(bool drawing); ///< palette and properties beside the cluster

    /// What the panel of tables shows.
    enum class Table { operators,
                       links,
                       memory };
    Table table() const;
    void showTable(Table table);
    bool isShowingLinks() const { return table() == Table::links; }
    void showLinks(bool links) { showTable(links ? Table::links : Table::operators); }
    void showMemoryByTensor(); ///< the treemap, and its table

    void showProblems(); ///< the tab of the findings panel
    void showAssumed();

    /// Brings the place that a problem or an assumption is about into view.
    void goTo(const QString& pointer);

signals:
    void editRequested(const QString& undoText, const std::vector<orrery::ScenarioEdit>& edits);
    void openConfigRequested();
    void drawingChanged(bool drawing);
    void tableChanged();
    void panelNeeded(const QString& id); ///< what is to be seen next stands in this panel of the layout

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void buildClusterPanel();
    void buildTables();
    void showWhy(const QString& pointer);
    void watchHolders();
    void placeSides();

    ViewTurns turns_;
    NetworkTraffic* traffic_;
    HeadlineStrip* headline_;
    ScenarioForm* form_;
    ClusterCanvas* cluster_;
    ClusterPalette* palette_;
    ClusterProperties* properties_;
    QWidget* clusterPanel_ = nullptr;
    QWidget* paletteSide_ = nullptr;
    QWidget* propertiesSide_ = nullptr;
    QToolButton* drawButton_ = nullptr;
    bool drawing_ = false;
    TimelineView* timeline_;
    OperatorTable* operators_;
    LinkLoadTable* links_;
    MemoryHolders* holders_;
    HolderTable* holderTable_;
    QStackedWidget* tables_ = nullptr;
    MemoryPanel* memory_;
    RooflineChart* roofline_;
    WhyPanel* why_;
    QTabWidget* findings_;
    ProblemList* problems_;
    AssumedList* assumed_;
    JitterChart* jitter_;
    ServingPanel* serving_;
    LoadPanel* load_;
    ExplorePanel* explore_;
    ComparePanel* compare_;
    RecordPanel* recorded_;
    LessonPanel* lesson_;
    ResultPtr result_;
    bool toldProblems_ = false; ///< views show problems
    bool resultIsNew_ = false;  ///< the result is that of the present document, whose timeline may not be there yet
    ResultPtr estimate_;        ///< null: the result is there, or nothing was estimated
    std::vector<Chart> charts_;
};

} // namespace orrery
