// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/operators/source_rows.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace orrery {
namespace {

constexpr double largestSize = 1e12;

/// Sizes that tables leave to the model's name, from the models' own config.json.
struct NamedShape {
    std::string_view part; ///< of the name
    std::string_view column;
    double size;
};
constexpr NamedShape namedShapes[]{
    {"DeepSeek-V3", "hidden_size", 7168},
    {"DeepSeek-V3", "q_rank", 1536},
    {"DeepSeek-V3", "key_dim", 128},
    {"DeepSeek-V3", "value_dim", 128},
    {"DeepSeek-V3", "index_heads", 64},
    {"GLM-5", "hidden_size", 6144},
    {"GLM-5", "q_rank", 2048},
    {"GLM-5", "key_dim", 192},
    {"GLM-5", "value_dim", 256},
    {"GLM-5", "index_heads", 32},
    {"DeepSeek-V4-Flash", "hidden_size", 4096},
    {"DeepSeek-V4-Flash", "q_rank", 1024},
    {"DeepSeek-V4-Flash", "index_topk", 512},
    {"DeepSeek-V4-Pro", "hidden_size", 7168},
    {"DeepSeek-V4-Pro", "q_rank", 1536},
    {"DeepSeek-V4-Pro", "index_topk", 1024},
};

constexpr std::array<std::string_view, 3> phaseNames{"context", "generation", "verify"};
constexpr std::array<std::string_view, 2> partNames{"pre", "post"};

/// What names of kernels say of them.
struct KernelWord {
    std::string_view part;
    std::uint8_t bit;
};
constexpr KernelWord stateWords[]{{"conv1d", convolutionBit}, {"kda_decode", fusedStepBit}, {"kda_fused_decode", fusedStepBit}};
constexpr KernelWord moduleWords[]{{"skip_indexer", givenChoiceBit}, {"dense_mha", denseBit}};

bool goesByModel(KernelKind kind, std::string_view column) {
    return isModule(kind) && std::any_of(std::begin(namedShapes), std::end(namedShapes), [&](const NamedShape& shape) { return shape.column == column; });
}

bool wholeNumber(std::string_view text, double& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() && std::isfinite(value) && value == std::trunc(value);
}

std::string_view formatColumn(KernelKind kind) {
    if (isModule(kind)) return "gemm_type";
    if (kind == KernelKind::encoder_attention) return "attn_dtype";
    return kind == KernelKind::expert_alltoall ? "moe_dtype" : "";
}

std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

std::string readSize(std::string_view column, std::string_view text, double& size) {
    const double least = column == "step" ? 0 : 1;
    return wholeNumber(text, size) && size >= least && size <= largestSize ? "" : quoted(text) + " is no size for " + std::string(column);
}

std::string sizeOfModel(std::string_view column, std::string_view model, double& size) {
    const auto found = std::find_if(std::begin(namedShapes), std::end(namedShapes), [&](const NamedShape& shape) {
        return shape.column == column && model.find(shape.part) != std::string_view::npos;
    });
    if (found == std::end(namedShapes)) return quoted(model) + " is no model whose " + std::string(column) + " is known here";
    size = found->size;
    return "";
}

template <std::size_t count>
std::string readWord(const std::array<std::string_view, count>& names, std::string_view text, std::string_view meaning, std::uint8_t& place) {
    const auto found = std::find(names.begin(), names.end(), text);
    if (found == names.end()) return quoted(text) + " is no " + std::string(meaning) + " known here";
    place = static_cast<std::uint8_t>(found - names.begin());
    return "";
}

template <std::size_t count>
std::uint8_t bitsOf(const KernelWord (&words)[count], std::string_view kernel) {
    std::uint8_t bits = 0;
    for (const KernelWord& word : words)
        if (kernel.find(word.part) != std::string_view::npos) bits |= word.bit;
    return bits;
}

std::string readVariant(KernelKind kind, const SourceColumns& columns, const std::vector<std::string_view>& fields, KernelCall& call) {
    const std::string_view kernel = columns.kernel == SourceColumns::none ? std::string_view() : fields[columns.kernel];
    std::uint8_t place = 0;
    std::string wrong;
    if (isState(kind)) {
        wrong = readWord(phaseNames, fields[columns.phase], "phase", place);
        call.variant = place | bitsOf(stateWords, kernel);
    } else if (isModule(kind)) {
        call.variant = bitsOf(moduleWords, kernel);
        if (columns.arithmetic != SourceColumns::none && fields[columns.arithmetic] == "fp8") call.variant |= eightBitAttentionBit;
    } else if (kind == KernelKind::mhc_module) {
        wrong = readWord(partNames, fields[columns.part], "part", call.variant);
    } else if (kind == KernelKind::expert_alltoall) {
        wrong = readWord(alltoallNames, fields[columns.part], "operation", place);
        call.variant = place | (kernel.find("OneSided") != std::string_view::npos ? oneSidedBit : 0);
    }
    return wrong;
}

} // namespace

std::optional<KernelEngine> engineFrom(std::string_view framework) {
    const auto found = std::find(engineNames.begin(), engineNames.end(), framework.substr(0, framework.find(' ')));
    return found == engineNames.end() ? std::nullopt : std::optional(static_cast<KernelEngine>(found - engineNames.begin()));
}

std::optional<KernelFormat> sourceFormat(std::string_view name) {
    if (name == "bfloat16") return KernelFormat::bf16;
    if (name == "float16") return KernelFormat::fp16;
    if (name == "fp8_e4m3") return KernelFormat::fp8;
    return kernelFormatFrom(name);
}

SourceColumns findSourceColumns(KernelKind kind, const std::vector<std::string_view>& header, std::string& missing) {
    SourceColumns columns;
    const auto find = [&](std::string_view name) {
        const auto found = std::find(header.begin(), header.end(), name);
        return found == header.end() ? SourceColumns::none : static_cast<std::size_t>(found - header.begin());
    };
    const auto need = [&](std::string_view name) {
        const std::size_t at = find(name);
        if (at == SourceColumns::none) missing += (missing.empty() ? "" : ", ") + std::string(name);
        return at;
    };
    columns.model = find("model");
    for (const std::string_view column : sizeColumns(kind)) {
        const bool derived = goesByModel(kind, column) && columns.model != SourceColumns::none;
        columns.sizes.push_back(derived ? find(column) : need(column));
    }
    columns.framework = need("framework");
    columns.kernel = find("kernel_source");
    if (const std::string_view format = formatColumn(kind); !format.empty()) columns.format = need(format);
    if (isModule(kind)) {
        columns.cache = need("kv_cache_dtype");
        columns.arithmetic = find("mla_dtype");
    }
    if (isState(kind)) columns.phase = need("phase");
    if (kind == KernelKind::mhc_module) columns.part = need("part");
    if (kind == KernelKind::expert_alltoall) columns.part = need("op_name");
    columns.time = need("time_us");
    return columns;
}

std::string readSourceCall(KernelKind kind, const SourceColumns& columns, const std::vector<std::string_view>& fields, KernelCall& call) {
    call.kind = kind;
    const auto names = sizeColumns(kind);
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::string wrong = columns.sizes[i] == SourceColumns::none ? sizeOfModel(names[i], fields[columns.model], call.sizes[i])
                                                                          : readSize(names[i], fields[columns.sizes[i]], call.sizes[i]);
        if (!wrong.empty()) return wrong;
    }
    for (const auto& [column, format] : {std::pair(columns.format, &call.format), std::pair(columns.cache, &call.cache)}) {
        if (column == SourceColumns::none) continue;
        const auto known = sourceFormat(fields[column]);
        if (!known) return quoted(fields[column]) + " is no number format known here";
        *format = *known;
    }
    if (std::string wrong = readVariant(kind, columns, fields, call); !wrong.empty()) return wrong;
    const auto engine = engineFrom(fields[columns.framework]);
    if (!engine) return quoted(fields[columns.framework]) + " is no engine known here";
    setEngine(call, *engine);
    return "";
}

std::string sourceWordColumns(KernelKind kind) {
    std::string text = "framework,kernel_source,";
    if (const std::string_view format = formatColumn(kind); !format.empty()) text.append(format).append(",");
    if (isModule(kind)) text += "kv_cache_dtype,mla_dtype,";
    if (isState(kind)) text += "phase,";
    if (kind == KernelKind::mhc_module) text += "part,";
    if (kind == KernelKind::expert_alltoall) text += "op_name,";
    return text;
}

std::string sourceWords(const KernelCall& call) {
    std::string text(engineNames[static_cast<std::size_t>(engineOf(call))]);
    text += ",";
    const auto name = [&](const auto& words) {
        for (const KernelWord& word : words) {
            if ((call.variant & word.bit) == 0) continue;
            if (text.back() != ',') text += " ";
            text += word.part;
        }
    };
    if (isState(call.kind)) name(stateWords);
    if (isModule(call.kind)) name(moduleWords);
    if (call.kind == KernelKind::expert_alltoall && (call.variant & oneSidedBit) != 0) text += "NVLinkOneSided";
    text += ",";
    if (!formatColumn(call.kind).empty()) text.append(toString(call.format)).append(",");
    if (isModule(call.kind)) text.append(toString(call.cache)).append((call.variant & eightBitAttentionBit) != 0 ? ",fp8," : ",bf16,");
    if (isState(call.kind)) text.append(phaseNames[call.variant & statePhaseBits]).append(",");
    if (call.kind == KernelKind::mhc_module) text.append(partNames[call.variant & afterBlockBit]).append(",");
    if (call.kind == KernelKind::expert_alltoall) text.append(alltoallNames[call.variant & 3]).append(",");
    return text;
}

} // namespace orrery
