// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/operators/operator_model.hpp"

#include "core/operators/bytes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace orrery {
namespace {

constexpr double leastTime = 1e-9; ///< s; keeps logarithms finite whatever the factors
constexpr int sweeps = 2000;
constexpr int reweightings = 6;
constexpr double usualError = 0.2; ///< relative, of the physical times

/// From this many tokens on a kernel has so many waves that one more or less makes no difference; a collective, bytes.
double settledSize(KernelKind kind) {
    constexpr double tokens = 32768, bytes = 1 << 30;
    return kind == KernelKind::nccl || kind == KernelKind::custom_allreduce ? bytes : tokens;
}

/// Factors that are not negative and make the sum of terms come nearest to one, by coordinate descent on the normal equations.
/// `gram` and `target`: of rows divided by their measured time, so that errors are relative.
std::vector<float> fitFactors(const std::vector<std::vector<double>>& gram, const std::vector<double>& target) {
    const std::size_t count = target.size();
    std::vector<double> factors(count, 0);
    // What no row has, a network between nodes for one, keeps the time that the data sheet gives it.
    for (std::size_t i = 0; i < count; ++i)
        if (gram[i][i] <= 0) factors[i] = 1;
    for (int sweep = 0; sweep < sweeps; ++sweep) {
        for (std::size_t i = 0; i < count; ++i) {
            if (gram[i][i] <= 0) continue;
            double rest = target[i];
            for (std::size_t j = 0; j < count; ++j)
                if (j != i) rest -= gram[i][j] * factors[j];
            factors[i] = std::max(0.0, rest / gram[i][i]);
        }
    }
    return {factors.begin(), factors.end()};
}

/// The same for all machines and formats. Trees of small tables need smaller leaves, or they see too few of the steps that hardware
/// takes. Experts' kernels fall into a slow implementation for a fifth of the layouts, whatever the shape, and few models are
/// measured: a fit must follow the many and know less of each. Products are measured in many shapes, and a library's choice among its
/// kernels is now and then a bad one.
BoostingOptions optionsFor(KernelKind kind, std::size_t rows) {
    BoostingOptions options;
    if (kind == KernelKind::moe) {
        options.trees = 100;
        options.leaves = 32;
        options.learningRate = 0.2;
        options.outlier = 0.03;
        options.columnShare = 0.4;
    }
    if (kind == KernelKind::gemm) {
        options.leaves = 120;
        options.depth = 12;
        options.outlier = 0.08;
        options.columnShare = 0.5;
    }
    // Mixers' kernels run one way whatever their shape, in steps of whole rounds, and of whole blocks few models are measured.
    if (hasSourceColumns(kind)) {
        options.trees = isState(kind) ? 48 : 72;
        options.leaves = isState(kind) ? 40 : 48;
        options.learningRate = 0.2;
    }
    if (rows < 4000) options.leastRows = std::max(3, options.leastRows * static_cast<int>(rows) / 4000);
    return options;
}

} // namespace

double OperatorModel::base(const Features& features) const {
    double sum = 0;
    for (std::size_t i = 0; i < factors_.size(); ++i) sum += static_cast<double>(factors_[i]) * features.terms[i];
    return std::max(sum, leastTime);
}

OperatorModel OperatorModel::fit(const std::vector<TrainingRow>& rows) {
    OperatorModel model;
    model.kind_ = rows.front().measured->call.kind;
    model.ranges_.resize(sizeColumns(model.kind_).size(), {std::numeric_limits<float>::max(), 0});
    std::vector<Features> described(rows.size());
    for (std::size_t r = 0; r < rows.size(); ++r) {
        const KernelCall& call = rows[r].measured->call;
        describeCall(*rows[r].machine, call, described[r]);
        described[r].plain(rows[r].system);
        for (std::size_t i = 0; i < model.ranges_.size(); ++i) {
            model.ranges_[i].lowest = std::min(model.ranges_[i].lowest, static_cast<float>(call.sizes[i]));
            model.ranges_[i].highest = std::max(model.ranges_[i].highest, static_cast<float>(call.sizes[i]));
        }
    }
    const std::size_t terms = described.front().termCount;
    for (int round = 0; round < reweightings; ++round) {
        std::vector<std::vector<double>> gram(terms, std::vector<double>(terms, 0));
        std::vector<double> target(terms, 0);
        for (std::size_t r = 0; r < rows.size(); ++r) {
            const double seconds = rows[r].measured->seconds;
            // Huber (1964): rows far off pull no harder.
            const double off = model.factors_.empty() ? 0 : std::abs(model.base(described[r]) / seconds - 1);
            const double weight = off > usualError ? usualError / off : 1;
            for (std::size_t i = 0; i < terms; ++i) {
                const double x = described[r].terms[i] / seconds;
                target[i] += weight * x;
                for (std::size_t j = 0; j < terms; ++j) gram[i][j] += weight * x * described[r].terms[j] / seconds;
            }
        }
        model.factors_ = fitFactors(gram, target);
    }
    for (const Features& row : described) model.longest_ = std::max(model.longest_, static_cast<float>(model.base(row)));
    FeatureMatrix features;
    features.columns = described.front().count;
    std::vector<float> targets;
    for (std::size_t r = 0; r < rows.size(); ++r) {
        features.values.insert(features.values.end(), described[r].values.begin(), described[r].values.begin() + static_cast<std::ptrdiff_t>(features.columns));
        targets.push_back(static_cast<float>(std::log(rows[r].measured->seconds / model.base(described[r]))));
    }
    described.clear();
    model.trees_ = BoostedTrees::fit(features, targets, optionsFor(model.kind_, rows.size()));
    return model;
}

KernelPrediction OperatorModel::predict(const OperatorMachine& machine, const KernelCall& call, int system, const OperatorMachine* fitted) const {
    Features features;
    describeCall(machine, call, features);
    const double physical = base(features), least = features.least;
    KernelPrediction prediction;
    prediction.beyond = std::max(0.0, std::log2(physical / static_cast<double>(longest_)));
    KernelCall settled = call;
    const bool moved = settle(settled, prediction.beyond);
    if (moved || fitted) describeCall(fitted ? *fitted : machine, settled, features);
    features.plain(system);
    prediction.seconds = std::max(physical * std::exp(trees_.predict(features.values.data())), least);
    return prediction;
}

/// Moves sizes that lie outside to where the trees are asked; whether there were any. Raises `beyond` to the octaves of the farthest.
bool OperatorModel::settle(KernelCall& call, double& beyond) const {
    bool moved = false;
    for (std::size_t i = 0; i < ranges_.size(); ++i) {
        double& size = call.sizes[i];
        const double lowest = ranges_[i].lowest, highest = ranges_[i].highest;
        if (size >= lowest && size <= highest) continue;
        beyond = std::max(beyond, size > highest ? std::log2((size + 1) / (highest + 1)) : std::log2((lowest + 1) / (size + 1)));
        const double settled = std::clamp(size, lowest, i == growingSize(kind_) ? std::max(highest, settledSize(kind_)) : highest);
        moved = moved || settled != size;
        size = settled;
    }
    return moved;
}

void OperatorModel::write(std::string& to) const {
    bytes::put8(to, static_cast<std::uint8_t>(factors_.size()));
    for (const float factor : factors_) bytes::putFloat(to, factor);
    for (const Range& range : ranges_) {
        bytes::putFloat(to, range.lowest);
        bytes::putFloat(to, range.highest);
    }
    bytes::putFloat(to, longest_);
    trees_.write(to);
}

OperatorModel OperatorModel::read(KernelKind kind, std::string_view& from) {
    OperatorModel model;
    model.kind_ = kind;
    model.factors_.resize(bytes::take8(from));
    for (float& factor : model.factors_) factor = bytes::takeFloat(from);
    model.ranges_.resize(sizeColumns(kind).size());
    for (Range& range : model.ranges_) {
        range.lowest = bytes::takeFloat(from);
        range.highest = bytes::takeFloat(from);
    }
    model.longest_ = bytes::takeFloat(from);
    if (!(std::isfinite(model.longest_) && model.longest_ > 0)) throw std::invalid_argument("a longest time is no time");
    model.trees_ = StoredTrees::read(from);
    // What the features of this version would be: a file of another one must not be read as if it fitted.
    KernelCall call;
    call.kind = kind;
    call.sizes.fill(1);
    OperatorMachine machine{1, 1, 1, 1, 1, 1, 1, 1, 1};
    Features features;
    describeCall(machine, call, features);
    if (model.factors_.size() != features.termCount || model.trees_.columns() != features.count + 1)
        throw std::invalid_argument("a model of " + std::string(toString(kind)) + " was fitted to other features than this version has");
    for (const float factor : model.factors_)
        if (!(std::isfinite(factor) && factor >= 0)) throw std::invalid_argument("a factor is no number or negative");
    return model;
}

} // namespace orrery
