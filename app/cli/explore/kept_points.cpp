// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/explore/kept_points.hpp"

#include "app/cli/common/output.hpp"
#include "core/base/json.hpp"

#include <ostream>
#include <utility>

namespace orrery {
namespace {

/// What a checkpoint answers: another question, or the same one of another scenario, needs another file.
Json questionDocument(const std::string& command, const SweepQuestion& question, const Json& scenario) {
    Json measures = Json::array();
    for (const Measure& measure : question.measures) measures.push_back({{"name", measure.name}, {"pointer", measure.pointer}});
    return {{"format", "orrery-checkpoint/1"}, {"of", command}, {"scenario", scenario}, {"axes", axesDocument(question)}, {"measures", std::move(measures)}};
}

} // namespace

KeptPoints::KeptPoints(const std::string& path, const std::string& command, const SweepQuestion& question, const Json& scenario, Problems& problems) : question_(question) {
    if (path.empty()) return;
    checkpoint_ = Checkpoint::open(path, questionDocument(command, question, scenario), problems);
    if (!checkpoint_) return;
    for (const BoxedJson& line : checkpoint_->known()) {
        const auto index = line->is_object() ? line->find("index") : line->end();
        if (index == line->end() || !index->is_number_unsigned()) continue;
        auto point = pointFrom(question, *line);
        if (point && index->get<double>() < question.points()) known_.emplace(index->get<std::size_t>(), std::move(*point));
    }
    if (!known_.empty()) messageStream() << known_.size() << " of them are in " << path << '\n';
}

OnSweptPoint KeptPoints::keeper() {
    if (!checkpoint_) return {};
    return [this](std::size_t index, const SweptPoint& point) {
        if (!fault_.empty()) return;
        Json line = pointDocument(question_, index, point);
        line["index"] = index;
        checkpoint_->add(line, fault_);
    };
}

void KeptPoints::sayFault() const {
    if (!fault_.empty()) messageStream() << "warning: " << fault_ << " All points were computed; the checkpoint does not hold them all.\n";
}

} // namespace orrery
