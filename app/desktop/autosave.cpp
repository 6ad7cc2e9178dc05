#include "app/desktop/autosave.hpp"

#include "app/desktop/document.hpp"

namespace orrery {
namespace {

constexpr int delay = 3000; ///< ms: what a crash may cost at most, with the time of an edit

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
    if (document_.isModified()) store_.write(document_.json(), document_.filePath(), document_.displayName());
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
