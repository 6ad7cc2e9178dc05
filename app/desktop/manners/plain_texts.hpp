// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace orrery {

/// From now on the program shows texts letter by letter unless it marked them up itself: labels that would guess are told not to, and tooltips need the mark of
/// `ownMarkup`. So no name makes a text load a picture or another file. Calling it again changes nothing.
void showTextsPlain();

} // namespace orrery
