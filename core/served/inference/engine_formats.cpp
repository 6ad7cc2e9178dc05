// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/served/inference/engine_formats.hpp"

namespace orrery {
namespace {

double operandBytes(MatrixFormat format) {
    switch (format) {
    case MatrixFormat::fp8:
    case MatrixFormat::row_fp8: return 1;
    case MatrixFormat::mx_fp8:
    case MatrixFormat::block_fp8: return 1 + 4.0 / (128 * 128); // one fp32 scale a block of 128 × 128 (DeepSeek-V3, arXiv 2412.19437, section 3.3.2)
    case MatrixFormat::nvfp4: return 0.5 + 1.0 / 16;
    case MatrixFormat::sixteen_bit: break;
    }
    return 2;
}

CacheFormat cacheFormat(Precision precision) {
    switch (precision) {
    case Precision::fp32:
    case Precision::bf16:
    case Precision::fp16: return CacheFormat::sixteen_bit;
    case Precision::fp8:
    case Precision::mxfp8: return CacheFormat::fp8;
    case Precision::int8: return CacheFormat::int8;
    case Precision::nvfp4:
    case Precision::int4:
    case Precision::mxfp4: return CacheFormat::four_bit;
    }
    return CacheFormat::sixteen_bit;
}

} // namespace

double EngineFormats::productWeightBytes() const { return expertsAlone ? 2 : storedWeightBytes(storage, operandBytes(product)); }

double EngineFormats::sentBytes() const { return operandBytes(product); }

double EngineFormats::expertWeightBytes() const { return storedWeightBytes(storage, operandBytes(product)); }

EngineFormats engineFormats(Precision precision, std::optional<Fp8Recipe> recipe, Precision cache, bool weightsAlone) {
    EngineFormats formats;
    formats.cache = cacheFormat(cache);
    if (weightsAlone && traitsOf(precision).format != MatrixFormat::sixteen_bit) {
        const bool eightBit = isEightBit(traitsOf(precision).format);
        formats.storage = eightBit ? WeightStorage::fp8 : WeightStorage::nvfp4;
        formats.experts = eightBit ? KernelFormat::int8_wo : KernelFormat::int4_wo; // kernels widen as many bits alike
        return formats;
    }
    formats.product = traitsOf(precision).format;
    // Engines have one kind of kernel for every recipe of many scales.
    const bool manyScales = precision == Precision::mxfp8 || recipe == Fp8Recipe::block || recipe == Fp8Recipe::rowwise;
    if (isEightBit(formats.product) && manyScales) formats.product = MatrixFormat::block_fp8;
    switch (precision) {
    case Precision::fp32:
    case Precision::bf16:
    case Precision::fp16: break;
    case Precision::fp8:
    case Precision::mxfp8: formats.experts = formats.product == MatrixFormat::block_fp8 ? KernelFormat::fp8_block : KernelFormat::fp8; break;
    case Precision::nvfp4: formats.experts = KernelFormat::nvfp4; break;
    case Precision::int8:
        formats.storage = WeightStorage::int8;
        formats.experts = KernelFormat::int8_wo;
        break;
    case Precision::int4:
        formats.storage = WeightStorage::int4;
        formats.experts = KernelFormat::int4_wo;
        break;
    case Precision::mxfp4:
        formats.storage = WeightStorage::mxfp4;
        formats.expertsAlone = true;
        formats.experts = KernelFormat::w4a16_mxfp4;
        break;
    }
    return formats;
}

} // namespace orrery
