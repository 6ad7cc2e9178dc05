// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

class QLabel;
class QToolButton;

namespace orrery {

class Theme;

/// The line at the bottom: problems, what was assumed, where operator times come from, what is under the mouse.
class StatusRow : public QFrame {
    Q_OBJECT
public:
    explicit StatusRow(const Theme& theme, QWidget* parent = nullptr);

    void setProblems(int errors, int warnings);
    void setFits(bool fits); ///< a plan that does not fit is a problem as well
    void setAssumed(int count);
    void setSources(const QString& text);
    void setHint(const QString& text);
    /// What alone is lit in the views, until it is let go; empty: nothing is chosen.
    void setChosen(const QString& text);

    QToolButton* problemsButton() const { return problems_; }
    QToolButton* assumedButton() const { return assumed_; }
    QToolButton* chosenButton() const { return chosen_; }
    QString hint() const { return hintText_; }

signals:
    void everythingRequested();

private:
    void takeFonts();
    void showProblems();
    void elide();
    void resizeEvent(QResizeEvent* event) override;

    const Theme& theme_;
    QToolButton* problems_;
    QToolButton* assumed_;
    QToolButton* chosen_;
    QLabel* sources_;
    QLabel* hint_;
    QString sourcesText_;
    QString hintText_;
    int errors_ = 0;
    int warnings_ = 0;
    bool fits_ = true;
};

} // namespace orrery
