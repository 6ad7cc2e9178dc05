// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/catalog/accelerator.hpp"

namespace orrery {

/// Whether the multiprocessors of both are of one design: the same maker, shared memory, registers and formats of their matrix units.
/// False where a data sheet leaves the sizes out.
bool sameMultiprocessor(const Accelerator& a, const Accelerator& b);

/// The part of a relative's matrix units that a chip of the same design has left: 16-bit FLOPs a multiprocessor and clock over the
/// relative's. Makers cut units by half (GeForce with fp32 sums) or by far more (H20, for export). 1 where nothing is known to be cut.
double matrixUnitsLeft(const Accelerator& chip, const Accelerator& relative);

} // namespace orrery
