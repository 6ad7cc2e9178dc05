// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.hpp"
#include "core/exchange/launch_script/option_list.hpp"

#include <optional>
#include <string>

namespace orrery {

/// A YAML mapping as options: `dtype: fp8` below `kv_cache_config:` is "kv-cache-config.dtype" with the value "fp8" and its line; a list
/// has several values, null has none and counts as "null". Nothing, and a problem with the line, when the text is no YAML mapping.
std::optional<OptionList> readYamlOptions(const std::string& text, const std::string& fileName, Problems& problems);

} // namespace orrery
