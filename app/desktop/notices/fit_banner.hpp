// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/result.hpp"

#include <QFrame>

#include <vector>

class QLabel;
class QPushButton;

namespace orrery {

class FlowLayout;
class Theme;

/// Below the figures while the scenario does not fit the memory: by how much, on which stage, and the cheapest changes that
/// were tried and make it fit, each with a button that applies it.
class FitBanner : public QFrame {
    Q_OBJECT
public:
    explicit FitBanner(const Theme& theme, QWidget* parent = nullptr);

    void setResult(const ResultPtr& result);            ///< shows itself, "trying …", when it does not fit; else hides
    void setProgress(double fraction);                  ///< of trying what would make it fit
    void setMends(const std::vector<TriedMend>& mends); ///< of the result shown
    void setStale();                                    ///< the scenario changed: what was tried no longer holds
    void setQuiet(bool quiet);                          ///< where all else says it too, it would only cover what is looked at
    QString message() const;
    Problem problem() const; ///< what it says, for the list of problems; of a result that does not fit
    const std::vector<QPushButton*>& buttons() const { return buttons_; }

signals:
    void editRequested(const QString& undoText, const std::vector<orrery::ScenarioEdit>& edits);
    void giveUpRequested();      ///< nobody waits for changes that fit
    void stageChosen(int stage); ///< what holds its memory is asked for

private:
    void clearButtons();
    void paint();
    QString effectOf(const TriedMend& mend) const;

    const Theme& theme_;
    ResultPtr result_;
    QLabel* message_;
    QLabel* state_;
    QPushButton* look_;
    QPushButton* giveUp_;
    bool gaveUp_ = false;
    bool quiet_ = false;
    bool closed_ = false; ///< by the user, for this result
    QPushButton* hide_;
    FlowLayout* row_;
    std::vector<QPushButton*> buttons_;
};

} // namespace orrery
