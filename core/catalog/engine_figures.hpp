// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/catalog/physics_constants.hpp"

#include <vector>

namespace orrery {

/// The figures of physics.json about what stands around an engine that serves. They are gathered where an engine is made, from the entries
/// that PhysicsConstants keeps; without a catalogue they are neutral.
struct EngineFigures {
    double olderHostSpeed = 1; ///< what one thread of older hosts gets done, over a DGX H100's

    static EngineFigures of(const PhysicsConstants& physics);
};

/// A figure as the file names it.
struct EngineFigureName {
    const char* id;
    const char* unit;
    double EngineFigures::*member;
};

/// All of them. To add one: a row there, a member above, an entry in physics.json.
const std::vector<EngineFigureName>& engineFigureNames();

} // namespace orrery
