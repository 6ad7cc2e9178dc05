// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/operators/operator_machine.hpp"

#include "core/base/block_formats.hpp"

#include <algorithm>

namespace orrery {
namespace {

/// Where a data sheet leaves them out: what a 2020 part has. The fits of operators.bin were made with these two, so they change with a
/// new fit alone, whatever physics.json says of a chip for the hierarchical roofline.
constexpr double usualL2 = 40e6;
constexpr int usualMultiprocessors = 108;
constexpr double mxfp4Bytes = 0.5 + block_formats::mxScaleBytes;

} // namespace

OperatorMachine operatorMachine(const Accelerator& accelerator) {
    const auto peak = [&](const char* format) {
        const auto found = accelerator.peakDense.find(format);
        return found != accelerator.peakDense.end() ? found->second : 0.0;
    };
    OperatorMachine machine;
    machine.peak16 = std::max(peak("bf16"), peak("fp16"));
    machine.peak8 = std::max(peak("fp8"), machine.peak16);
    machine.peak4 = std::max(peak("fp4"), machine.peak8);
    machine.peakInt8 = std::max(peak("int8"), machine.peak16);
    machine.bandwidth = accelerator.memoryBandwidth;
    machine.l2Bytes = accelerator.l2Bytes > 0 ? accelerator.l2Bytes : usualL2;
    machine.multiprocessors = accelerator.multiprocessors > 0 ? accelerator.multiprocessors : usualMultiprocessors;
    machine.linkBandwidth = accelerator.scaleUpBandwidth > 0 ? accelerator.scaleUpBandwidth : accelerator.hostLinkBandwidth;
    machine.nicBandwidth = accelerator.nicBandwidth > 0 ? accelerator.nicBandwidth : machine.linkBandwidth;
    return machine;
}

double peakFor(const OperatorMachine& machine, KernelFormat format) {
    switch (format) {
    case KernelFormat::fp8:
    case KernelFormat::fp8_block:
    case KernelFormat::w4a8_mxfp4_mxfp8: return machine.peak8;
    case KernelFormat::nvfp4: return machine.peak4;
    case KernelFormat::int8:
    case KernelFormat::int8_sq: return machine.peakInt8;
    default: return machine.peak16;
    }
}

double weightBytes(KernelFormat format) {
    switch (format) {
    case KernelFormat::fp8:
    case KernelFormat::fp8_block:
    case KernelFormat::int8:
    case KernelFormat::int8_wo:
    case KernelFormat::int8_sq: return 1;
    case KernelFormat::int4_wo: return 0.5;
    case KernelFormat::nvfp4: return block_formats::nvfp4Bytes;
    case KernelFormat::w4a16_mxfp4:
    case KernelFormat::w4a8_mxfp4_mxfp8: return mxfp4Bytes;
    default: return 2;
    }
}

double activationBytes(KernelFormat format) {
    switch (format) {
    case KernelFormat::fp8:
    case KernelFormat::fp8_block:
    case KernelFormat::int8:
    case KernelFormat::int8_sq:
    case KernelFormat::w4a8_mxfp4_mxfp8: return 1;
    case KernelFormat::nvfp4: return block_formats::nvfp4Bytes;
    default: return 2;
    }
}

} // namespace orrery
