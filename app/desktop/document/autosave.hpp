// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/desktop/document/recovery.hpp"

#include <QObject>
#include <QTimer>

namespace orrery {

class ScenarioDocument;

/// Writes unsaved work to the recovery store half a second after it changed, and takes it away once it is saved or given up.
class Autosave : public QObject {
    Q_OBJECT
public:
    Autosave(ScenarioDocument& document, RecoveryStore& store, QObject* parent = nullptr);

    void setDelay(int milliseconds) { timer_.setInterval(milliseconds); }
    void writeNow();

private:
    void follow();

    ScenarioDocument& document_;
    RecoveryStore& store_;
    QTimer timer_;
};

} // namespace orrery
