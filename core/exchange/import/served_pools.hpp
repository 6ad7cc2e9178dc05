// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exchange/import/scenario_draft.hpp"
#include "core/exchange/launch_script/launch.hpp"

#include <cstdint>

namespace orrery {

/// Which part of every request a server's command says it takes.
enum class ServedRole { whole,
                        prefill,
                        decode };

/// SGLang's and Dynamo's `--disaggregation-mode`, Dynamo's `--is-prefill-worker`, the `kv_role` of vLLM's `--kv-transfer-config`.
ServedRole roleOf(const Launch& launch);

/// Takes the options that only say which pool a command is and how the pools find each other.
void takeRoleOptions(OptionList& options);

/// One pool's import and how many copies of it run.
struct ServedPool {
    ScenarioDraft draft;
    std::int64_t copies = 1;
    std::int64_t perHost = 0; ///< accelerators of a host, as the text says; 0: it doesn't
};

/// Whether a command is a further node of an instance that another command starts: `--node-rank 1`.
bool isFurtherNode(const Launch& launch);

/// A whole server that runs several times: so many times the hosts.
void multiplyHosts(ScenarioDraft& draft, std::int64_t copies);

/// Whether two pools' instances are alike.
bool sameInstances(const ServedPool& a, const ServedPool& b);

/// Writes one scenario of two pools: model, requests and framework of `prefill`, each pool's plan, engine settings and hosts its own.
void joinPools(ScenarioDraft& draft, const ServedPool& prefill, const ServedPool& decode);

} // namespace orrery
