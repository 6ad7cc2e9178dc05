// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.hpp"
#include "tests/support/folders.hpp"
#include "tests/support/process.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace orrery {

/// The JSON document that a command printed.
inline Json printedBy(const ProcessResult& run) {
    Json document = Json::parse(run.out, nullptr, false);
    EXPECT_FALSE(document.is_discarded()) << run.out.substr(0, 400) << run.err;
    return document;
}

/// Every example that ships, sorted by name.
inline std::vector<std::string> examplePaths() {
    std::vector<std::string> paths;
    for (const auto& entry : std::filesystem::directory_iterator(test::sourcePath("resources/examples"))) {
        const std::string path = entry.path().string();
        if (path.ends_with(".orrery.json")) paths.push_back(path);
    }
    std::sort(paths.begin(), paths.end());
    return paths;
}

inline std::string mainExample() {
    return test::sourcePath("resources/examples/llama-3.1-70b-8xdgx-h100.orrery.json");
}

/// A scenario that takes a moment and fits: a tenth of a billion parameters on one node. Written here, so that the
/// tests do not stand on the catalogue of models.
inline Json smallScenario() {
    return Json::parse(R"({
      "format": "orrery-scenario/1",
      "name": "small",
      "model": {"config": {"model_type": "gpt2", "n_layer": 12, "n_embd": 768, "n_head": 12, "n_positions": 1024,
                           "vocab_size": 50304, "activation_function": "gelu_new", "tie_word_embeddings": true}},
      "cluster": {"accelerator": "a100-sxm4-80gb", "accelerators_per_node": 8, "nodes": 1},
      "workload": {"kind": "training", "sequence_length": 1024, "global_batch_size": 64, "micro_batch_size": 4, "precision": "bf16"},
      "parallelism": {"tensor": 2, "pipeline": 2}
    })");
}

} // namespace orrery
