// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exchange/launch_script/option_list.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// A call that a Python program makes, its arguments as options: `tensor_parallel_size=2` is "tensor-parallel-size", what stands in a
/// dictionary or in a call's own arguments "kv-cache-config.dtype". Arguments without a name are strays. Names that the program gave a
/// plain value stand for it; whatever else is left open as `$NAME`.
struct PythonCall {
    std::string callee; ///< as written: "sgl.Engine"
    OptionList options;
    int line = 0;
};

/// Calls of functions whose name's last part is one of `names`, in their order. Nothing is run.
std::vector<PythonCall> readPythonCalls(std::string_view text, const std::vector<std::string>& names);

/// Whether a text is a Python program: it imports something, where no shell would.
bool looksLikePython(std::string_view text);

} // namespace orrery
