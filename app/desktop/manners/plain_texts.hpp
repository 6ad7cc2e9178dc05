// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace orrery {

/// From now on the program shows texts letter by letter unless it marked them up itself: labels that would guess are told not to, tooltips need the mark of
/// `ownMarkup`, and no text of any kind loads a picture or another file by a name that stands in it. Calling it again changes nothing.
void showTextsPlain();

} // namespace orrery
