// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/operators/kernel_table.hpp"

#include "core/base/units.hpp"
#include "core/operators/source_rows.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace orrery {
namespace {

constexpr std::size_t mostProblems = 20;
constexpr double mostSize = 1e12;                                  ///< elements or bytes in one dimension: beyond any memory
constexpr double leastMicroseconds = 1e-3, mostMicroseconds = 1e9; ///< µs: a clock's tick; a kernel that runs a quarter of an hour is none

using Fields = std::vector<std::string_view>;

void split(std::string_view line, Fields& fields) {
    fields.clear();
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    for (;;) {
        const std::size_t comma = line.find(',');
        fields.push_back(line.substr(0, comma));
        if (comma == std::string_view::npos) return;
        line.remove_prefix(comma + 1);
    }
}

bool isAttention(KernelKind kind) { return kind >= KernelKind::context_attention && kind <= KernelKind::generation_mla; }

/// Columns of a table by what they mean; npos where there is none.
struct Columns {
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    std::vector<std::size_t> sizes;
    std::size_t dtype = none, cache = none, kernel = none, operation = none, version = none, distribution = none;
    std::size_t combineSms = none, framework = none;
    std::size_t kernelSource = none; ///< of experts
    SourceColumns source;            ///< of kinds whose tables name their columns otherwise
    bool countsElements = false;     ///< collectives' sizes are numbers of 16-bit elements
    std::size_t time = none, combine = none;
};

std::size_t columnOf(const Fields& header, std::string_view name) {
    const auto found = std::find(header.begin(), header.end(), name);
    return found == header.end() ? Columns::none : static_cast<std::size_t>(found - header.begin());
}

/// The same columns by the names that ai-dynamo/aiconfigurator gives them, whose tables name the engine of each row.
constexpr std::pair<std::string_view, std::string_view> sourceNames[]{
    {"tokens", "num_tokens"},
    {"hidden", "hidden_size"},
    {"inter", "inter_size"},
    {"experts", "num_experts"},
    {"tp", "moe_tp_size"},
    {"ep", "moe_ep_size"},
    {"gpus", "num_gpus"},
    {"bytes", "message_size"},
    {"latency_us", "time_us"},
};

std::string_view sourceName(KernelKind kind, std::string_view column) {
    if (column == "dtype") return kind == KernelKind::gemm ? "gemm_dtype" : kind == KernelKind::moe ? "moe_dtype"
                                                                                                    : "allreduce_dtype";
    const auto found = std::find_if(std::begin(sourceNames), std::end(sourceNames), [&](const auto& names) { return names.first == column; });
    return found == std::end(sourceNames) ? column : found->second;
}

std::string_view fileColumn(KernelKind kind, std::string_view column) {
    if (column == "exponent") return "distribution";
    if (kind == KernelKind::deepep_normal && column == "sms") return "dispatch_sms";
    return column;
}

Columns findColumns(KernelKind kind, const Fields& header, std::string& missing) {
    Columns columns;
    if (hasSourceColumns(kind)) {
        columns.source = findSourceColumns(kind, header, missing);
        return columns;
    }
    const auto need = [&](std::string_view name) {
        std::size_t at = columnOf(header, name);
        if (at == Columns::none && isByEngine(kind)) {
            at = columnOf(header, sourceName(kind, name));
            columns.countsElements = columns.countsElements || (at != Columns::none && name == "bytes");
            if (at == Columns::none && name == "gated" && columnOf(header, "num_experts") != Columns::none) return at; // it goes by the shape
        }
        if (at == Columns::none) missing += (missing.empty() ? "" : ", ") + std::string(name);
        return at;
    };
    for (const std::string_view column : sizeColumns(kind)) columns.sizes.push_back(need(fileColumn(kind, column)));
    if (isExchange(kind)) {
        columns.time = need("dispatch_us");
        columns.combine = need("combine_us");
        if (kind == KernelKind::deepep_normal) columns.combineSms = need("combine_sms");
        columns.version = columnOf(header, "version");
    } else {
        columns.dtype = need("dtype");
        columns.time = need("latency_us");
        columns.kernel = columnOf(header, "kernel");
    }
    if (isAttention(kind)) columns.cache = need("kv_dtype");
    if (kind == KernelKind::nccl) columns.operation = need("op");
    if (isByEngine(kind)) columns.framework = columnOf(header, "framework");
    if (kind == KernelKind::moe) columns.kernelSource = columnOf(header, "kernel_source");
    return columns;
}

bool number(std::string_view text, double& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
}

/// A power law's exponent; 0: the same for all experts.
bool exponentOf(std::string_view distribution, double& exponent) {
    constexpr std::string_view powerLaw = "power_law_";
    exponent = 0;
    if (distribution == "balanced") return true;
    return distribution.substr(0, powerLaw.size()) == powerLaw && number(distribution.substr(powerLaw.size()), exponent) && exponent > 0;
}

/// Releases of the exchange library before 0.5.12 were measured over several nodes and are slower.
bool olderExchange(std::string_view version) { return version == "0.5.0"; }

/// Rows that ran another call than they name: this kernel of vLLM 0.18 on H200 was given all experts whatever moe_ep_size says (1 and 128 ranks
/// take the same time within 2 %, where every other kernel gets faster).
bool ranAnotherCall(std::string_view kernelSource) { return kernelSource == "vllm_mxfp4_moe"; }

/// Experts of two matrices, squared ReLU between: those of Nemotron 3 Nano, Super and Ultra, whose configurations say so. Other mixtures that
/// were measured are gated.
bool isUngatedShape(const KernelCall& moe) {
    constexpr std::array<std::array<double, 3>, 5> shapes{{{2688, 1856, 128}, {1024, 2688, 512}, {4096, 2688, 512}, {2048, 5120, 512}, {8192, 5120, 512}}};
    return std::any_of(shapes.begin(), shapes.end(), [&](const auto& shape) {
        return moe.sizes[1] == shape[0] && moe.sizes[2] == shape[1] && moe.sizes[4] == shape[2];
    });
}

class RowReader {
public:
    RowReader(KernelKind kind, const Columns& columns) : kind_(kind), columns_(columns) {}

    /// Empty when the row was read, else what is wrong with it.
    std::string read(const Fields& fields, std::uint32_t row, std::vector<MeasuredCall>& calls) const {
        KernelCall call;
        if (hasSourceColumns(kind_)) {
            std::string wrong = readSourceCall(kind_, columns_.source, fields, call);
            MeasuredCall measured{call, 0, row};
            if (wrong.empty()) wrong = readTime(fields[columns_.source.time], measured.seconds);
            if (wrong.empty()) calls.push_back(measured);
            return wrong;
        }
        call.kind = kind_;
        for (std::size_t i = 0; i < columns_.sizes.size(); ++i) {
            const std::string_view name = sizeColumns(kind_)[i];
            if (columns_.sizes[i] == Columns::none) { // sizes before it are read
                call.sizes[i] = isUngatedShape(call) ? 0 : 1;
                continue;
            }
            const std::string_view text = fields[columns_.sizes[i]];
            if (name == "exponent") {
                if (!exponentOf(text, call.sizes[i])) return "\"" + std::string(text) + "\" is no distribution of tokens over experts";
            } else {
                const bool mayBeZero = name == "window" || name == "gated";
                if (!number(text, call.sizes[i]) || call.sizes[i] < (mayBeZero ? 0 : 1) || call.sizes[i] > mostSize)
                    return "\"" + std::string(text) + "\" is no size for " + std::string(name);
                if (call.sizes[i] != std::trunc(call.sizes[i])) return "\"" + std::string(text) + "\" is no whole number for " + std::string(name);
            }
        }
        if (columns_.countsElements) call.sizes[1] *= 2;
        if (std::string wrong = readWords(fields, call); !wrong.empty()) return wrong;
        MeasuredCall measured{call, 0, row};
        if (std::string wrong = readTime(fields[columns_.time], measured.seconds); !wrong.empty()) return wrong;
        MeasuredCall combine = measured;
        if (isExchange(kind_)) {
            combine.call.variant |= combineBit;
            if (std::string wrong = readTime(fields[columns_.combine], combine.seconds); !wrong.empty()) return wrong;
            if (columns_.combineSms != Columns::none && !number(fields[columns_.combineSms], combine.call.sizes[5]))
                return "\"" + std::string(fields[columns_.combineSms]) + "\" is no number of multiprocessors";
        }
        calls.push_back(measured);
        if (isExchange(kind_)) calls.push_back(combine);
        return "";
    }

private:
    std::string readWords(const Fields& fields, KernelCall& call) const {
        const auto format = [&](std::size_t column, KernelFormat& to) -> std::string {
            const auto found = sourceFormat(fields[column]);
            if (!found) return "\"" + std::string(fields[column]) + "\" is no number format known here";
            to = *found;
            return "";
        };
        if (columns_.dtype != Columns::none)
            if (std::string wrong = format(columns_.dtype, call.format); !wrong.empty()) return wrong;
        if (columns_.cache != Columns::none)
            if (std::string wrong = format(columns_.cache, call.cache); !wrong.empty()) return wrong;
        if (columns_.operation != Columns::none) {
            const auto found = std::find(collectiveNames.begin(), collectiveNames.end(), fields[columns_.operation]);
            if (found == collectiveNames.end()) return "\"" + std::string(fields[columns_.operation]) + "\" is no collective known here";
            call.variant = static_cast<std::uint8_t>(found - collectiveNames.begin());
        }
        if (kind_ == KernelKind::moe && columns_.kernel != Columns::none && fields[columns_.kernel] == "moe_torch_flow_min_latency")
            call.variant |= alternativeBit;
        if (columns_.framework != Columns::none && !fields[columns_.framework].empty()) {
            const auto engine = engineFrom(fields[columns_.framework]);
            if (!engine) return "\"" + std::string(fields[columns_.framework]) + "\" is no engine known here";
            setEngine(call, *engine);
        }
        if (columns_.version != Columns::none && olderExchange(fields[columns_.version])) call.variant |= alternativeBit;
        return "";
    }

    static std::string readTime(std::string_view text, double& seconds) {
        double microseconds = 0;
        if (!number(text, microseconds) || microseconds <= 0) return "\"" + std::string(text) + "\" is no time";
        if (microseconds < leastMicroseconds || microseconds > mostMicroseconds) return "\"" + std::string(text) + "\" is no time of a kernel in µs";
        seconds = microseconds * units::microsecond;
        return "";
    }

    KernelKind kind_;
    const Columns& columns_;
};

void report(Problems& problems, const std::string& file, int line, std::string message, std::string mend) {
    if (problems.size() >= mostProblems) return;
    Problem problem;
    problem.code = "bad-operator-table";
    problem.file = file;
    problem.line = line;
    problem.message = std::move(message);
    problem.mend = std::move(mend);
    problems.push_back(std::move(problem));
}

/// Spreadsheets begin a file with a byte order mark.
std::string_view withoutByteOrderMark(std::string_view text) { return text.starts_with("\xef\xbb\xbf") ? text.substr(3) : text; }

std::string_view takeLine(std::string_view& text) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    return line;
}

} // namespace

KernelTable readKernelTable(KernelKind kind, std::string_view text, const std::string& file, Problems& problems) {
    KernelTable table;
    table.kind = kind;
    text = withoutByteOrderMark(text);
    Fields header, fields;
    split(takeLine(text), header);
    std::string missing;
    const Columns columns = findColumns(kind, header, missing);
    if (!missing.empty()) {
        report(problems, file, 1, "The table of " + std::string(toString(kind)) + " has no column for: " + missing + ".",
               "Give the first line the column names.");
        return table;
    }
    const RowReader reader(kind, columns);
    int line = 1;
    for (std::uint32_t row = 0; !text.empty();) {
        const std::string_view content = takeLine(text);
        ++line;
        if (content.empty() || content == "\r") continue;
        split(content, fields);
        if (fields.size() != header.size()) {
            report(problems, file, line, "The row has " + std::to_string(fields.size()) + " values for " + std::to_string(header.size()) + " columns.",
                   "Give each column one value, without quotes.");
            continue;
        }
        if (columns.kernelSource != Columns::none && ranAnotherCall(fields[columns.kernelSource])) continue;
        if (const std::string wrong = reader.read(fields, row, table.calls); !wrong.empty())
            report(problems, file, line, "In this row " + wrong + ".", "Correct the value or remove the row.");
        else ++row;
    }
    return table;
}

std::optional<KernelKind> kindFromHeader(std::string_view header) {
    Fields names;
    header = withoutByteOrderMark(header);
    split(takeLine(header), names);
    // The kind with most columns of its own fits best: a prompt's attention has all columns of its MLA.
    std::optional<KernelKind> best;
    std::size_t most = 0;
    for (std::size_t i = 0; i < kernelKinds; ++i) {
        const auto kind = static_cast<KernelKind>(i);
        if (hasSourceColumns(kind)) continue; // several of them have the same columns
        std::string missing;
        findColumns(kind, names, missing);
        if (!missing.empty() || sizeColumns(kind).size() <= most) continue;
        best = kind;
        most = sizeColumns(kind).size();
    }
    return best;
}

} // namespace orrery
