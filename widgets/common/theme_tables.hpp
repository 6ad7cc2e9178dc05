// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/theme.hpp"

namespace orrery {

/// The table of a variant. Text colours (ink, secondary, accent, good, warning, error) keep 4.5:1 on background, panel and field.
ThemeColors themeTable(ThemeVariant variant);

} // namespace orrery
