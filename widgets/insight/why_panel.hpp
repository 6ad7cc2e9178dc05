// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/result.hpp"

#include <QWidget>

#include <vector>

QT_BEGIN_NAMESPACE
class QLabel;
class QScrollArea;
class QStackedWidget;
class QVBoxLayout;
QT_END_NAMESPACE

namespace orrery {

class DerivationView;
class DifferenceBars;
class PanelHeader;
class Theme;

/// "Why this long?": the causes of the iteration's time, largest first, each with a variant that one click tries; below,
/// the formula behind the cause last clicked or focused, or behind any number that `showQuantity` was asked for.
class WhyPanel : public QWidget {
    Q_OBJECT
public:
    explicit WhyPanel(const Theme& theme, QWidget* parent = nullptr);

    QString formulaText() const;
    QString differenceText() const; ///< "Against “A”: 8.30 s → 9.94 s, +19.8 %"; empty without a baseline
    const DifferenceBars& difference() const { return *bars_; }
    int shownCauses() const { return static_cast<int>(rows_.size()); }

    QSize sizeHint() const override { return {340, 190}; }

public slots:
    void setResult(orrery::ResultPtr result);
    /// What the result is compared with, above its causes; null: nothing.
    void setBaseline(const orrery::ResultPtr& baseline, const QString& name);
    void setBusy(bool busy);
    void showQuantity(const orrery::Quantity& quantity);
    void focusCause(int index);

signals:
    void editRequested(const QString& undoText, const std::vector<orrery::ScenarioEdit>& edits);
    void pointerRequested(const QString& pointer); ///< an input of the formula was followed to where it stands

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void rebuild();
    void applyTheme();
    QString causeText(const Cause& cause) const;
    void follow(int index);

    const Theme& theme_;
    ResultPtr result_;
    std::vector<QLabel*> rows_;
    std::vector<QLabel*> headings_; ///< of the figures, where there are several
    PanelHeader* header_;
    QLabel* against_;
    DifferenceBars* bars_;
    QVBoxLayout* list_;
    DerivationView* formula_;
    QScrollArea* scroll_;
    QStackedWidget* stack_;
};

} // namespace orrery
