// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/operators/measured_times.hpp"

#include "core/base/units.hpp"
#include "core/operators/source_rows.hpp"

#include <algorithm>
#include <charconv>
#include <set>

namespace orrery {
namespace {

std::string numberText(double value) {
    std::array<char, 32> text;
    const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() ? std::string(text.data(), end) : "0";
}

std::string sourceCsv(const KernelTable& table) {
    std::string text = sourceWordColumns(table.kind);
    for (const std::string_view column : sizeColumns(table.kind)) text.append(column).append(",");
    text += "time_us\n";
    for (const MeasuredCall& measured : table.calls) {
        text += sourceWords(measured.call);
        for (std::size_t column = 0; column < sizeColumns(table.kind).size(); ++column) text += numberText(measured.call.sizes[column]) + ",";
        text += numberText(measured.seconds / units::microsecond) + "\n";
    }
    return text;
}

} // namespace

void MeasuredTimes::add(const std::string& accelerator, const KernelTable& table) {
    auto& times = times_[accelerator];
    for (const MeasuredCall& measured : table.calls) times.insert_or_assign(measured.call, measured.seconds);
}

std::optional<double> MeasuredTimes::find(std::string_view accelerator, const KernelCall& call) const {
    const auto times = times_.find(accelerator);
    if (times == times_.end()) return std::nullopt;
    const auto time = times->second.find(call);
    return time == times->second.end() ? std::nullopt : std::optional(time->second);
}

std::size_t MeasuredTimes::size() const {
    std::size_t sum = 0;
    for (const auto& [accelerator, times] : times_) sum += times.size();
    return sum;
}

std::string toCsv(const KernelTable& table) {
    const KernelKind kind = table.kind;
    if (hasSourceColumns(kind)) return sourceCsv(table);
    const bool exchange = isExchange(kind), attention = kind >= KernelKind::context_attention && kind <= KernelKind::generation_mla;
    std::string text;
    if (exchange) text += "version,";
    if (kind == KernelKind::nccl) text += "op,";
    // Engines are told apart where any row names another than the common one.
    const bool engines = std::any_of(table.calls.begin(), table.calls.end(), [](const MeasuredCall& measured) { return engineOf(measured.call) != KernelEngine::common; });
    if (engines) text += "framework,";
    if (!exchange) text += "dtype,";
    if (attention) text += "kv_dtype,";
    if (kind == KernelKind::moe) text += "kernel,";
    for (const std::string_view column : sizeColumns(kind))
        text += std::string(column == "exponent" ? "distribution" : column == "sms" ? "dispatch_sms"
                                                                                    : column) +
                ",";
    if (kind == KernelKind::deepep_normal) text += "combine_sms,";
    text += exchange ? "dispatch_us,combine_us\n" : "latency_us\n";
    for (std::size_t i = 0; i < table.calls.size(); ++i) {
        const KernelCall& call = table.calls[i].call;
        const bool alternative = (call.variant & alternativeBit) != 0;
        if (exchange) text += alternative ? "0.5.0," : ",";
        if (kind == KernelKind::nccl) text += std::string(collectiveNames[call.variant & 3]) + ",";
        if (engines) text.append(engineNames[static_cast<std::size_t>(engineOf(call))]).append(",");
        if (!exchange) text += std::string(toString(call.format)) + ",";
        if (attention) text += std::string(toString(call.cache)) + ",";
        if (kind == KernelKind::moe) text += alternative ? "moe_torch_flow_min_latency," : ",";
        for (std::size_t column = 0; column < sizeColumns(kind).size(); ++column) {
            const double size = call.sizes[column];
            if (sizeColumns(kind)[column] == "exponent") text += size > 0 ? "power_law_" + numberText(size) : "balanced";
            else text += numberText(size);
            text += ',';
        }
        text += exchange && kind == KernelKind::deepep_normal && i + 1 < table.calls.size() ? numberText(table.calls[i + 1].call.sizes[5]) + "," : "";
        text += numberText(table.calls[i].seconds / units::microsecond);
        if (exchange && i + 1 < table.calls.size()) text += "," + numberText(table.calls[++i].seconds / units::microsecond);
        text += '\n';
    }
    return text;
}

KernelTable merged(const KernelTable& older, const KernelTable& newer) {
    MeasuredTimes known;
    known.add("", newer);
    KernelTable result;
    result.kind = newer.kind;
    std::set<std::uint32_t> replaced; // both halves of an exchange go together
    for (const MeasuredCall& measured : older.calls)
        if (known.find("", measured.call)) replaced.insert(measured.row);
    for (const MeasuredCall& measured : older.calls)
        if (!replaced.contains(measured.row)) result.calls.push_back(measured);
    const std::uint32_t rows = older.calls.empty() ? 0 : older.calls.back().row + 1;
    for (MeasuredCall measured : newer.calls) {
        measured.row += rows;
        result.calls.push_back(measured);
    }
    return result;
}

} // namespace orrery
