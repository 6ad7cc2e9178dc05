// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace orrery {

/// What the command line tells its caller; scripts stand on these numbers.
enum ExitStatus : int {
    exit_done = 0,
    exit_internal = 1, ///< a fault of Orrery's own
    exit_bad_input = 2,
    exit_does_not_fit = 3, ///< sound, but more memory than there is; the whole result is printed all the same
};

} // namespace orrery
