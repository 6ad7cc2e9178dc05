// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <utility>

namespace orrery {

/// Runs `letGo` in a thread of its own that all of the program shares. At the program's end it runs where it is asked.
void letGoElsewhere(std::function<void()> letGo);

/// What a worker made, in a hold that anybody may let go of at no cost: a result has millions of parts, and to free them takes the thread
/// that held it last longer than a picture takes. The window's thread is the one that holds it last.
template <typename Made>
std::shared_ptr<const Made> freedElsewhere(std::shared_ptr<const Made> made) {
    if (!made) return made;
    const Made* plain = made.get();
    return {plain, [made = std::move(made)](const Made*) mutable {
                // The function's own copy is freed with it, in that thread.
                letGoElsewhere([held = std::exchange(made, nullptr)]() mutable { held.reset(); });
            }};
}

} // namespace orrery
