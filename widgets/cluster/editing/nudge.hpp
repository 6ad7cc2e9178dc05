// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QPointF>
#include <QTimer>

namespace orrery {

class CanvasActions;
class ClusterEditing;
struct CanvasScene;

/// Moving what is selected by keys: steps that follow one another quickly become one edit.
class Nudge : public QObject {
    Q_OBJECT
public:
    Nudge(const CanvasScene& scene, ClusterEditing& editing, CanvasActions& actions);

    QPointF offset() const { return offset_; } ///< scene; shown, but not asked for yet
    void by(QPointF step);
    void commit(); ///< asks for the edit now, where there is one
    void forget();

private:
    const CanvasScene& scene_;
    ClusterEditing& editing_;
    CanvasActions& actions_;
    QPointF offset_;
    QTimer pause_; ///< runs out when no more step follows
};

} // namespace orrery
