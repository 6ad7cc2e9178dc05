// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/base/problem.hpp"
#include "core/base/run_control.hpp"
#include "core/records/traces/communication_rules.hpp"
#include "core/records/traces/kineto_reader.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// What is in a trace: Kineto's JSON, an execution trace of PyTorch or Chakra, a pipeline that Primus recorded, an SQLite export of Nsight Systems, a memory
/// snapshot of PyTorch; plain or packed with gzip. Times in microseconds, exact. Kernels are sorted by the rules. Nothing, with a problem, for any other file.
std::optional<Json> traceFigures(std::string_view bytes, const std::string& fileName, Problems& problems, const CommunicationRules& rules = shippedCommunicationRules());

/// The content of a trace file, unpacked where it is packed; nothing, with a problem, where that is damaged or larger than a GiB.
std::optional<std::string> unpackedTrace(std::string_view bytes, const std::string& fileName, Problems& problems);

/// What a device did while it was recorded, from Kineto's JSON, an SQLite export of Nsight Systems or a memory snapshot (its memory alone). Nothing, with a
/// problem, for any other file; nothing at all where it was stopped. Kernels are sorted by the shipped rules; `sortKernels` knows others.
std::optional<KinetoTrace> readDeviceTrace(std::string_view bytes, const std::string& fileName, Problems& problems, const RunControl& control = {});

/// Whether a file that begins so, `head` being a few hundred kilobytes or all of it, was written by a profiler or tracer that is known here: told by what is at its start,
/// and of JSON by the keys of its outermost object. A packed file counts, for nothing else of Orrery's is packed.
bool looksLikeTrace(std::string_view head);

/// Figures of what a profiler wrote.
Json kinetoFigures(const KinetoTrace& trace);

/// When the ranks of a job came to each collective: the n-th communication kernel (by start) of every rank is taken as one, clocks as recorded.
/// Nothing where the traces don't have equally many, or ranks that differ.
std::optional<Json> collectiveFigures(const std::vector<KinetoTrace>& ranks);

/// Figures of other kinds of trace, of the JSON of one or of Chakra's messages.
std::optional<Json> documentFigures(const Json& document);
std::optional<Json> chakraMessageFigures(std::string_view bytes);

} // namespace orrery
