// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.hpp"

namespace orrery::test {

/// A tenth of a billion parameters on one node: a moment to simulate.
inline Json smallTraining() {
    return Json::parse(R"({
      "format": "orrery-scenario/1", "name": "small",
      "model": {"config": {"model_type": "gpt2", "n_layer": 12, "n_embd": 768, "n_head": 12, "n_positions": 1024,
                           "vocab_size": 50304, "activation_function": "gelu_new", "tie_word_embeddings": true}},
      "cluster": {"accelerator": "a100-sxm4-80gb", "accelerators_per_node": 8, "nodes": 1},
      "workload": {"kind": "training", "sequence_length": 1024, "global_batch_size": 64, "micro_batch_size": 4, "precision": "bf16"},
      "parallelism": {"tensor": 2, "pipeline": 2}
    })");
}

/// Eight billion parameters on one H100, one static batch.
inline Json smallInference() {
    return Json::parse(R"({
      "format": "orrery-scenario/1", "name": "batch", "model": {"preset": "llama-3.1-8b"},
      "cluster": {"accelerator": "h100-sxm5-80gb", "accelerators_per_node": 8, "nodes": 1},
      "workload": {"kind": "inference", "batch_size": 8, "input_length": 512, "output_length": 32, "precision": "bf16"},
      "parallelism": {"tensor": 1}
    })");
}

} // namespace orrery::test
