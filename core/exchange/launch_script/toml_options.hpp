// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.hpp"
#include "core/exchange/launch_script/option_list.hpp"

#include <optional>
#include <string>

namespace orrery {

/// A TOML document as options: `batch_size = 1` below `[training]` is "training.batch-size" with the value "1" and its
/// line; a list has several values. Nothing, and a problem with line and column, when the text is no TOML.
std::optional<OptionList> readTomlOptions(const std::string& text, const std::string& fileName, Problems& problems);

} // namespace orrery
