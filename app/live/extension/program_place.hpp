// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace orrery::live {

/// A line of the user's program.
struct ProgramPlace {
    std::uint32_t number = 0; ///< from 1
    std::string file, function;
    std::uint32_t line = 0;
};

/// Where the calling thread is in the user's program: the innermost Python frame that is of no package. 0 where there is none, or where Python is
/// being taken down. Takes the GIL.
std::uint32_t programPlace();

/// The same in the forward or backward of a tensor that is just being allocated, where the GIL may be held by others that wait: 0 rather than
/// wait for it.
std::uint32_t programPlaceIfHeld();

/// "train.py:31 in step", by the same rule; empty where there is none.
std::string programLine();

/// Is told each place that was met, and each other when it is met for the first time, before its number is given out.
void onNewPlace(std::function<void(const ProgramPlace&)> tell);

} // namespace orrery::live
