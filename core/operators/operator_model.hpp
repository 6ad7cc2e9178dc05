// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/operators/boosted_trees.hpp"
#include "core/operators/features.hpp"
#include "core/operators/kernel_table.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// A measured call on one of the machines that share a fit.
struct TrainingRow {
    const MeasuredCall* measured = nullptr;
    const OperatorMachine* machine = nullptr;
    int system = 0; ///< its place in the family
};

struct KernelPrediction {
    double seconds = 0;
    /// How far the call lies outside those fitted: octaves of the size that lies farthest out or, where more, of the work in all; 0 inside.
    double beyond = 0;
};

/// One kind of kernel on one family of accelerators: times physics gives, each with a factor that is not negative (the launch, the
/// share of peak and bandwidth reached), and boosted trees for what the shape makes of it. time = (factors · terms) × e^trees, at least
/// the time of its arithmetic at peak. Outside the fitted sizes the trees stay what they are at the range's end, so that the times go
/// on as the physical ones do: a size that grows makes no product faster, and the rate tends to a constant.
class OperatorModel {
public:
    /// Needs at least one row; all of one kind.
    static OperatorModel fit(const std::vector<TrainingRow>& rows);

    /// Positive and finite for any positive sizes.
    /// `fitted`: the machine that the residuals are asked for, where it is another: the time is then the one predicted for that one times
    /// the ratio of the physical times of both, so that a faster rate is never a longer time.
    KernelPrediction predict(const OperatorMachine& machine, const KernelCall& call, int system, const OperatorMachine* fitted = nullptr) const;

    void write(std::string& bytes) const;
    /// Throws std::invalid_argument where the bytes are not what `write` wrote for this kind. Trees are decoded when first asked.
    static OperatorModel read(KernelKind kind, std::string_view& bytes);
    /// Decodes the trees now; throws likewise.
    void decode() const { trees_.decode(); }

private:
    double base(const Features& features) const;
    bool settle(KernelCall& call, double& beyond) const;
    bool clamp(KernelCall& call) const;

    KernelKind kind_ = KernelKind::gemm;
    std::vector<float> factors_;
    struct Range {
        float lowest = 0, highest = 0;
    };
    std::vector<Range> ranges_; ///< of the kind's sizes
    float longest_ = 0;         ///< s, of the physical times fitted
    StoredTrees trees_;
};

} // namespace orrery
