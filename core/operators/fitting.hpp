// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/run_control.hpp"
#include "core/operators/predictor.hpp"

#include <functional>

namespace orrery {

class Catalog; // core/catalog

/// One machine's tables.
struct SystemTables {
    std::string name; ///< the folder's
    const Accelerator* accelerator = nullptr;
    std::vector<KernelTable> tables;
};

/// The accelerator that a folder of tables belongs to, by the names such folders have ("h100_sxm") or the catalogue's ids; null
/// where neither knows it.
const Accelerator* acceleratorOfFolder(std::string_view folder, const Catalog& catalog);

/// Whether a row may be fitted to.
using RowFilter = std::function<bool(const SystemTables&, const MeasuredCall&)>;

/// Accelerators of one generation share a fit. Rows that `keep` turns down are not looked at. Gives the same predictor whatever the
/// number of threads.
OperatorPredictor fitPredictor(const std::vector<SystemTables>& systems, int threads, const RowFilter& keep = {});

class Catalog; // core/catalog

/// Absolute errors of one kind and format on one machine, in percent.
struct OperatorErrors {
    std::string system;
    std::string kind;
    std::string format;
    std::size_t count = 0;   ///< rows held against a prediction
    std::size_t refused = 0; ///< rows nothing is predicted for
    double median = 0, p90 = 0;
};

/// Gives seconds for a call on a machine, or nothing.
using CallTime = std::function<std::optional<double>(const SystemTables&, const KernelCall&)>;

/// Rows that `judge` takes, in the order of systems, kinds and formats. The halves of an exchange count as one row, their sum.
std::vector<OperatorErrors> operatorErrors(const std::vector<SystemTables>& systems, const CallTime& time, const RowFilter& judge = {});

/// By predictor; each system is looked up once.
CallTime timesOf(const OperatorPredictor& predictor, const std::vector<SystemTables>& systems, const Catalog& catalog);

/// By the data sheet alone: the larger of arithmetic at peak and traffic at bandwidth, and the shortest time a kernel lasts.
CallTime rooflineTimes(const std::vector<SystemTables>& systems);

/// Gives the part, from 0, that all rows of a call's shape fall in.
using ShapePart = std::function<std::size_t(const KernelCall&)>;
/// Deals each kind's weight shapes, head shapes or models to `parts`, in the order of their hashes: as many to each, one at most where
/// a kind has no more shapes than there are parts. The same on every machine, in every format. Knows the systems' own shapes alone.
ShapePart dealShapes(const std::vector<SystemTables>& systems, std::size_t parts);

/// The rows in the largest fifth of m, tokens, bytes or length, for each machine, kind and format.
RowFilter largestFifth(const std::vector<SystemTables>& systems);

/// Four nearest measured calls of the same machine, kind and formats, by distance in the logarithms of all sizes; their times scaled
/// by the physical times' ratio, averaged as logarithms, nearer ones counting more. Rows `known` turns down are not looked at.
/// `searched`: whose rows are looked at for a machine; its own where there is none.
CallTime nearestNeighbours(const std::vector<SystemTables>& systems, const RowFilter& known,
                           const std::map<const SystemTables*, const SystemTables*>& searched = {});

/// The other system whose accelerator is most like that of `alone`; null where there is none.
const SystemTables* nearestSystem(const SystemTables& alone, const std::vector<SystemTables>& systems);

} // namespace orrery
