// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>

namespace orrery {

/// What the views have in common: cursor, time range, chosen operator, chosen stage. Every view reads and writes this one
/// object and follows its signals, so that every view follows every other.
class Selection : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    double cursor() const { return cursor_; }         ///< s into the iteration; negative: none
    double moment() const { return moment_; }         ///< s; where the cursor was put down by a click; negative: nowhere
    double rangeStart() const { return rangeStart_; } ///< s; an empty range (start == end) selects the whole iteration
    double rangeEnd() const { return rangeEnd_; }
    QString operatorName() const { return operatorName_; } ///< OperationRow::kind; empty: none
    QString operatorPhase() const { return operatorPhase_; }
    int operatorStage() const { return operatorStage_; } ///< where the operator was chosen, as on the timeline; -1: in no one stage
    int stage() const { return stage_; }                 ///< -1: all

public slots:
    void setCursor(double seconds);
    void setMoment(double seconds);
    void setRange(double start, double end);
    void setOperator(const QString& name, const QString& phase, int stage = -1);
    void setStage(int stage);
    void setHint(const QString& text); ///< what is under the mouse, for the status bar
    void clear();

signals:
    void cursorChanged(double seconds);
    void momentChanged(double seconds);
    void rangeChanged(double start, double end);
    void operatorChanged(const QString& name, const QString& phase);
    void stageChanged(int stage);
    void hintChanged(const QString& text);

private:
    double cursor_ = -1;
    double moment_ = -1;
    double rangeStart_ = 0;
    double rangeEnd_ = 0;
    QString operatorName_;
    QString operatorPhase_;
    int operatorStage_ = -1;
    int stage_ = -1;
};

} // namespace orrery
