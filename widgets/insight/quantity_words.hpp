// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/provenance.hpp"

namespace orrery {

/// The same quantity, and what it is made of, under names to be read: "waits for the tensor group" where reports and files say
/// "tensor_exposed".
Quantity inWords(Quantity quantity);

} // namespace orrery
