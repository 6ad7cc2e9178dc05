// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/operators/boosted_trees.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace orrery {

/// Trees as bytes until somebody asks for a prediction: of a file's many models a scenario needs few. Copies share what is decoded; any
/// number of threads may ask.
class StoredTrees {
public:
    StoredTrees() : StoredTrees(BoostedTrees{}) {}
    StoredTrees(BoostedTrees trees);
    ~StoredTrees();
    StoredTrees(const StoredTrees&);
    StoredTrees& operator=(const StoredTrees&);
    StoredTrees(StoredTrees&&) noexcept;
    StoredTrees& operator=(StoredTrees&&) noexcept;

    /// Throws std::invalid_argument where the bytes are not what `write` wrote, as `decode` does.
    double predict(const float* features) const { return decode().predict(features); }
    /// Features that they take.
    std::size_t columns() const;
    const BoostedTrees& decode() const;

    void write(std::string& bytes) const;
    /// Takes its part off the front of `bytes`. Throws std::invalid_argument where they end too early; what is in them is looked at by
    /// `decode`.
    static StoredTrees read(std::string_view& bytes);

private:
    struct Shared;
    std::shared_ptr<Shared> shared_; ///< never null but when moved from
};

} // namespace orrery
