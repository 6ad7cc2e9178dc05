// SPDX-License-Identifier: GPL-3.0-or-later
// How right the program is: the page of measured runs, beside the scenario.

#include "app/desktop/notices/banner.hpp"
#include "app/desktop/pages/accuracy_window.hpp"
#include "app/desktop/window/main_window.hpp"
#include "core/base/json.hpp"
#include "resources/shipped_evidence.hpp"

namespace orrery {

void MainWindow::showAccuracy() {
    auto* window = findChild<AccuracyWindow*>(QString(), Qt::FindDirectChildrenOnly);
    if (window == nullptr) {
        window = new AccuracyWindow(catalog_, theme_, dialogs_, this);
        window->setAttribute(Qt::WA_DeleteOnClose);
        window->setEvidence(shippedEvidence());
        connect(this, &MainWindow::resultShown, window, [this, window] { window->setResult(result_); });
        connect(window, &AccuracyWindow::openRequested, this, [this](const Json& scenario) {
            if (!files_.mayLeave()) return;
            document_.reset(scenario);
            banner_->dismiss();
            raise();
            activateWindow();
        });
    }
    window->setResult(result_);
    window->show();
    window->raise();
    window->activateWindow();
}

} // namespace orrery
