// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/catalog/engine_figures.hpp"

namespace orrery {

const std::vector<EngineFigureName>& engineFigureNames() {
    static const std::vector<EngineFigureName> names{
        {"older_host_speed", "1", &EngineFigures::olderHostSpeed},
    };
    return names;
}

EngineFigures EngineFigures::of(const PhysicsConstants& physics) {
    EngineFigures figures;
    if (!physics.entries) return figures;
    for (const EngineFigureName& name : engineFigureNames())
        for (const PhysicsEntry& entry : *physics.entries)
            if (entry.id == name.id) figures.*name.member = entry.value;
    return figures;
}

} // namespace orrery
