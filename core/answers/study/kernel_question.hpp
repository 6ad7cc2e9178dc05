// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/base/problem.hpp"

namespace orrery {

class Catalog; // core/catalog

/// How one operator of a model runs on one accelerator under the hierarchical roofline (core/operators), with no simulation around it.
///
/// `question` = `{"model": {"preset" | "config"}, "operator", "accelerator", "batch", "tokens", "keys", "tensor", "precision", "shares"}`:
/// `operator` as the model's graph names it ("mlp.up"), `accelerator` an id or an object with the catalogue's fields, `batch` sequences
/// (1), `tokens` each computes now (1: a decoding step), `keys` it then sees (`tokens`), `tensor` ranks that share the operator out (1),
/// `precision` of its products (`bf16`), `shares` = `data_sheet` (the default: peaks as printed, no launch) or `usual`.
///
/// The answer: `{"operator", "m", "n", "k", "batch", "flops", "time_s", "bound", "class", "compute_s", "memory_s", "compute_over_memory",
/// "latency_s", "levels": {LEVEL: {"traffic_bytes", "time_s", "intensity_flop_per_byte"}}, "tile": {"m", "n", "split", "waves"}}`.
/// `class` is `compute`, `memory` or `latency`; `memory_s` and `compute_s` are of the plain roofline: DRAM's traffic and the FLOPs at
/// the rates; `compute_over_memory` is above 1 where that one is bound by arithmetic. Empty, with problems, when the question is not
/// sound.
Json answerKernelQuestion(const Json& question, const Catalog& catalog, Problems& problems);

} // namespace orrery
