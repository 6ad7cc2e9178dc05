// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/catalog/accelerator.hpp"
#include "core/catalog/collectives/library.hpp"
#include "core/operators/operator_model.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

class Catalog; // core/catalog

/// Calls whose times one model predicts: the number formats that run on the same kernels.
struct ModelKey {
    KernelKind kind = KernelKind::gemm;
    KernelFormat format = KernelFormat::none; ///< none: all formats together
    int family = 0;
    bool alternative = false; ///< experts' low-latency kernels, which share nothing with the usual ones
    KernelEngine engine = KernelEngine::common;
    std::uint8_t part = 0;                             ///< which of a layer's kernels, where one table holds several
    auto operator<=>(const ModelKey&) const = default; // NOLINT(modernize-use-nullptr): clang-tidy 14 takes the 0 of a comparison for a pointer
};

ModelKey modelKey(const KernelCall& call, int family);

/// Whether trees are fitted for the kind. NCCL's times come from the library's own constants (core/catalog/collectives), which need no curve
/// of the same operation and number of ranks.
constexpr bool isFitted(KernelKind kind) { return kind != KernelKind::nccl; }

/// An accelerator as the predictor knows it.
struct PredictorMachine {
    OperatorMachine machine;
    std::optional<OperatorMachine> fitted; ///< the machine that residuals are asked for, where figures of `machine` were stated otherwise
    LibraryConstants library;
    int family = -1; ///< -1: neither it nor a relative was fitted
    int system = 0;
    std::string relative; ///< whose residuals it inherits; empty where its own tables were fitted

    /// Its relative's kernels with 8-bit arithmetic are not this machine's: it widens an 8-bit cache and multiplies in 16 bit.
    bool inheritsWithoutFp8() const { return !relative.empty() && machine.peak8 <= machine.peak16; }
};

/// Times of kernels fitted to tables of measured ones. Immutable: any number of threads may ask.
class OperatorPredictor {
public:
    struct Family {
        std::string name;
        std::vector<std::string> accelerators; ///< catalogue ids, in the order of OperatorModel's `system`
    };

    OperatorPredictor() = default;
    OperatorPredictor(std::vector<Family> families, std::map<ModelKey, OperatorModel> models);

    /// The accelerator's own residuals; else those of the fitted one most like it, over its own data sheet's times and clock. An accelerator
    /// is the catalogue's of that id, whatever figures a scenario states of it: those change its physical times, not whose residuals it
    /// has. One that the catalogue does not list takes those of its make.
    PredictorMachine machine(const Accelerator& accelerator, const Catalog& catalog) const;

    /// Nothing where no table of that kind and format was fitted for the family.
    std::optional<KernelPrediction> predict(const PredictorMachine& machine, const KernelCall& call) const;

    bool empty() const { return models_.empty(); }
    const std::vector<Family>& families() const { return families_; }
    const std::map<ModelKey, OperatorModel>& models() const { return models_; }

    /// The file's bytes, with a checksum at their end. The same predictor gives the same bytes.
    std::string toBytes() const;
    /// Throws std::invalid_argument with what is wrong where they were damaged or are of another version.
    static OperatorPredictor fromBytes(std::string_view bytes);
    /// The same of bytes that `toBytes` is known to have written: only the checksum is looked at, and each model decoded when first
    /// asked for.
    static OperatorPredictor fromOwnBytes(std::string_view bytes);

private:
    std::vector<Family> families_;
    std::map<ModelKey, OperatorModel> models_;
};

/// The candidate most like the wanted accelerator, by octaves between their data sheets: arithmetic of a multiprocessor,
/// memory bandwidth, the balance of both, links. It has another design of multiprocessor only where none has the same, and is of another
/// vendor only where there is no other. Null for no candidates.
const Accelerator* nearestRelative(const Accelerator& wanted, const std::vector<const Accelerator*>& candidates);

/// The candidate of the nearest make: vendor, then the formats that the matrix units have rates for, then the year it was
/// first sold; the first of equals. No rate counts: one that is stated must not make the accelerator another one's relative.
const Accelerator* relativeByMake(const Accelerator& wanted, const std::vector<const Accelerator*>& candidates);

} // namespace orrery
