#pragma once

#include "core/base/json.hpp"
#include "core/operators/evaluation.hpp"

#include <ostream>

namespace orrery {

/// `{"rows": [{"system", "operator", "dtype", "count", "median_abs_error_percent", "p90_abs_error_percent"}]}`; rows that nothing is
/// predicted for stand beside as `refused`.
Json toDocument(const std::vector<OperatorErrors>& rows);
void printErrors(const std::vector<OperatorErrors>& rows, std::ostream& out);

/// Errors on rows that a fit never saw, and those of the four nearest rows it did see.
struct LeftOutTable {
    std::string name;  ///< "shapes", "largest_fifth", "systems"
    std::string about; ///< one sentence
    std::vector<OperatorErrors> rows, neighbours;
};

std::vector<LeftOutTable> leftOutTables(const std::vector<SystemTables>& systems, const Catalog& catalog, int threads);
void printLeftOut(const LeftOutTable& table, std::ostream& out);

} // namespace orrery
