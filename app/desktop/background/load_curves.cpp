// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/background/load_curves.hpp"

#include "widgets/serving/load_panel.hpp"

#include <utility>

namespace orrery {

LoadCurves::LoadCurves(LoadPanel& panel, QObject* parent) : QObject(parent), panel_(panel) {
    connect(&panel_, &LoadPanel::shown, this, &LoadCurves::submitIfSeen);
    connect(&panel_, &LoadPanel::loadTried, this, [this](double load) {
        submitIfSeen();
        worker_.tryLoad(load);
    });
    connect(&worker_, &LoadWorker::curveReady, &panel_, &LoadPanel::setCurve);
    connect(&worker_, &LoadWorker::tried, &panel_, &LoadPanel::setTried);
    connect(&worker_, &LoadWorker::progressed, &panel_, &LoadPanel::setProgress);
}

void LoadCurves::setResult(ResultPtr result) {
    result_ = std::move(result);
    worker_.cancel(); // what is under way is of another result
    waits_ = result_ && panel_.hasLoad();
    submitIfSeen();
}

void LoadCurves::cancel() {
    worker_.cancel();
    panel_.setProgress(-1);
}

void LoadCurves::submitIfSeen() {
    if (!waits_ || !panel_.isVisible()) return;
    waits_ = false;
    panel_.setProgress(0);
    worker_.submit(result_);
}

} // namespace orrery
