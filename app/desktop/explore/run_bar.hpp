// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/search/search_question.hpp"

#include <QWidget>
#include <optional>

class QComboBox;
class QLabel;
class QLineEdit;

namespace orrery {

/// How the plans of a search are shown, and what is read off at a target of the second objective: "tokens/s per user ≥ 50".
class TargetBar : public QWidget {
    Q_OBJECT
public:
    explicit TargetBar(QWidget* parent = nullptr);

    QComboBox* viewBox() const { return view_; }
    QLineEdit* edit() const { return edit_; }
    QLabel* readout() const { return readout_; }

    void setObjective(const Objective& second);
    std::optional<double> target() const;         ///< nothing: none is asked for, or it is no figure
    void setTarget(std::optional<double> target); ///< says nothing of it
    void setReadout(const QString& text);

signals:
    void viewChanged(int view);
    void targetChanged();

private:
    QComboBox* view_;
    QLabel* name_;
    QLineEdit* edit_;
    QLabel* readout_;
    std::string figure_; ///< pointer
};

} // namespace orrery

class QLabel;
class QProgressBar;
class QPushButton;

namespace orrery {

class Theme;

/// Start, stop, how far a run is and how long it will still take.
class RunBar : public QWidget {
    Q_OBJECT
public:
    RunBar(const Theme& theme, const QString& runText, QWidget* parent = nullptr);

    QPushButton* runButton() const { return run_; }
    QPushButton* cancelButton() const { return cancel_; }
    QString cost() const;
    QString status() const;
    bool isRunning() const { return running_; }
    bool canRun() const { return canRun_ && !running_; }

    void setCost(const QString& text, bool isLong); ///< before the start
    void setCanRun(bool can);
    void setStatus(const QString& text, const char* role = "secondary");
    void begin(bool counts = true); ///< `counts`: it is known how much there is to do
    /// `points`: how many there are in all; 0: they are not counted.
    void setProgress(double share, double seconds, double points);
    void end();

signals:
    void runRequested();
    void cancelRequested();

private:
    void applyTheme();
    void showState();
    QString whatIsAsked() const;

    const Theme& theme_;
    QPushButton* run_;
    QPushButton* cancel_;
    QLabel* cost_;
    QLabel* status_;
    QProgressBar* progress_;
    bool running_ = false;
    QString answered_; ///< what the last run was asked
    bool canRun_ = false;
};

} // namespace orrery
