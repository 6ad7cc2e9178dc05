// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/boxed_json.hpp"
#include "core/exchange/import/import_parts.hpp"
#include "core/order/schedule/pipeline_schedule.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// A schedule by the class of torch.distributed.pipelining that torchtitan's `pipeline_parallel_schedule` names. torchtitan
/// has no class for a schedule without a row.
struct TorchtitanSchedule {
    std::string_view name;
    PipelineOrder order;
    std::int64_t usualChunks;      ///< of a stage, where the configuration says nothing else
    std::string_view differs = {}; ///< what of it is not simulated; empty: nothing
};

inline constexpr std::array torchtitanSchedules{
    TorchtitanSchedule{"1F1B", PipelineOrder::one_f_one_b, 1},
    TorchtitanSchedule{"GPipe", PipelineOrder::gpipe, 1},
    TorchtitanSchedule{"Interleaved1F1B", PipelineOrder::interleaved, 2},
    TorchtitanSchedule{"ZBVZeroBubble", PipelineOrder::zb_v, 1},
    TorchtitanSchedule{"DualPipeV", PipelineOrder::zb_v, 1, "DualPipeV was taken as zb-v: the same V of two chunks a stage, each weight held once. That a forward and a backward run at once there is not simulated."},
    TorchtitanSchedule{"InterleavedZeroBubble", PipelineOrder::interleaved, 2, "InterleavedZeroBubble was taken as interleaved: the same chunks. That weight gradients fill its gaps is not simulated."},
    TorchtitanSchedule{"LoopedBFS", PipelineOrder::interleaved, 2, "LoopedBFS was taken as interleaved: the same chunks. That every micro-batch runs forward before the first backward is not simulated, and takes more memory."},
    TorchtitanSchedule{"FlexibleInterleaved1F1B", PipelineOrder::interleaved, 2},
};

/// A flavour of one of torchtitan's models, as the scenario's `/model`.
struct TorchtitanModel {
    BoxedJson model;
    std::int64_t layers = 0;
};

std::optional<TorchtitanModel> torchtitanModel(const std::string& name, const std::string& flavor);

/// How torchtitan names a model of the catalogue; nothing where it has none.
struct TorchtitanFlavor {
    std::string name, flavor;
};
std::optional<TorchtitanFlavor> torchtitanFlavorOf(const std::string& preset);

/// "llama3 8B", "llama3 70B" …, for messages.
std::vector<std::string> torchtitanModels();

/// One option of a configuration, by its name in job_config.py with dashes, and its value.
struct TorchtitanSetting {
    std::string option;
    std::string value;
};

/// What a configuration of torchtitan's registry sets: `llama3_8b`; no settings where it is not known. Words behind a known name
/// (`llama3_8b_mxfp8`, `llama3_debugmodel_fsdp2_cp4`) set number formats and degrees.
struct TorchtitanConfig {
    std::vector<TorchtitanSetting> settings;
    std::string unread; ///< words behind the name that say nothing here: "flex_flash"
};
TorchtitanConfig torchtitanConfig(const std::string& name);

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
