// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/manual/manual.hpp"

class QWidget;

namespace orrery {

/// What the manual says of a widget: fields of the form are named by the key that they edit, figures on top by "headline" and the figure's pointer, panels by "dock."
/// and their id. The nearest such widget around it counts; nowhere one: the first page.
ManualPlace helpPlaceOf(const QWidget* widget);

} // namespace orrery
