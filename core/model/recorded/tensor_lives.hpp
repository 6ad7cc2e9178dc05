// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/recorded/recorded_workload.hpp"

#include <map>
#include <string>
#include <vector>

namespace orrery {

/// Follows the storages of a recording from writer to reader. Recorders number storages anew once they were freed, so what an
/// operator returns without having been given it is a new tensor.
class TensorLives {
public:
    explicit TensorLives(RecordedWorkload& workload) : workload_(workload) {}

    /// Storage comes into being before the step that is added next.
    void allocate(const RecordedNode& node);
    /// A step (the last one added) reads and writes. `order`: tensors tell what it waits for.
    void addStep(const RecordedNode& node, bool inPlace, bool order, const std::vector<std::size_t>& weightInputs);
    /// Sizes and roles, once all steps stand.
    void finish();

private:
    struct Life {
        TensorId tensor = -1;
        std::int64_t lastWriter = -1;
        std::vector<std::uint32_t> readers; ///< since then
        bool before = false;                ///< there before the iteration
        bool weight = false;
        double elements = 0; ///< of the largest view
    };

    std::size_t begin(const RecordedTensor& tensor, bool before);
    std::size_t lifeOf(const RecordedTensor& tensor);
    void grow(std::size_t life, const RecordedTensor& tensor);

    RecordedWorkload& workload_;
    std::map<std::string, std::size_t> current_; ///< by storage: index into `lives_`
    std::vector<Life> lives_;
};

} // namespace orrery
