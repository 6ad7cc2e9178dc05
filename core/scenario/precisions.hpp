// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/words.hpp"
#include "core/model/graph.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// Number formats that a scenario names.
enum class Precision : std::uint8_t { fp32,
                                      bf16,
                                      fp16,
                                      fp8,
                                      mxfp8,
                                      nvfp4,
                                      int8,
                                      int4,
                                      mxfp4 };

/// What one scale of an fp8 tensor covers.
enum class Fp8Recipe { tensorwise,
                       rowwise,
                       block };

/// What a scenario may choose a precision for.
enum class PrecisionUse : std::uint8_t { training,  ///< of matrix products
                                         inference, ///< of weights, and of the key-value cache
                                         gradients,
                                         optimizer_states,
                                         weights }; ///< as they are kept and stepped over

struct PrecisionTraits {
    Precision precision;
    std::string_view word;
    double bytes;          ///< of an element, without scales
    std::string_view peak; ///< under which name data sheets list the dense peak of products in it
    MatrixFormat format;   ///< of the operands of training's products; fp8 may be scaled by rows or blocks instead (Fp8Recipe)
    bool trains = false;   ///< allowed for PrecisionUse::training, and so on
    bool infers = false;
    bool keepsGradients = false;
    bool keepsOptimizerStates = false;
    bool keepsWeights = false;
    bool freezesWeights = false; ///< training stores weights in it that it does not train, and multiplies in 16 bit

    constexpr bool serves(PrecisionUse use) const {
        switch (use) {
        case PrecisionUse::training: return trains;
        case PrecisionUse::inference: return infers;
        case PrecisionUse::gradients: return keepsGradients;
        case PrecisionUse::optimizer_states: return keepsOptimizerStates;
        case PrecisionUse::weights: return keepsWeights;
        }
        return false;
    }
    constexpr int bits() const { return static_cast<int>(8 * bytes); }
};

/// One row a precision, in the order in which lists show them.
inline constexpr std::array precisionTable{
    PrecisionTraits{Precision::fp32, "fp32", 4, "fp32", MatrixFormat::sixteen_bit, false, false, true, true, true},
    PrecisionTraits{Precision::bf16, "bf16", 2, "bf16", MatrixFormat::sixteen_bit, true, true, true, true, true},
    PrecisionTraits{Precision::fp16, "fp16", 2, "fp16", MatrixFormat::sixteen_bit, true, true, true, true, true},
    PrecisionTraits{Precision::fp8, "fp8", 1, "fp8", MatrixFormat::fp8, true, true, false, true},
    PrecisionTraits{Precision::mxfp8, "mxfp8", 1, "fp8", MatrixFormat::mx_fp8, true, true},
    PrecisionTraits{Precision::nvfp4, "nvfp4", 0.5, "fp4", MatrixFormat::nvfp4, true, true},
    PrecisionTraits{Precision::int8, "int8", 1, "int8", MatrixFormat::sixteen_bit, true, true, false, true, false, true},
    PrecisionTraits{Precision::int4, "int4", 0.5, "int4", MatrixFormat::sixteen_bit, true, true, false, false, false, true},
    PrecisionTraits{Precision::mxfp4, "mxfp4", 0.5, "fp4", MatrixFormat::sixteen_bit, false, true},
};

template <> struct WordsOf<Precision> {
    static constexpr auto table = [] {
        std::array<Word<Precision>, precisionTable.size()> words{};
        for (std::size_t i = 0; i < words.size(); ++i) words[i] = {precisionTable[i].precision, precisionTable[i].word};
        return words;
    }();
};

constexpr const PrecisionTraits& traitsOf(Precision precision) {
    static_assert(hasEveryWordOnce<Precision>());
    for (const PrecisionTraits& traits : precisionTable)
        if (traits.precision == precision) return traits;
    return precisionTable.front(); // no precision is without a row
}

/// Words of the precisions that serve a use.
inline std::vector<std::string> precisionWords(PrecisionUse use) {
    std::vector<std::string> words;
    for (const PrecisionTraits& traits : precisionTable)
        if (traits.serves(use)) words.emplace_back(traits.word);
    return words;
}

} // namespace orrery
