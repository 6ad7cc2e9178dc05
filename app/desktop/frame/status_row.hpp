// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QWidget>
#include <optional>

namespace orrery {

class Theme;

/// "● Up to date · 18 ms": how the numbers on screen stand to the scenario.
class StatusPill : public QWidget {
    Q_OBJECT
public:
    enum class State { idle,
                       up_to_date,
                       simulating,
                       problem,
                       cancelled,
                       does_not_fit };

    explicit StatusPill(const Theme& theme, QWidget* parent = nullptr);

    void setUpToDate(double milliseconds, bool fits);
    void setSimulating(std::optional<double> fraction); ///< no fraction: too soon to show one
    void setProblems(int count);
    void setCancelled();
    void setHeld();     ///< a lesson asks before anything runs
    void setRecorded(); ///< all ranks were recorded: there is nothing to simulate

    State state() const { return state_; }
    QString text() const { return text_; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

signals:
    void clicked();

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override; ///< Enter and Space are clicks
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    void set(State state, const QString& text, double fraction = 0);
    QColor tone() const;

    const Theme& theme_;
    State state_ = State::idle;
    QString text_;
    double fraction_ = 0;
};

} // namespace orrery

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
