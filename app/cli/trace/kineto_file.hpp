// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.hpp"
#include "core/traces/kineto_reader.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace orrery {

/// A trace of PyTorch's profiler from the bytes of its file, packed or not; nothing, with a problem, where they are something else.
std::optional<KinetoTrace> kinetoTrace(std::string_view bytes, const std::string& fileName, Problems& problems);

/// The same from a file on disk, up to a GiB.
std::optional<KinetoTrace> kinetoFile(const std::string& fileName, Problems& problems);

} // namespace orrery
