// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/recorded/recording.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace orrery {

/// What a PyTorch operator's name says it does.
enum class OperatorClass : std::uint8_t {
    unknown,
    view,      ///< the same storage seen otherwise
    free,      ///< takes no time on the accelerator: allocates, asks, sets
    composite, ///< maybe a copy, maybe nothing: what it calls tells; a view in a list without calls
    product,   ///< mm and its kin
    convolution,
    attention,
    pointwise, ///< reads its arguments once, writes its results once
    overwrite, ///< pointwise that doesn't read what it writes
    lookup,    ///< reads of its table what it returns
    scatter,   ///< writes of its table what its values are
    lists,     ///< foreach and fused operators over lists of tensors
    collective,
};

struct OperatorFacts {
    OperatorClass what = OperatorClass::unknown;
    OperatorKind kind = OperatorKind::residual;
    CollectiveKind collective = CollectiveKind::none;
    bool inPlace = false; ///< writes its first argument
    bool backward = false;
    bool optimizer = false;
};

/// "aten::add_(0)", "aten.add_.Tensor" and "torch.ops.aten.add_.Tensor" are all "aten::add_".
std::string plainOperatorName(std::string_view recorded);

/// By the plain name.
OperatorFacts operatorFacts(const std::string& plainName);

/// A device kernel's kind by its own name ("maxwell_sgemm_64x64_nt"); nothing when it tells nothing.
std::optional<OperatorKind> kernelKind(std::string_view name);

/// The operator that a node runs: kind, shape, FLOPs by the FLOP rules, bytes. Nothing when its name or its shapes don't say.
/// `causal` is set for attention. Bytes of a collective stand in the node.
struct MappedOperator {
    Operator op;
    bool causal = true;
    std::vector<std::size_t> weightInputs; ///< arguments that hold weights of the model
};
std::optional<MappedOperator> mapOperator(const RecordedNode& node);

} // namespace orrery
