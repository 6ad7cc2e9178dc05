// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exchange/import/import_parts.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// Keys that change nothing a simulation sees, keys that change it and can't be read, and all that a reader takes.
const std::vector<IgnoredOption>& torchtitanIgnoredOptions();
const std::vector<RefusedOption>& torchtitanRefusedOptions();
const std::vector<std::string>& torchtitanKnownOptions();

/// [["tok_embeddings", "layers.0"], ["layers.1", "norm", "output"]]: layers of each part, where all of them are there.
std::optional<std::vector<std::int64_t>> torchtitanParts(const std::string& text, std::int64_t layers);

/// How torchtitan splits layers: embedding and output count as some, and what is over goes to the first chunks one by one
/// (distributed/pipeline_parallel.py). Nothing where it would refuse, or where the split is even anyway.
std::optional<std::vector<std::int64_t>> torchtitanLayout(std::int64_t layers, std::int64_t chunks, std::int64_t before, std::int64_t behind);

} // namespace orrery
