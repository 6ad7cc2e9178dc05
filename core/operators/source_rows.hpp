// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/operators/kernel_table.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// Columns of a table that names them as ai-dynamo/aiconfigurator does, by what they mean.
struct SourceColumns {
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    std::vector<std::size_t> sizes; ///< none: they go by the model's name
    std::size_t framework = none, kernel = none, model = none, format = none, cache = none, arithmetic = none, phase = none, part = none;
    std::size_t time = none;
};

/// Adds to `missing` the names of columns that the kind's tables need and `header` has not.
SourceColumns findSourceColumns(KernelKind kind, const std::vector<std::string_view>& header, std::string& missing);

/// Fills the call from a row. Gives nothing where it was read, else what is wrong with it. `kind` must be one with such columns.
std::string readSourceCall(KernelKind kind, const SourceColumns& columns, const std::vector<std::string_view>& fields, KernelCall& call);

/// The words of such a row that tell its kernel, and those columns' names, as `readSourceCall` takes them.
std::string sourceWordColumns(KernelKind kind);
std::string sourceWords(const KernelCall& call);

/// The engine that a row's `framework` names, a version behind it or not. Nothing where none is known by that name.
std::optional<KernelEngine> engineFrom(std::string_view framework);
/// Formats as both sources of tables name them.
std::optional<KernelFormat> sourceFormat(std::string_view name);

} // namespace orrery
