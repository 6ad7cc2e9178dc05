// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.hpp"
#include "core/records/traces/kineto_reader.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace orrery {

/// Whether bytes begin as an SQLite file does, which is what `nsys export --type sqlite` writes.
bool looksLikeNsight(std::string_view bytes);

/// Reads an SQLite export of Nsight Systems: kernels, copies and fills of devices, calls of the CUDA runtime, ranges of NVTX as operators, names by StringIds.
/// Any of the tables may be missing. Which rank it is of stands nowhere in it. Nothing, with a problem, for a damaged file and for another
/// program's, whose tables the problem names; rows whose times make no sense are left out, with a warning.
std::optional<KinetoTrace> readNsight(std::string_view bytes, const std::string& fileName, Problems& problems);

} // namespace orrery
