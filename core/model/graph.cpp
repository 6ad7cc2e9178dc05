// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/graph.hpp"

#include "core/base/block_formats.hpp"

namespace orrery {

std::string_view toString(OperatorKind kind) {
    switch (kind) {
    case OperatorKind::embedding: return "embedding";
    case OperatorKind::norm: return "norm";
    case OperatorKind::gemm: return "gemm";
    case OperatorKind::batched_gemm: return "batched_gemm";
    case OperatorKind::grouped_gemm: return "grouped_gemm";
    case OperatorKind::attention: return "attention";
    case OperatorKind::softmax: return "softmax";
    case OperatorKind::dropout: return "dropout";
    case OperatorKind::rotary: return "rotary";
    case OperatorKind::activation: return "activation";
    case OperatorKind::residual: return "residual";
    case OperatorKind::top_k: return "top_k";
    case OperatorKind::permute: return "permute";
    case OperatorKind::cross_entropy: return "cross_entropy";
    case OperatorKind::optimizer: return "optimizer";
    case OperatorKind::gradient_norm: return "gradient_norm";
    case OperatorKind::collective: return "collective";
    case OperatorKind::send_receive: return "send_receive";
    }
    return "";
}

std::string_view toString(Phase phase) {
    switch (phase) {
    case Phase::forward: return "forward";
    case Phase::backward: return "backward";
    case Phase::recompute: return "recompute";
    case Phase::optimizer: return "optimizer";
    case Phase::communication: return "communication";
    }
    return "";
}

std::string_view toString(CollectiveKind kind) {
    switch (kind) {
    case CollectiveKind::none: return "none";
    case CollectiveKind::all_reduce: return "all_reduce";
    case CollectiveKind::all_gather: return "all_gather";
    case CollectiveKind::reduce_scatter: return "reduce_scatter";
    case CollectiveKind::all_to_all: return "alltoall";
    case CollectiveKind::send_receive: return "sendrecv";
    case CollectiveKind::broadcast: return "broadcast";
    }
    return "";
}

std::string_view toString(AttentionMode mode) {
    switch (mode) {
    case AttentionMode::prefill: return "prefill";
    case AttentionMode::chunk: return "chunk";
    case AttentionMode::decode: return "decode";
    }
    return "";
}

std::string_view toString(CacheFormat format) {
    switch (format) {
    case CacheFormat::none: return "none";
    case CacheFormat::sixteen_bit: return "16 bit";
    case CacheFormat::fp8: return "fp8";
    case CacheFormat::int8: return "int8";
    case CacheFormat::four_bit: return "4 bit";
    }
    return "";
}

double storedWeightBytes(WeightStorage storage, double multiplied) {
    switch (storage) {
    case WeightStorage::int8: return 1;
    case WeightStorage::int4: return 0.5 + 2.0 / 128;
    case WeightStorage::mxfp4: return 0.5 + 1.0 / 32;
    case WeightStorage::nf4: return block_formats::nf4Bytes;
    case WeightStorage::fp8: return 1;
    case WeightStorage::nvfp4: return 0.5 + 1.0 / 16;
    case WeightStorage::as_multiplied: break;
    }
    return multiplied;
}

double cacheElementBytes(CacheFormat format) {
    switch (format) {
    case CacheFormat::fp8:
    case CacheFormat::int8: return 1;
    case CacheFormat::four_bit: return 0.5 + 1.0 / 16;
    default: return 2;
    }
}

} // namespace orrery
