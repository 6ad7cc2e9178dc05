// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/catalog/framework_profile.hpp"
#include "core/model/graph.hpp"

namespace orrery {

/// Replaces the loss of a graph that ends with one by the kernels that a framework runs. `gathersLogits`: after an all-gather of the
/// tensor ranks' logits, over the whole vocabulary on each.
void replaceLoss(Graph& graph, LossKernel kernel, bool gathersLogits);

} // namespace orrery
