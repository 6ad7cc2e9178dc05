// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/operators/fitting.hpp"

#include <optional>
#include <ostream>
#include <string_view>

namespace orrery {

class Catalog; // core/catalog

/// `{"rows": [{"system", "operator", "dtype", "count", "median_abs_error_percent", "p90_abs_error_percent"}]}`; rows that nothing is
/// predicted for stand beside as `refused`.
Json toDocument(const std::vector<OperatorErrors>& rows);
void printErrors(const std::vector<OperatorErrors>& rows, std::ostream& out);

/// What a fit is kept from seeing, to be judged on it.
enum class LeftOut {
    shapes,  ///< each fifth of the weight shapes, head shapes and models in turn
    lengths, ///< the largest fifth of m, tokens, bytes or length
    system,  ///< each system in turn
};
std::optional<LeftOut> leftOutFrom(std::string_view name);

/// Errors on rows that a fit never saw, and those of the four nearest rows it did see and of the data sheet's roofline.
struct LeftOutTable {
    LeftOut what = LeftOut::shapes;
    std::string name;  ///< that of LeftOut's value
    std::string about; ///< one sentence
    std::vector<OperatorErrors> rows, neighbours, rooflines;
};

/// What errors are to stay below, percent; nothing where none is set: for lengths, and for machines whose links are none.
struct ErrorAim {
    double median = 0;
    std::optional<double> p90;
};
std::optional<ErrorAim> errorAim(LeftOut what, const OperatorErrors& row);

/// Fits as often as there are parts to leave out: 4 CPU minutes for shapes, less for the others.
LeftOutTable leftOutTable(LeftOut what, const std::vector<SystemTables>& systems, const Catalog& catalog, int threads);
/// The document of its rows, with "left_out": its name, and "four_nearest" and "roofline": rows of those.
Json toDocument(const LeftOutTable& table);
void printLeftOut(const LeftOutTable& table, std::ostream& out);

} // namespace orrery
