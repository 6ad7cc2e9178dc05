// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/operators/predictor.hpp"

#include "core/catalog/catalog.hpp"
#include "core/catalog/technology_design.hpp"
#include "core/operators/bytes.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <tuple>

namespace orrery {
namespace {

constexpr std::string_view magic = "orrery-operators/3\n";
constexpr std::size_t mostModels = 1000;
/// Places of the engine and of the part in the byte that tells kernels of one kind and format apart.
constexpr unsigned engineBits = 1, partBits = 3;
constexpr std::uint8_t engineMask = 3, mostPart = 15;

std::uint64_t checksum(std::string_view bytes) { // FNV-1a
    // Four sums side by side, each of every fourth byte.
    std::array<std::uint64_t, 4> sums{0xCBF29CE484222325ULL, 0xCBF29CE484222326ULL, 0xCBF29CE484222327ULL, 0xCBF29CE484222328ULL};
    const auto add = [&](std::size_t lane, char byte) { sums[lane] = (sums[lane] ^ static_cast<std::uint8_t>(byte)) * 0x100000001B3ULL; };
    const std::size_t whole = bytes.size() / sums.size() * sums.size();
    for (std::size_t i = 0; i < whole; i += sums.size())
        for (std::size_t lane = 0; lane < sums.size(); ++lane) add(lane, bytes[i + lane]);
    for (std::size_t i = whole; i < bytes.size(); ++i) add(i - whole, bytes[i]);
    return sums[0] ^ std::rotl(sums[1], 16) ^ std::rotl(sums[2], 32) ^ std::rotl(sums[3], 48);
}

/// Octaves between two rates; a wide one where either is unknown.
double octaves(double a, double b) { return a > 0 && b > 0 ? std::abs(std::log2(a / b)) : 4; }

/// Nothing where no library of that machine or its relative was measured.
std::optional<KernelPrediction> collectiveTime(const PredictorMachine& machine, const KernelCall& call) {
    constexpr CollectiveKind collectives[]{CollectiveKind::all_reduce, CollectiveKind::all_gather, CollectiveKind::reduce_scatter, CollectiveKind::all_to_all};
    if (!machine.library.measured || call.sizes[0] < 2) return std::nullopt;
    LibraryRequest request;
    request.kind = collectives[call.variant & 3];
    request.ranks = request.membersPerDomain = static_cast<int>(std::min(call.sizes[0], 1e6));
    request.bytes = call.sizes[1];
    request.upBandwidth = machine.machine.linkBandwidth;
    return KernelPrediction{chooseAlgorithm(machine.library, request).time, 0};
}

/// Kernels run as on whole units until the units that are left limit them.
void takeUnits(OperatorMachine& machine, double left, double rateOfPeak) {
    if (left >= 1) return;
    for (double* peak : {&machine.peak16, &machine.peak8, &machine.peak4, &machine.peakInt8}) *peak /= left;
    machine.reachable = left * rateOfPeak;
}

/// A data sheet's bandwidth is that without codes, the relative's times are those of its memory as it ran.
void takeMemory(OperatorMachine& machine, bool codes, bool itsCodes, double share) {
    if (codes != itsCodes) machine.bandwidth *= codes ? share : 1 / share;
}

/// Kernels start and synchronise in clocks: latencies of the relative's tables last as many clocks of the machine's own. Other makes
/// count other clocks.
void takeLatencies(PredictorMachine& machine, const Accelerator& own, const Accelerator& relative) {
    if (own.boostClock <= 0 || relative.boostClock <= 0 || own.vendor != relative.vendor) return;
    const double slower = relative.boostClock / own.boostClock;
    LibraryConstants& library = machine.library;
    for (double* latency : {&machine.machine.launch, &library.launch, &library.upStep, &library.upSimpleStep, &library.inSwitchStart, &library.peerSimpleStart})
        *latency *= slower;
}

/// Kernels of one table that share nothing.
std::uint8_t partOf(const KernelCall& call) {
    if (isState(call.kind) || call.kind == KernelKind::mhc_module || call.kind == KernelKind::expert_alltoall) return call.variant & mostPart;
    return 0;
}

} // namespace

ModelKey modelKey(const KernelCall& call, int family) {
    const bool byFormat = call.kind == KernelKind::gemm || call.kind == KernelKind::moe || call.kind == KernelKind::context_attention;
    return {call.kind, byFormat ? call.format : KernelFormat::none, family,
            call.kind == KernelKind::moe && (call.variant & alternativeBit) != 0, isByEngine(call.kind) ? engineOf(call) : KernelEngine::common, partOf(call)};
}

const Accelerator* nearestRelative(const Accelerator& wanted, const std::vector<const Accelerator*>& candidates) {
    const Accelerator* best = nullptr;
    double least = 0;
    for (const Accelerator* candidate : candidates) {
        // One multiprocessor's rate tells generations apart; memory, its balance with arithmetic and the links tell what it is built for.
        const OperatorMachine a = operatorMachine(wanted), b = operatorMachine(*candidate);
        const double distance = (sameMultiprocessor(wanted, *candidate) ? 0 : 50) + octaves(a.peak16 / a.multiprocessors, b.peak16 / b.multiprocessors) + octaves(a.bandwidth, b.bandwidth) +
                                octaves(a.peak16 / a.bandwidth, b.peak16 / b.bandwidth) + octaves(a.linkBandwidth, b.linkBandwidth) +
                                (wanted.vendor == candidate->vendor ? 0 : 100);
        if (best && distance >= least) continue;
        best = candidate;
        least = distance;
    }
    return best;
}

const Accelerator* relativeByMake(const Accelerator& wanted, const std::vector<const Accelerator*>& candidates) {
    const auto distance = [&wanted](const Accelerator& other) {
        int formats = 0;
        for (const char* format : {"bf16", "fp8", "fp4"}) formats += wanted.peakDense.count(format) != other.peakDense.count(format);
        const int years = wanted.releaseYear > 0 && other.releaseYear > 0 ? std::abs(wanted.releaseYear - other.releaseYear) : 0;
        return std::tuple(wanted.vendor != other.vendor, formats, years);
    };
    const auto nearer = [&](const Accelerator* a, const Accelerator* b) { return distance(*a) < distance(*b); };
    const auto nearest = std::min_element(candidates.begin(), candidates.end(), nearer);
    return nearest == candidates.end() ? nullptr : *nearest;
}

OperatorPredictor::OperatorPredictor(std::vector<Family> families, std::map<ModelKey, OperatorModel> models)
    : families_(std::move(families)), models_(std::move(models)) {}

PredictorMachine OperatorPredictor::machine(const Accelerator& accelerator, const Catalog& catalog) const {
    PredictorMachine result;
    result.machine = operatorMachine(accelerator);
    const auto place = [&](const std::string& id) {
        for (std::size_t f = 0; f < families_.size(); ++f) {
            const auto& ids = families_[f].accelerators;
            const auto found = std::find(ids.begin(), ids.end(), id);
            if (found == ids.end()) continue;
            result.family = static_cast<int>(f);
            result.system = static_cast<int>(found - ids.begin());
        }
    };
    place(accelerator.id);
    result.library = catalog.library().constants(accelerator.id);
    const Accelerator* listed = catalog.accelerator(accelerator.id);
    const auto askFor = [&](const OperatorMachine& fitted) {
        if (!(fitted == result.machine)) result.fitted = fitted;
    };
    const double ofBandwidth = catalog.physics().inlineEccShare;
    if (result.family >= 0) {
        if (listed) takeMemory(result.machine, accelerator.inlineEcc, listed->inlineEcc, ofBandwidth);
        if (listed) askFor(operatorMachine(*listed));
        return result;
    }
    std::vector<const Accelerator*> candidates;
    for (const Family& family : families_)
        for (const std::string& id : family.accelerators)
            if (const Accelerator* known = catalog.accelerator(id)) candidates.push_back(known);
    const Accelerator* relative = listed ? nearestRelative(*listed, candidates) : relativeByMake(accelerator, candidates);
    if (!relative) return result;
    result.relative = relative->id;
    place(relative->id);
    result.library = catalog.library().constants(relative->id);
    takeLatencies(result, accelerator, *relative);
    PredictorMachine asListed = result;
    asListed.machine = operatorMachine(listed ? *listed : *relative);
    if (listed) takeLatencies(asListed, *listed, *relative);
    takeMemory(result.machine, accelerator.inlineEcc, relative->inlineEcc, ofBandwidth);
    if (listed) takeMemory(asListed.machine, listed->inlineEcc, relative->inlineEcc, ofBandwidth);
    // Whether units were cut is the listed chip's to say: a stated rate makes no other design.
    const double left = listed ? matrixUnitsLeft(*listed, *relative) : 1;
    for (OperatorMachine* machine : {&result.machine, &asListed.machine}) takeUnits(*machine, left, catalog.physics().cutUnitsRate);
    askFor(asListed.machine);
    return result;
}

std::optional<KernelPrediction> OperatorPredictor::predict(const PredictorMachine& machine, const KernelCall& call) const {
    if (call.kind == KernelKind::nccl) return collectiveTime(machine, call);
    const auto model = models_.find(modelKey(call, machine.family));
    if (model == models_.end()) return std::nullopt;
    if (call.kind == KernelKind::context_mla && call.cache == KernelFormat::fp8 && machine.inheritsWithoutFp8()) {
        KernelCall widened = call;
        widened.cache = call.format;
        return model->second.predict(machine.machine, widened, machine.system, machine.fitted ? &*machine.fitted : nullptr);
    }
    return model->second.predict(machine.machine, call, machine.system, machine.fitted ? &*machine.fitted : nullptr);
}

std::string OperatorPredictor::toBytes() const {
    std::string to(magic);
    bytes::put8(to, static_cast<std::uint8_t>(families_.size()));
    for (const Family& family : families_) {
        bytes::putText(to, family.name);
        bytes::put8(to, static_cast<std::uint8_t>(family.accelerators.size()));
        for (const std::string& id : family.accelerators) bytes::putText(to, id);
    }
    bytes::put16(to, static_cast<std::uint16_t>(models_.size()));
    for (const auto& [key, model] : models_) {
        bytes::put8(to, static_cast<std::uint8_t>(key.family));
        bytes::putText(to, toString(key.kind));
        bytes::putText(to, toString(key.format));
        bytes::put8(to, static_cast<std::uint8_t>((key.alternative ? 1 : 0) | (static_cast<unsigned>(key.engine) << engineBits) | (key.part << partBits)));
        model.write(to);
    }
    bytes::put64(to, checksum(to));
    return to;
}

OperatorPredictor OperatorPredictor::fromBytes(std::string_view from) {
    OperatorPredictor predictor = fromOwnBytes(from);
    for (const auto& [key, model] : predictor.models_) model.decode();
    return predictor;
}

OperatorPredictor OperatorPredictor::fromOwnBytes(std::string_view from) {
    if (from.substr(0, magic.size()) != magic) throw std::invalid_argument("it does not begin with \"orrery-operators/3\"");
    if (from.size() < magic.size() + 8) throw std::invalid_argument("the file breaks off");
    const std::string_view content = from.substr(0, from.size() - 8);
    std::string_view tail = from.substr(content.size());
    if (bytes::take64(tail) != checksum(content)) throw std::invalid_argument("its checksum does not match: the file was damaged or cut");
    from = content.substr(magic.size());
    OperatorPredictor predictor;
    predictor.families_.resize(bytes::take8(from));
    for (Family& family : predictor.families_) {
        family.name = bytes::takeText(from);
        family.accelerators.resize(bytes::take8(from));
        for (std::string& id : family.accelerators) id = bytes::takeText(from);
    }
    const std::size_t models = bytes::take16(from);
    if (models > mostModels) throw std::invalid_argument("there are too many models");
    for (std::size_t i = 0; i < models; ++i) {
        ModelKey key;
        key.family = bytes::take8(from);
        const std::string kindName = bytes::takeText(from), formatName = bytes::takeText(from);
        const auto kind = kernelKindFrom(kindName);
        const auto format = formatName.empty() ? KernelFormat::none : kernelFormatFrom(formatName);
        if (!kind || !format || key.family >= static_cast<int>(predictor.families_.size()))
            throw std::invalid_argument(std::string("a model is of \"").append(kindName).append("\" in \"").append(formatName).append("\", which this version does not know"));
        const std::uint8_t whose = bytes::take8(from);
        const std::size_t engine = (whose >> engineBits) & engineMask;
        if (engine >= engineNames.size()) throw std::invalid_argument("a model is of an engine that this version does not know");
        key.alternative = (whose & 1) != 0;
        key.engine = static_cast<KernelEngine>(engine);
        key.part = (whose >> partBits) & mostPart;
        key.kind = *kind;
        key.format = *format;
        predictor.models_.insert_or_assign(key, OperatorModel::read(*kind, from));
    }
    if (!from.empty()) throw std::invalid_argument("something follows its last model");
    return predictor;
}

} // namespace orrery
