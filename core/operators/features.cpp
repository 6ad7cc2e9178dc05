// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/operators/features.hpp"

namespace orrery {

void describeCall(const OperatorMachine& machine, const KernelCall& call, Features& features) {
    features.termCount = features.count = 0;
    features.least = features.roofline = 0;
    switch (call.kind) {
    case KernelKind::gemm: return describeGemm(machine, call, features);
    case KernelKind::context_attention: return describeContextAttention(machine, call, features);
    case KernelKind::generation_attention: return describeGenerationAttention(machine, call, features);
    case KernelKind::context_mla: return describeContextMla(machine, call, features);
    case KernelKind::generation_mla: return describeGenerationMla(machine, call, features);
    case KernelKind::moe: return describeMoe(machine, call, features);
    case KernelKind::nccl:
    case KernelKind::custom_allreduce: return describeCollective(machine, call, features);
    case KernelKind::deepep_low_latency:
    case KernelKind::deepep_normal: return describeExchange(machine, call, features);
    case KernelKind::gdn:
    case KernelKind::kda:
    case KernelKind::mamba2: return describeState(machine, call, features);
    case KernelKind::mhc_module: return describeStreams(machine, call, features);
    case KernelKind::encoder_attention: return describeEncoderAttention(machine, call, features);
    case KernelKind::expert_alltoall: return describeAlltoall(machine, call, features);
    default: return describeModule(machine, call, features);
    }
}

} // namespace orrery
