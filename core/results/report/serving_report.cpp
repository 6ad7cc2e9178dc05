// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/report/serving_report.hpp"

#include <charconv>
#include <ostream>

namespace orrery {
namespace {

/// The shortest text that reads back as the same number; nothing for a time that never came.
void add(std::ostream& out, double value, bool known = true) {
    out << ',';
    if (!known) return;
    char text[32];
    const auto [end, error] = std::to_chars(text, text + sizeof text, value);
    if (error == std::errc{}) out.write(text, end - text);
}

} // namespace

void writeRequestTable(const ServingReport& report, std::ostream& out) {
    out << "request,arrival_s,input_tokens,output_tokens,queue_s,ttft_s,tpot_s,e2e_s,preemptions,cached_tokens,instance,rejected\n";
    for (std::size_t i = 0; i < report.records.size(); ++i) {
        const RequestRecord& record = report.records[i];
        const Request& request = report.requests->requests[i];
        const bool done = record.isCompleted();
        out << i;
        add(out, record.arrival);
        out << ',' << request.input << ',' << request.output;
        add(out, record.queued, done);
        add(out, record.firstToken - record.arrival, record.firstToken >= 0);
        add(out, done && request.output > 1 ? (record.finish - record.firstToken) / (request.output - 1) : 0, done && request.output > 1);
        add(out, record.finish - record.arrival, done);
        out << ',' << record.preemptions << ',' << record.cachedTokens << ',' << record.instance << ',';
        if (record.rejection != Rejection::none) out << nameOf(record.rejection);
        out << '\n';
    }
}

} // namespace orrery
