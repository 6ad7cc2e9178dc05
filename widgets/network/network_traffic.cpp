// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/network/network_traffic.hpp"

#include "widgets/common/format.hpp"
#include "widgets/common/selection.hpp"

#include <algorithm>
#include <set>

namespace orrery {

NetworkTraffic::NetworkTraffic(Selection& selection, QObject* parent) : QObject(parent), selection_(selection) {
    pending_.setSingleShot(true);
    pending_.setInterval(16);
    connect(&pending_, &QTimer::timeout, this, &NetworkTraffic::updateNow);
    connect(&selection_, &Selection::cursorChanged, this, [this] {
        // Nothing of it is shown while a range is chosen.
        if (!alwaysWhole_ && !(selection_.rangeEnd() > selection_.rangeStart())) updateSoon();
    });
    connect(&selection_, &Selection::rangeChanged, this, &NetworkTraffic::updateSoon);
    connect(&selection_, &Selection::operatorChanged, this, &NetworkTraffic::updateLit);
    connect(&selection_, &Selection::stageChanged, this, &NetworkTraffic::updateLit);
}

void NetworkTraffic::setResult(const ResultPtr& result, const NetworkReportPtr& network) {
    result_ = result;
    network_ = result ? network : nullptr;
    loads_.clear();
    emit replaced();
    updateNow();
    updateLit();
}

void NetworkTraffic::setAlwaysWhole(bool whole) {
    if (whole == alwaysWhole_) return;
    alwaysWhole_ = whole;
    updateNow();
}

void NetworkTraffic::updateSoon() {
    if (isKnown() && !pending_.isActive()) pending_.start();
}

void NetworkTraffic::updateNow() {
    pending_.stop();
    if (!isKnown()) {
        loads_.clear();
        return emit changed();
    }
    const double duration = timeline().duration;
    const double start = std::clamp(selection_.rangeStart(), 0.0, duration), end = std::clamp(selection_.rangeEnd(), 0.0, duration);
    if (alwaysWhole_ || (!(end > start) && selection_.cursor() < 0)) {
        scope_ = Scope::iteration;
        from_ = 0;
        to_ = duration;
    } else if (end > start) {
        scope_ = Scope::range;
        from_ = start;
        to_ = end;
    } else {
        scope_ = Scope::moment;
        from_ = to_ = std::min(selection_.cursor(), duration);
    }
    loads_ = linkLoads(timeline(), *network_, from_, to_);
    emit changed();
}

QString NetworkTraffic::scopeText() const {
    switch (scope_) {
    case Scope::moment: return tr("at %1").arg(readableTime(from_).text());
    case Scope::range: return tr("mean over %1").arg(readableTimeRange(from_, to_));
    case Scope::iteration: return tr("whole iteration");
    }
    return {};
}

void NetworkTraffic::updateLit() {
    std::vector<bool> lit;
    QString text;
    const std::string name = selection_.operatorName().toStdString();
    if (isKnown() && !name.empty()) {
        const std::string phase = selection_.operatorPhase().toStdString();
        const int only = selection_.operatorStage() >= 0 ? selection_.operatorStage() : selection_.stage();
        std::set<std::string> algorithms;
        int hops = 0;
        for (std::size_t stage = 0; stage < timeline().stages.size(); ++stage) {
            if (only >= 0 && timeline().stages[stage].stage != only) continue;
            for (std::uint32_t op = 0; op < timeline().operators.size(); ++op) {
                const Operator& one = timeline().operators[op].op;
                if (one.name != name || (!phase.empty() && toString(one.phase) != phase)) continue;
                const TrafficPattern* pattern = network_->pattern(static_cast<int>(stage), op);
                if (pattern == nullptr) continue;
                lit.resize(network_->links.size());
                for (const LinkUse& use : pattern->uses) lit[use.link] = true;
                if (!pattern->algorithm.empty()) algorithms.insert(pattern->algorithm);
                hops = std::max(hops, pattern->hops);
            }
        }
        if (!lit.empty()) {
            QStringList how;
            for (const std::string& algorithm : algorithms) how << QString::fromStdString(algorithm);
            if (hops > 0) how << (hops == 1 ? tr("1 hop") : tr("%1 hops").arg(hops));
            text = selection_.operatorName();
            if (!how.isEmpty()) text += QStringLiteral(" · ") + how.join(QStringLiteral(", "));
        }
    }
    if (lit == lit_ && text == litText_) return;
    lit_ = std::move(lit);
    litText_ = std::move(text);
    emit litChanged();
}

} // namespace orrery
