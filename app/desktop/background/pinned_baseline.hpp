// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/results/report/result.hpp"

#include <QString>

namespace orrery {

/// The result that what is shown is compared with, until it is taken off.
class PinnedBaseline {
public:
    void pin(ResultPtr result) { result_ = std::move(result); }
    void unpin() { result_.reset(); }
    bool isPinned() const { return result_ != nullptr; }

    /// What `shown` is compared with; null: nothing is pinned, or something of another kind.
    ResultPtr baselineFor(const ResultPtr& shown) const {
        if (!result_ || !shown) return nullptr;
        const bool alike = bool(result_->training()) == bool(shown->training()) && bool(result_->serving()) == bool(shown->serving()) && bool(result_->inference()) == bool(shown->inference());
        return alike ? result_ : nullptr;
    }
    QString name() const { return result_ ? QString::fromStdString(result_->name) : QString(); }

private:
    ResultPtr result_;
};

} // namespace orrery
