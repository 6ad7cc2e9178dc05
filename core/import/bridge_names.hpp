// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>

namespace orrery {

/// Megatron-Bridge's configuration key for an argument of Megatron-LM: "train.micro_batch_size" for "micro-batch-size".
std::string bridgeKeyOf(const std::string& megatronOption);

/// The other way round; nothing for a text that is no such key.
std::optional<std::string> megatronOptionOf(const std::string& bridgeKey);

} // namespace orrery
