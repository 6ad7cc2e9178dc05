#pragma once

#include "core/operators/fitting.hpp"

namespace orrery {

/// Absolute errors of one kind and format on one machine, in percent.
struct OperatorErrors {
    std::string system;
    std::string kind;
    std::string format;
    std::size_t count = 0;    ///< rows held against a prediction
    std::size_t refused = 0;  ///< rows nothing is predicted for
    double median = 0, p90 = 0;
};

/// Gives seconds for a call on a machine, or nothing.
using CallTime = std::function<std::optional<double>(const SystemTables&, const KernelCall&)>;

/// Rows that `judge` takes, in the order of systems, kinds and formats. The halves of an exchange count as one row, their sum.
std::vector<OperatorErrors> operatorErrors(const std::vector<SystemTables>& systems, const CallTime& time, const RowFilter& judge = {});

/// By predictor; each system is looked up once.
CallTime timesOf(const OperatorPredictor& predictor, const std::vector<SystemTables>& systems, const Catalog& catalog);

/// The part, 0 to `folds` - 1, that all rows of a call's shape fall in; the same on every machine, in every format.
std::uint32_t shapeFold(const KernelCall& call, std::uint32_t folds);

/// Of each machine, kind and format the rows in the largest fifth of m, tokens, bytes or length.
RowFilter largestFifth(const std::vector<SystemTables>& systems);

/// Four nearest measured calls of the same machine, kind and formats, by distance in the logarithms of all sizes; their times scaled
/// by the physical times' ratio, averaged as logarithms, nearer ones counting more. Rows `known` turns down are not looked at.
CallTime nearestNeighbours(const std::vector<SystemTables>& systems, const RowFilter& known);

} // namespace orrery
