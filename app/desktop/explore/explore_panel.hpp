// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/desktop/explore/explore_context.hpp"

#include <QWidget>

class QTabWidget;

namespace orrery {

class SearchPage;
class SensitivityPage;
class SolvePage;
class SweepPage;

/// The workspace of "what if": sweeps, searches, inverse questions and sensitivity of the scenario, each a page.
class ExplorePanel : public QWidget {
    Q_OBJECT
public:
    ExplorePanel(const Catalog& catalog, const Theme& theme, QWidget* parent = nullptr);
    ~ExplorePanel() override;

    ExploreContext& context() { return context_; }
    void setDocument(const Json& document) { context_.setDocument(document); }
    void setResult(const ResultPtr& result); ///< null: there is none

    /// Shows the sweep of a key with values that are proposed for it.
    void sweep(const QString& pointer, const QString& values);

    QTabWidget* tabs() const { return tabs_; }
    SweepPage* sweepPage() const { return sweep_; }
    SearchPage* searchPage() const { return search_; }
    SolvePage* solvePage() const { return solve_; }
    SensitivityPage* sensitivityPage() const { return sensitivity_; }

signals:
    void editRequested(const QString& undoText, const std::vector<orrery::ScenarioEdit>& edits);

protected:
    void showEvent(QShowEvent* event) override;

private:
    void refresh();

    ExploreContext context_;
    QTabWidget* tabs_;
    SweepPage* sweep_;
    SearchPage* search_;
    SolvePage* solve_;
    SensitivityPage* sensitivity_;
    bool stale_ = true; ///< what can be asked of the result is not what the pages offer
};

} // namespace orrery
