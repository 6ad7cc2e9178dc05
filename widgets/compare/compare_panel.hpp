// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/compare/compared.hpp"

#include <QWidget>

#include <string>
#include <vector>

class QComboBox;
class QLabel;
class QTabWidget;

namespace orrery {

struct Comparison; // core/results/comparison/compare.hpp

class CompareLayers;
class CompareMemory;
class CompareTimelines;
class FiguresTable;
class InputsTable;
class MatchedOperators;
class PanelHeader;
class RooflineChart;
class Selection;
class Theme;
class WaterfallChart;

/// Scenarios side by side: what differs of them, what comes of it, their timelines on one axis, their memory, their operators as a table
/// and under their ceilings, and where the difference comes from.
class ComparePanel : public QWidget {
    Q_OBJECT
public:
    /// Both outlive it. An operator that is chosen under the ceilings is chosen everywhere.
    ComparePanel(const Theme& theme, Selection& selection, QWidget* parent = nullptr);

    /// The first is what the others are compared with; `shown` is the one whose difference is divided.
    void setCompared(std::vector<ComparedScenario> scenarios, std::size_t shown);

    InputsTable* inputs() const { return inputs_; }
    FiguresTable* figures() const { return figures_; }
    CompareTimelines* timelines() const { return timelines_; }
    WaterfallChart* waterfall() const { return waterfall_; }
    QComboBox* dividedBox() const { return dividedBox_; } ///< the figure whose difference is divided
    CompareMemory* memory() const { return memory_; }
    CompareLayers* layers() const { return layers_; }
    QTabWidget* memoryTabs() const { return memoryTabs_; } ///< by kind, then by layer
    MatchedOperators* operators() const { return operators_; }
    RooflineChart* roofline() const { return roofline_; }
    QTabWidget* operatorTabs() const { return operatorTabs_; } ///< the table, then the roofline
    QComboBox* stageBox() const { return stageBox_; }          ///< which stage of the timelines is shown
    QString note() const;                                      ///< what stands in the way of a comparison

signals:
    void quantityRequested(const orrery::Quantity& quantity); ///< a figure was asked where it comes from

protected:
    void showEvent(QShowEvent* event) override;

private:
    void build();
    void refresh();
    void refreshStages();
    void refreshDivided();
    void divide();
    static QString howSure(const Comparison& comparison, const QString& a, const QString& b);

    const Theme& theme_;
    Selection& selection_;
    std::vector<ComparedScenario> scenarios_;
    std::size_t shown_ = 0;
    bool stale_ = true; ///< what is shown is not of these; it waits for eyes
    std::vector<ResultPtr> documentsOf_;
    std::vector<BoxedJson> documents_; ///< results as documents
    InputsTable* inputs_ = nullptr;
    FiguresTable* figures_ = nullptr;
    CompareTimelines* timelines_ = nullptr;
    WaterfallChart* waterfall_ = nullptr;
    CompareMemory* memory_ = nullptr;
    CompareLayers* layers_ = nullptr;
    QTabWidget* memoryTabs_ = nullptr;
    MatchedOperators* operators_ = nullptr;
    RooflineChart* roofline_ = nullptr;
    QTabWidget* operatorTabs_ = nullptr;
    PanelHeader* inputsHead_ = nullptr;
    PanelHeader* waterfallHead_ = nullptr;
    PanelHeader* memoryHead_ = nullptr;
    QComboBox* stageBox_ = nullptr;
    QComboBox* dividedBox_ = nullptr;
    std::string divided_; ///< RESULT POINTER that was chosen; empty: the usual one
    QLabel* note_ = nullptr;
};

} // namespace orrery
