// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/boxed_json.hpp"
#include "core/base/run_control.hpp"

#include <optional>
#include <sstream>
#include <stop_token>
#include <string>

namespace orrery {

/// Keeps what the commands of its thread would print with --json, while it lives: the document as it is, and the messages beside it.
/// Other threads print as ever, so that several callers may ask at once. One inside another takes its place for as long as it lives.
class KeptAnswer {
public:
    KeptAnswer();
    ~KeptAnswer();
    KeptAnswer(const KeptAnswer&) = delete;
    KeptAnswer& operator=(const KeptAnswer&) = delete;

    std::optional<BoxedJson> document; ///< the last that a command gave
    std::ostringstream messages;       ///< what it said on standard error

    /// That of the calling thread; null: commands print.
    static KeptAnswer* ofThisThread();

private:
    KeptAnswer* outer_;
};

/// Ends the commands of its thread early when `stop` is requested, while it lives; what they answer then means nothing.
class StoppedBy {
public:
    explicit StoppedBy(std::stop_token stop);
    ~StoppedBy();
    StoppedBy(const StoppedBy&) = delete;
    StoppedBy& operator=(const StoppedBy&) = delete;

private:
    std::stop_token outer_;
};

/// What a command hands on to what computes: it stops when whoever asked gives up.
RunControl commandControl();

} // namespace orrery
