// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/graph.hpp"

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

} // namespace orrery
