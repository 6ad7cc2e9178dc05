// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/graph.hpp"
#include "core/model/transformer_graph.hpp"
#include "core/served/inference/engine_formats.hpp"
#include "core/served/inference/engine_model.hpp"

#include <vector>

namespace orrery {

/// A piece of the model (core/model, buildStepPieces) as a rank of the instance runs it: the graph passes of training that serving shares
/// (precision, fusion, tensor), what the profile's kernels fuse besides, and traffic settled. Routed experts stand in it as one operator
/// named routedExpertsName without any work (routed_experts.hpp).
Graph rankGraph(Graph piece, const EngineModel& engine, const EngineFormats& formats);

/// An operator whose work is affine in the tokens it works on, which everything but attention and routed experts is: shape, FLOPs, bytes
/// and message of any number of tokens from those of one and of two.
class TokenOperator {
public:
    TokenOperator(Operator ofOne, const Operator& ofTwo);
    Operator at(double tokens) const;
    void writeAt(double tokens, Operator& op) const; ///< the same into one that is there already
    const Operator& ofOne() const { return one_; }

private:
    Operator one_;
    double m_, flops_, read_, written_, message_; ///< more a token
};

/// Those of a piece; operators of one group (isOfGroup) are left out.
std::vector<TokenOperator> tokenOperators(Graph ofOne, const Graph& ofTwo);

} // namespace orrery
