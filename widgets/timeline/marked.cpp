// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/marked.hpp"

#include <algorithm>
#include <limits>

namespace orrery {

MarkedOperators::MarkedOperators(const Timeline& timeline, std::vector<bool> operators)
    : operators_(std::move(operators)), any_(std::find(operators_.begin(), operators_.end(), true) != operators_.end()) {
    if (!any_) return;
    const std::size_t segments = timeline.segments.size();
    compute_.resize(segments);
    tensor_.resize(segments);
    others_.resize(segments);
    for (std::size_t segment = 0; segment < segments; ++segment) {
        for (const SegmentEntry& entry : timeline.segments[segment].entries) {
            if (!contains(entry.op)) continue;
            const double end = fillsSpans(timeline) ? std::numeric_limits<double>::max() : entry.end; // drawn to the span's end
            others_[segment].push_back({entry.start, end});
            if (entry.stream == StreamKind::compute) compute_[segment].push_back({entry.start, end});
            if (entry.stream == StreamKind::within) tensor_[segment].push_back({entry.start, end});
        }
    }
}

const std::vector<std::vector<SegmentStretch>>& MarkedOperators::stretches(StreamKind row) const {
    if (row == StreamKind::compute) return compute_;
    return row == StreamKind::within ? tensor_ : others_;
}

std::vector<bool> operatorsNamed(const Timeline& timeline, std::string_view name, std::string_view phase) {
    std::vector<bool> byName(timeline.operators.size());
    std::vector<bool> byBoth(timeline.operators.size());
    bool both = false;
    if (name.empty()) return byName;
    for (std::size_t i = 0; i < timeline.operators.size(); ++i) {
        byName[i] = timeline.operators[i].op.name == name;
        byBoth[i] = byName[i] && (phase.empty() || toString(timeline.operators[i].op.phase) == phase);
        both |= byBoth[i];
    }
    return both ? byBoth : byName;
}

} // namespace orrery
