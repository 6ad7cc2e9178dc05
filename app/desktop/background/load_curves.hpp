// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/desktop/background/load_worker.hpp"
#include "core/results/report/result.hpp"

#include <QObject>

namespace orrery {

class LoadPanel;

/// Simulates for a panel of throughput and latency what it shows: the curve of each result that it is seen with, and loads that are tried.
/// Nothing is simulated for a panel that nobody sees.
class LoadCurves : public QObject {
    Q_OBJECT
public:
    LoadCurves(LoadPanel& panel, QObject* parent);

    void setResult(ResultPtr result); ///< null: there is none. The panel was told before
    void cancel();
    LoadWorker& worker() { return worker_; }

private:
    void submitIfSeen();

    LoadPanel& panel_;
    ResultPtr result_;
    bool waits_ = false; ///< the result's curve was not asked for yet
    LoadWorker worker_;
};

} // namespace orrery
