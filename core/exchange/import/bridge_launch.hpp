// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exchange/launch_script/option_list.hpp"

#include <optional>
#include <string>

namespace orrery {

/// Megatron-Bridge's configuration key for an argument of Megatron-LM: "train.micro_batch_size" for "micro-batch-size".
std::string bridgeKeyOf(const std::string& megatronOption);

/// The other way round; nothing for a text that is no such key.
std::optional<std::string> megatronOptionOf(const std::string& bridgeKey);

/// Whether the key is true where the argument is not given: `add_bias_linear`.
bool bridgeKeyIsOpposite(const std::string& megatronOption);

/// A key with its value as Megatron's argument: flags without a value, keys that mean the opposite of an argument turned round. Without a
/// name where the value is what leaving the argument out means; nothing where no argument is called so.
std::optional<GivenOption> bridgeOption(const std::string& key, const std::string& value);

} // namespace orrery
