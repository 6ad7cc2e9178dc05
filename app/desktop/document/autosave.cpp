// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/document/autosave.hpp"

#include "app/desktop/document/document.hpp"

namespace orrery {
namespace {

constexpr int delay = 500; ///< ms from the first edit that no copy has: a crash costs less than a second, with the time of writing

} // namespace

Autosave::Autosave(ScenarioDocument& document, RecoveryStore& store, QObject* parent)
    : QObject(parent), document_(document), store_(store) {
    timer_.setSingleShot(true);
    timer_.setInterval(delay);
    connect(&timer_, &QTimer::timeout, this, &Autosave::writeNow);
    connect(&document_, &ScenarioDocument::changed, this, &Autosave::follow);
    connect(&document_, &ScenarioDocument::modifiedChanged, this, &Autosave::follow);
}

void Autosave::writeNow() {
    timer_.stop();
    if (document_.isModified()) store_.write(document_.json(), document_.filePath(), document_.displayName(), document_.fileHash());
}

void Autosave::follow() {
    if (!document_.isModified()) {
        timer_.stop();
        store_.remove();
    } else if (!timer_.isActive()) { // not restarted: steady typing must not put it off for ever
        timer_.start();
    }
}

} // namespace orrery
