// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/catalog/accelerator.hpp"
#include "core/catalog/citation.hpp"
#include "core/catalog/framework_profile.hpp"
#include "core/catalog/kernel_constants.hpp"
#include "core/catalog/platform.hpp"

#include <stdexcept>

/// How the catalogue files of `resources/catalog` become records; for this folder only. A malformed file throws.
namespace orrery::records {

Citation citation(const Json& record);
Platform platform(const Json& record);
/// A platform for an accelerator that none is listed for: the slower of what its links may be.
Platform conservativePlatform(const Accelerator& accelerator, const PhysicsConstants& physics);
FrameworkProfile framework(const Json& record);
/// `fallback` fills in what the record leaves out; `ranges` of kernels.json holds what each value may be.
KernelConstants kernels(const Json& record, const KernelConstants& fallback, const Json& ranges);
/// The entry "default", which states every value.
KernelConstants defaultKernels(const Json& record, const Json& ranges);

} // namespace orrery::records
